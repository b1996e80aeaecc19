#pragma once

#include <iterator>
#include <ranges>
#include <type_traits>

/// Sequences from their ends.
namespace tally {

namespace detail {

template <class I>
struct reversed_range {
  I first, last;
  I begin() const { return first; }
  I end() const { return last; }
};

}  // namespace detail

/// The elements of `range` from the last one to the first: `inclusive_scan(reversed(in), reversed(out))` gives each
/// place the sum of all elements from there to the end, combined from the end.
///
///     reversed(range)    reversed(along(axis, array))    reversed(segments(values, offsets))
///
/// Every call that takes the argument takes it reversed. `reversed` of a batch reverses each of its sequences.
template <std::ranges::bidirectional_range R>
  requires(std::ranges::common_range<R> && std::ranges::borrowed_range<R>)
constexpr auto reversed(R&& range)
{
  auto first = std::make_reverse_iterator(std::ranges::end(range));
  return detail::reversed_range<decltype(first)>{first, std::make_reverse_iterator(std::ranges::begin(range))};
}

}  // namespace tally
