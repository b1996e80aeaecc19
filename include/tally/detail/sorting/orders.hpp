#pragma once

#include <functional>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"

/// The orders that the standard library names.
namespace tally::detail {

template <class Order, class T>
inline constexpr bool ascends = std::is_same_v<Order, std::less<>> || std::is_same_v<Order, std::less<T>> ||
                                std::is_same_v<Order, std::ranges::less>;
template <class Order, class T>
inline constexpr bool descends = std::is_same_v<Order, std::greater<>> || std::is_same_v<Order, std::greater<T>> ||
                                 std::is_same_v<Order, std::ranges::greater>;

/// The same, as a GPU can call them. Floating-point numbers are totally ordered, as a radix sort has them: NaNs, all
/// equal, come last in either order, and -0.0 is less than +0.0. (With `<` alone a NaN is equal to every number, which
/// is no order: a sort would stop at keys that are not sorted.)
struct ascending {
  template <class T>
  TALLY_HD constexpr bool operator()(T const& a, T const& b) const
  {
    if constexpr (is_floating<T>)
      return b != b ? a == a : a < b || (a == b && sign_bit(a) && !sign_bit(b));
    else
      return a < b;
  }
};
struct descending {
  template <class T>
  TALLY_HD constexpr bool operator()(T const& a, T const& b) const
  {
    if constexpr (is_floating<T>)
      return b != b ? a == a : a > b || (a == b && sign_bit(b) && !sign_bit(a));
    else
      return a > b;
  }
};
template <class T, class Order>
auto callable_order(Order const& order)
{
  if constexpr (ascends<Order, T>)
    return ascending{};
  else if constexpr (descends<Order, T>)
    return descending{};
  else
    return order;
}

}  // namespace tally::detail
