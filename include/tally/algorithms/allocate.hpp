#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "tally/algorithms/allocation_error.hpp"
#include "tally/detail/allocation/allocation.hpp"
#include "tally/detail/contract.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"

/// Allocation of many pieces at once: their sizes become the places where they begin.
namespace tally {

/// The places that pieces may have.
struct allocation_rules {
  std::uint64_t alignment = 1;                                         ///< each piece begins at a multiple of it
  std::uint64_t capacity = std::numeric_limits<std::uint64_t>::max();  ///< no piece ends behind it
};

/// Places pieces of the given sizes one behind the other: writes to `offsets[k]` where piece k begins.
///
///     allocate([on,] sizes, sizes_last, offsets [, rules])
///
/// Equation  offsets[k] = a * ceil(sizes[0] / a) + ... + a * ceil(sizes[k-1] / a), where a is rules.alignment
/// Requires  random-access iterators over integers; `offsets` overlaps nothing that is read.
/// Result    the end of the last piece, which is the memory needed; 0 if there are no pieces. A size of 0 takes no room.
/// Cost      one pass; O(n/p + log p) on p threads. Without `on` all threads, if the sizes are in contiguous memory.
/// Memory    12 bytes for every 4096 sizes; 108 for every 1024 with alignments of their own.
/// Blocks    until the result is there, on a GPU too.
/// Throws    allocation_error, which names the first piece that ends behind rules.capacity, behind the largest offset
///           that `offsets` can hold or behind 2^64 - 2, or whose size is negative; offsets are then partly written.
///           usage_error if the alignment is 0; cuda_error; std::bad_alloc.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.3, as "allocating".
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
std::uint64_t allocate(P const& on, I sizes, S sizes_last, Out offsets, allocation_rules const& rules = {})
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Out>,
                "tally: allocate reads and writes by index: give it iterators of arrays");
  if (rules.alignment == 0) throw usage_error("tally: allocate: the alignment is 0; it must be at least 1");
  return detail::allocation::place_within(
      on, static_cast<std::size_t>(sizes_last - sizes), sizeof(std::iter_value_t<I>) + sizeof(std::iter_value_t<Out>),
      detail::allocation::uniform_pieces<I>{sizes, rules.alignment}, offsets, rules.capacity);
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator Out>
std::uint64_t allocate(I sizes, S sizes_last, Out offsets, allocation_rules const& rules = {})
{
  return tally::allocate(detail::allocation::default_execution<I, Out>{}, sizes, sizes_last, offsets, rules);
}

/// Places pieces of the given sizes, each at an alignment of its own, as the members of a structure are laid out.
///
///     allocate_aligned([on,] sizes, sizes_last, alignments, offsets [, rules])
///
/// Equation  offsets[k] = (the end of piece k-1, rounded up to a multiple of alignments[k]); offsets[0] = 0
/// Requires  alignments are powers of two; rules.alignment is ignored. As `allocate` otherwise.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Alignments, detail::iterator Out>
std::uint64_t allocate_aligned(P const& on, I sizes, S sizes_last, Alignments alignments, Out offsets,
                               allocation_rules const& rules = {})
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Alignments> &&
                    std::random_access_iterator<Out>,
                "tally: allocate_aligned reads and writes by index: give it iterators of arrays");
  return detail::allocation::place_within(
      on, static_cast<std::size_t>(sizes_last - sizes), sizeof(std::iter_value_t<I>) + sizeof(std::iter_value_t<Out>),
      detail::allocation::aligned_pieces<I, Alignments>{sizes, alignments}, offsets, rules.capacity);
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator Alignments, detail::iterator Out>
std::uint64_t allocate_aligned(I sizes, S sizes_last, Alignments alignments, Out offsets,
                               allocation_rules const& rules = {})
{
  return tally::allocate_aligned(detail::allocation::default_execution<I, Out>{}, sizes, sizes_last, alignments,
                                 offsets, rules);
}

}  // namespace tally
