#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

/// Many sequences of numbers in memory, by the kernels of the compiled library.
namespace tally::cpu_backend {

using detail::batch::ends;
using detail::batch::layout;

/// Whether calls of Op on elements of type In with results of type Out are compiled.
template <class Op, class T, class In, class Out>
inline constexpr bool has_sequence_kernels =
    has_kernels<Op, T> && std::is_same_v<T, std::remove_cv_t<In>> && std::is_same_v<T, Out>;

/// Scans of all sequences of `where` on at most `threads` threads (0: any number). If `out` is null, `ends.lasts` takes
/// their reductions.
template <class T, class Op>
void scan_sequences_by_kernels(tile_kernels<T> const& kernels, layout const& where, T const* in, T* out,
                               ends<T> const& ends, Op op, direction shift, int threads);

namespace sequences_detail {

/// The same values as another type of the same width.
template <class To, class T>
ends<To> ends_as(ends<T> const& given)
{
  ends<To> result;
  if (given.initial) result.initial = static_cast<To>(*given.initial);
  result.initials = reinterpret_cast<To const*>(given.initials);
  result.lasts = reinterpret_cast<To*>(given.lasts);
  return result;
}

template <class Op, class T>
void scan(layout const& where, T const* in, T* out, ends<T> const& given, direction shift, int threads)
{
  using element = typename kernel_element<Op, T>::type;
  scan_sequences_by_kernels(kernels_of<Op, element>(), where, reinterpret_cast<element const*>(in),
                            reinterpret_cast<element*>(out), ends_as<element>(given), by_pointer<Op, element>(), shift,
                            threads);
}

}  // namespace sequences_detail

/// Scans of all sequences of `where`: each has the bits of a scan of it alone.
///
/// Requires  has_kernels<Op, T>; extents are positive. `out` may be `in` where their distances are equal. An exclusive
///           scan has an initial value.
/// Memory    of each thread: for columns 80 KiB, for sequences at general distances some 40 KiB. Of few columns that are
///           long, some bytes for each tile.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class Op, class T>
void scan_sequences(layout const& where, T const* in, T* out, ends<T> const& given, direction shift, int threads)
{
  sequences_detail::scan<Op>(where, in, out, given, shift, threads);
}

/// Reductions of all sequences of `where`, one result each, at `distances::out`.
template <class Op, class T>
void reduce_sequences(layout where, T const* in, T* out, ends<T> given, int threads)
{
  where.along.step.out = 0;
  for (auto& axis : where.across) {
    axis.step.last = axis.step.out;
    axis.step.out = 0;
  }
  given.lasts = out;
  sequences_detail::scan<Op>(where, in, static_cast<T*>(nullptr), given, direction::inclusive, threads);
}

}  // namespace tally::cpu_backend
