#pragma once

#include <concepts>
#include <cstddef>
#include <string>

#include "tally/array_view.hpp"
#include "tally/detail/contract.hpp"
#include "tally/error.hpp"

/// The sequences of an array along an axis: its rows, its columns.
namespace tally {

namespace detail::batch {

/// The sequences of an array along one axis, one for each combination of indices of the other axes.
template <class T>
struct sequences {
  array_view<T> array;
  std::size_t axis;
};

/// The sequences of an array over several axes, one for each combination of indices of the others. A sequence has the
/// elements of all combinations of indices of these axes, the last named one running fastest.
template <class T>
struct combined_sequences {
  array_view<T> array;
  per_axis axes;  // not negative, and distinct
};

/// The axis that `axis` names. A negative one counts from the end.
inline std::size_t axis_of(std::ptrdiff_t axis, per_axis const& shape)
{
  auto const rank = static_cast<std::ptrdiff_t>(shape.size());
  std::ptrdiff_t const own = axis < 0 ? axis + rank : axis;
  if (own < 0 || own >= rank)
    throw usage_error("tally::along: no axis " + std::to_string(axis) + " in an array of shape " + shown(shape) +
                      (rank == 0 ? "" : ": the axes are " + std::to_string(-rank) + " to " + std::to_string(rank - 1)));
  return static_cast<std::size_t>(own);
}

}  // namespace detail::batch

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

template <class T>
inline constexpr bool detail::is_batch<detail::batch::sequences<T>> = true;
template <class T>
inline constexpr bool detail::is_batch<detail::batch::combined_sequences<T>> = true;

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
