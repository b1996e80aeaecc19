#pragma once

#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "tally/counted.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/segments_between.hpp"

/// Segments end to end: sequences of different lengths in one array.
namespace tally {

/// The segments of `values` between offsets, as a batch: the arguments of `reduce` and the scans (batches.hpp). Segment
/// s is [offsets[s], offsets[s + 1]), and may be empty: the rows of a sparse matrix, the words of a text.
///
///     segments(values, offsets)                         values: a range, or the beginning of one; offsets: a range
///     segments(values, offsets_first, offsets_last)     offsets: iterators
///
/// Requires  offsets are integers that do not decrease, one more than segments; none of them are no segments. Both are
///           reached by index, where the call runs: on a GPU they are in its memory.
template <class Values, std::random_access_iterator Offsets, std::sized_sentinel_for<Offsets> S>
auto segments(Values&& values, Offsets offsets, S last)
{
  static_assert(std::is_integral_v<std::iter_value_t<Offsets>>, "tally: offsets are integers");
  auto const count = static_cast<std::size_t>(last - offsets);
  auto const first = detail::batch::begin_of(values);
  auto const at = detail::batch::place_of(offsets);
  using first_type = std::remove_const_t<decltype(first)>;
  static_assert(std::random_access_iterator<first_type>,
                "tally: segments are reached by index: give the values as a range or iterator with random access");
  detail::batch::segments_between<first_type, std::remove_const_t<decltype(at)>> result{first, at,
                                                                                        count == 0 ? 0 : count - 1};
  if constexpr (std::ranges::sized_range<Values>) result.elements = std::ranges::size(values);
  return result;
}
template <class Values, std::ranges::random_access_range Offsets>
  requires std::ranges::sized_range<Offsets>
auto segments(Values&& values, Offsets&& offsets)
{
  auto const first = std::ranges::begin(offsets);
  return tally::segments(std::forward<Values>(values), first,
                         first + static_cast<std::ranges::range_difference_t<Offsets>>(std::ranges::size(offsets)));
}

/// The same with a number of segments that lies in memory where the call runs (counted.hpp):
///
///     segments(values, offsets, count_at(place, at_most))
///
/// Requires  one offset more than segments. Outputs, initial values and last values have room for `at_most` segments.
template <class Values, class Offsets>
auto segments(Values&& values, Offsets&& offsets, count_at count)
{
  auto const first = detail::batch::begin_of(offsets);
  detail::element_count const all = count;
  auto result = tally::segments(std::forward<Values>(values), first, first);
  result.count = all.most;
  result.fewer = all.fewer;
  return result;
}

/// Each segment from its last element to its first (reversed.hpp). Results of a scan have the places of their elements.
template <class Values, class Offsets>
auto reversed(detail::batch::segments_between<Values, Offsets> const& batch)
{
  return detail::batch::segments_between<Values, Offsets, detail::batch::from_back>{
      batch.values, batch.offsets, batch.count, batch.elements, batch.fewer};
}

}  // namespace tally
