#pragma once

#include <cstddef>

#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/operators/affine.hpp"
#include "tally/order.hpp"

/// Tiles of a recurrence of floats or doubles whose other tiles are computed elsewhere: those of a rank's part, by the
/// compiled kernels. The state before a part is not used: a carry says it.
namespace tally::cpu_backend {

/// The total of a tile.
///
/// Requires  `part` has the size of a tile.
/// Memory    at general distances 100 KiB on the stack.
template <class T>
affine<working_type<T>> total_of_recurrence_tile(recurrence_in_memory<T> const& part);

/// Writes the states of a part that begins with a tile, up to the first one that is not finite, and returns its place:
/// part.size or more if all are finite. `before`, which is not empty, is the carry before the part.
///
/// Requires  `out` is neither `a` nor `b`.
/// Memory    at general distances 100 KiB of each thread's stack.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class T>
std::size_t scan_recurrence_tiles(recurrence_in_memory<T> const& part,
                                  order::carry<affine<T>, detail::recurrence::steps_in_turn> const& before);

}  // namespace tally::cpu_backend
