#pragma once

#include <cstddef>
#include <string>

#include "tally/array_view.hpp"
#include "tally/detail/contract.hpp"
#include "tally/error.hpp"

namespace tally::detail::batch {

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

}  // namespace tally::detail::batch

template <class T>
inline constexpr bool tally::detail::is_batch<tally::detail::batch::sequences<T>> = true;
template <class T>
inline constexpr bool tally::detail::is_batch<tally::detail::batch::combined_sequences<T>> = true;
