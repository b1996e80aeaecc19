#pragma once

#include <concepts>
#include <cstddef>
#include <string>

#include "tally/array_view.hpp"
#include "tally/detail/batch/sequences.hpp"
#include "tally/error.hpp"

/// The sequences of an array along an axis: its rows, its columns.
namespace tally {

/// The sequences of an array along an axis, as a batch: the arguments of `reduce` and the scans (batches.hpp).
///
///     along(1, array)         the rows of a matrix; of more dimensions, a sequence for each index of the other axes
///     along(-1, array)        the last axis: a negative axis counts from the end
///     along({0, 2}, array)    for `reduce`: the elements of both axes as one sequence, the last named axis fastest
///
/// Requires  `array` is an array_view, a std::mdspan or the like, or a contiguous range, which has one axis. The array
///           outlives the call; `along` reads nothing.
/// Throws    usage_error if there is no such axis, or an axis is named twice.
template <std::integral Axis, detail::batch::array_argument A>
auto along(Axis axis, A&& array)
{
  auto const view = detail::batch::view_of(array);
  using element = typename std::remove_const_t<decltype(view)>::element_type;
  return detail::batch::sequences<element>{view,
                                           detail::batch::axis_of(static_cast<std::ptrdiff_t>(axis), view.shape())};
}
template <detail::batch::array_argument A>
auto along(per_axis const& axes, A&& array)
{
  auto const view = detail::batch::view_of(array);
  per_axis own;
  for (std::ptrdiff_t const axis : axes) {
    auto const each = static_cast<std::ptrdiff_t>(detail::batch::axis_of(axis, view.shape()));
    for (std::ptrdiff_t const other : own)
      if (each == other) throw usage_error("tally::along: axis " + std::to_string(each) + " is named twice");
    own.append(each);
  }
  using element = typename std::remove_const_t<decltype(view)>::element_type;
  return detail::batch::combined_sequences<element>{view, own};
}

/// Each sequence from its last element to its first (reversed.hpp).
template <class T>
auto reversed(detail::batch::sequences<T> const& batch)
{
  return detail::batch::sequences<T>{batch.array.flipped(static_cast<int>(batch.axis)), batch.axis};
}
template <class T>
auto reversed(detail::batch::combined_sequences<T> batch)
{
  for (std::ptrdiff_t const axis : batch.axes) batch.array = batch.array.flipped(static_cast<int>(axis));
  return batch;
}

}  // namespace tally
