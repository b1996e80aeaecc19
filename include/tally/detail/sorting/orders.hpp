#pragma once

#include <functional>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"

/// The orders that the standard library names.
namespace tally::detail::sorting {

template <class Order, class T>
inline constexpr bool ascends = std::is_same_v<Order, std::less<>> || std::is_same_v<Order, std::less<T>> ||
                                std::is_same_v<Order, std::ranges::less>;
template <class Order, class T>
inline constexpr bool descends = std::is_same_v<Order, std::greater<>> || std::is_same_v<Order, std::greater<T>> ||
                                 std::is_same_v<Order, std::ranges::greater>;

/// std::less as a GPU can call it, with the total order of a radix sort for floating-point numbers: NaNs, all
/// equivalent, come last, and -0.0 before +0.0. (`<` alone makes a NaN equivalent to every number, which is no weak
/// order: a sort would stop at keys that are not sorted.)
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
/// The reverse of `ascending`, except that NaNs come last here too.
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

/// `order` as a GPU can call it: one of the two above if the standard library names it, else the caller's own.
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

}  // namespace tally::detail::sorting
