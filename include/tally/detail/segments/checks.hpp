#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/detail/contract.hpp"
#include "tally/operators/traits.hpp"

namespace tally::detail::segments {

/// The checks that calls by key, by flag and by offset share. They reach elements by index, since several threads begin
/// in the middle.
template <class Acc, class T, class Values, class Op, class... Iterators>
constexpr void check_call()
{
  static_assert(std::random_access_iterator<Values> && (std::random_access_iterator<Iterators> && ...),
                "tally: calls by key and by flag read and write by index: give them iterators of arrays");
  check_operands<Acc, T, std::iter_reference_t<Values>, Op>();
  static_assert(operator_over<Op, working_type<T>>, "tally: the operator cannot be called with two values of the "
                                                    "accumulator's type");
}

/// The number of segments between offsets: one less than offsets, and none if there are no offsets.
template <class Offsets, class S>
std::size_t count_between(Offsets const& offsets, S const& last)
{
  static_assert(std::is_integral_v<std::iter_value_t<Offsets>>, "tally: offsets are integers");
  auto const count = static_cast<std::size_t>(last - offsets);
  return count == 0 ? 0 : count - 1;
}

}  // namespace tally::detail::segments
