#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/detail/contract.hpp"
#include "tally/operators/traits.hpp"

namespace tally::detail::segments {

/// The checks that calls by key and by flag share. They reach elements by index, since several threads begin
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

}  // namespace tally::detail::segments
