#pragma once

#include <compare>
#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"

/// The comparison of two elements.
namespace tally::detail::compare {

/// `a == b`, as a GPU can call it.
struct same_elements {
  template <class A, class B>
  TALLY_HD constexpr bool operator()(A const& a, B const& b) const
  {
    return a == b;
  }
};

/// `order == 0` as a GPU can compute it: the standard library's comparison is a function of the host. Every standard
/// library represents `equal` and `equivalent`, and no other value, by a byte of 0.
template <class Ordering>
TALLY_HD constexpr bool is_equivalent(Ordering order)
{
  static_assert(sizeof(Ordering) == 1);
  return __builtin_bit_cast(signed char, order) == 0;
}

/// Whether neither of two elements comes before the other.
template <class Compare>
struct same_in_order {
  Compare compare;

  template <class A, class B>
  TALLY_HD constexpr bool operator()(A const& a, B const& b) const
  {
    // std::compare_three_way, the default, is a function of the host.
    if constexpr (std::is_same_v<Compare, std::compare_three_way>)
      return is_equivalent(a <=> b);
    else
      return is_equivalent(compare(a, b));
  }
};

/// Whether `Same` compares two scalars by their values.
template <class Same>
inline constexpr bool compares_values = false;
template <>
inline constexpr bool compares_values<same_elements> = true;
template <>
inline constexpr bool compares_values<std::equal_to<>> = true;
template <>
inline constexpr bool compares_values<std::ranges::equal_to> = true;
template <>
inline constexpr bool compares_values<same_in_order<std::compare_three_way>> = true;

/// The elements lie in memory and are equal where their bytes are, so that they can be compared as bytes.
template <class I1, class I2, class Same>
concept compared_as_bytes =
    std::contiguous_iterator<I1> && std::contiguous_iterator<I2> && compares_values<Same> &&
    std::same_as<std::iter_value_t<I1>, std::iter_value_t<I2>> && std::is_scalar_v<std::iter_value_t<I1>> &&
    std::has_unique_object_representations_v<std::iter_value_t<I1>>;

/// The requirements on two sequences and a predicate of their elements.
template <class I1, class I2, class Same>
constexpr void check()
{
  static_assert(std::random_access_iterator<I1> && std::random_access_iterator<I2>,
                "tally: comparing takes random-access iterators: blocks of both sequences are reached by index");
  static_assert(std::is_invocable_r_v<bool, Same&, std::iter_reference_t<I1>, std::iter_reference_t<I2>>,
                "tally: the elements of the two sequences cannot be compared");
}

}  // namespace tally::detail::compare
