#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/sequences.hpp"

/// Ragged segments of numbers in memory, by the kernels of the compiled library.
namespace tally::cpu_backend {

/// Offsets of any type, read many at a time.
struct offsets_of_segments {
  void const* offsets;
  /// Copies offsets [first, first + count) to `to`.
  void (*read)(void const* offsets, std::size_t first, std::size_t count, std::size_t* to);
  std::size_t segments;
  std::size_t const* in_memory = nullptr;  ///< the offsets themselves, if they are such an array

  std::size_t operator[](std::size_t s) const
  {
    std::size_t value;
    read(offsets, s, 1, &value);
    return value;
  }
};

/// A call on segments: segment s is [offsets[s], offsets[s + 1]) of `values`.
template <class T>
struct segments_job {
  T const* values;
  T* out;  ///< the results lie where the values do; null for a reduction, whose results are `given.lasts`
  offsets_of_segments offsets;
  ends<T> given;     ///< its arrays have one value a segment, at the segment's number
  T const* nothing;  ///< the last value of an empty segment without an initial value; null: it is not written
  bool from_back;    ///< each segment begins at its end
  direction shift;
  int threads;
};

template <class T, class Op>
void scan_segments_by_kernels(tile_kernels<T> const& kernels, segments_job<T> const& job, Op op);

/// Segments that begin in one block, at its set bits. None of them is empty.
struct segments_of_block {
  std::size_t begin;           ///< the block is [begin, begin + size)
  std::size_t size;            ///< 64 * 64 at most
  std::uint64_t const* heads;  ///< bits behind `size` are 0 in its last word
  std::size_t count;           ///< the first so many segments, at least one
  std::size_t end;             ///< of the last of these
  std::size_t writable_end;    ///< results up to here belong to the caller's thread
  std::size_t size_of_values;  ///< of all segments
};

/// Scans these segments on this thread. Of the job the members `offsets`, `nothing`, `from_back` and `threads` have no
/// meaning; the arrays of `given` begin with the first of these segments.
template <class T, class Op>
void scan_block_by_kernels(tile_kernels<T> const& kernels, segments_job<T> const& job, segments_of_block const& where,
                           Op op);

/// Whether calls of Op on segments of Values with results at Out are compiled.
template <class Op, class T, class Values, class Out>
inline constexpr bool has_segment_kernels = [] {
  if constexpr (std::contiguous_iterator<Values> && std::contiguous_iterator<Out>)
    return has_sequence_kernels<Op, T, std::iter_value_t<Values>, std::iter_value_t<Out>> &&
           !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<Values>>>;
  else
    return false;
}();

namespace segments_detail {

/// The same job on another type of the same width, without the offsets.
template <class To, class T>
segments_job<To> job_as(segments_job<T> const& job)
{
  segments_job<To> same{};
  same.values = reinterpret_cast<To const*>(job.values);
  same.out = reinterpret_cast<To*>(job.out);
  same.given = sequences_detail::ends_as<To>(job.given);
  same.nothing = reinterpret_cast<To const*>(job.nothing);
  same.from_back = job.from_back;
  same.shift = job.shift;
  same.threads = job.threads;
  return same;
}

}  // namespace segments_detail

/// Scans of all segments: each has the bits of a scan of it alone.
///
/// Requires  has_segment_kernels; an exclusive scan has an initial value.
/// Memory    of each thread some 20 KiB, for types of less than four bytes up to 100.
/// Blocks    until done. Throws usage_error if offsets decrease or `threads` is negative, std::bad_alloc.
template <class Op, class T, class Offsets>
void scan_segments(segments_job<T> job, Offsets const& offsets, std::size_t segments)
{
  using element = typename kernel_element<Op, T>::type;
  auto same = segments_detail::job_as<element>(job);
  same.offsets = {&offsets,
                  [](void const* from, std::size_t first, std::size_t count, std::size_t* to) {
                    Offsets const& all = *static_cast<Offsets const*>(from);
                    for (std::size_t s = 0; s < count; ++s)
                      to[s] = static_cast<std::size_t>(detail::at_index(all, first + s));
                  },
                  segments};
  if constexpr (std::contiguous_iterator<Offsets>)
    if constexpr (std::is_same_v<std::remove_cvref_t<std::iter_reference_t<Offsets>>, std::size_t> &&
                  !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<Offsets>>>)
      same.offsets.in_memory = std::to_address(offsets);
  scan_segments_by_kernels(kernels_of<Op, element>(), same, by_pointer<Op, element>());
}

/// Scans of segments that begin in one block, on this thread.
template <class Op, class T>
void scan_segments_of_block(segments_job<T> const& job, segments_of_block const& where)
{
  using element = typename kernel_element<Op, T>::type;
  scan_block_by_kernels(kernels_of<Op, element>(), segments_detail::job_as<element>(job), where,
                        by_pointer<Op, element>());
}

}  // namespace tally::cpu_backend
