#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/affine.hpp"

/// The steps of a first-order recurrence as maps of the state.
namespace tally::detail::recurrence {

/// `later` after `earlier`, where neither is the identity: `compose` without its case of an offset that adds nothing.
template <class T>
TALLY_HD affine<T> composed(affine<T> const& earlier, affine<T> const& later)
{
  return {elementary::rounded_product(later.scale, earlier.scale),
          static_cast<T>(plus{}(elementary::rounded_product(later.scale, earlier.offset), later.offset))};
}

/// The element that step k of n takes: in the order of the array, or from its end.
struct forward_in_time {
  static TALLY_HD std::size_t element(std::size_t k, std::size_t) { return k; }
};
struct backward_in_time {
  static TALLY_HD std::size_t element(std::size_t k, std::size_t n) { return n - 1 - k; }
};

/// Step k as a map.
template <class T, class A, class B, class Time>
struct step_maps {
  A a;
  B b;
  std::size_t size;

  TALLY_HD_AS_GIVEN
  TALLY_HD affine<T> operator()(std::size_t k) const
  {
    auto const at = static_cast<std::iter_difference_t<A>>(Time::element(k, size));
    return {static_cast<T>(a[at]), static_cast<T>(b[static_cast<std::iter_difference_t<B>>(at)])};
  }
};

template <class A, class B, class Out, class T>
constexpr void check()
{
  static_assert(std::random_access_iterator<A> && std::random_access_iterator<B> && std::random_access_iterator<Out>,
                "tally: a recurrence takes random-access iterators: its blocks are reached by index");
  static_assert(!(std::is_integral_v<T> &&
                  (std::is_floating_point_v<std::iter_value_t<A>> || std::is_floating_point_v<std::iter_value_t<B>>)),
                "tally: an integer initial state would truncate every state of a recurrence with floating-point "
                "coefficients. Write it as 0.0");
  static_assert(operator_over<compose, affine<T>>,
                "tally: a recurrence needs a sum and a product of states: the initial state's type has none");
  static_assert(has_identity<compose, affine<T>>, "tally: a recurrence needs a state's type that has a one, T(1)");
}

}  // namespace tally::detail::recurrence
