#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/sorting/orders.hpp"
#include "tally/operators/arithmetic.hpp"

namespace tally::detail::radix_sort {

template <std::size_t Bytes>
using unsigned_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Whether T is a number of 1, 2, 4 or 8 bytes: an integer, bool, a character, or one of IEEE 754's binary formats.
template <class T>
inline constexpr bool has_ordered_bits =
    is_number<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

/// Maps a number to an unsigned integer of the same order, whose digits a radix sort takes:
/// `ordered_bits<T, Order>{}(a) < ordered_bits<T, Order>{}(b)` where a comes before b. -0.0 is less than +0.0, as for
/// `minimum`; NaNs, all equal, come last in either order.
template <class T, class Order>
struct ordered_bits {
  using bits = unsigned_of_size<sizeof(T)>;
  static constexpr int width = 8 * static_cast<int>(sizeof(T));

  TALLY_HD constexpr bits operator()(T const& value) const
  {
    constexpr auto sign = static_cast<bits>(bits{1} << (width - 1));
    auto x = __builtin_bit_cast(bits, value);
    if constexpr (is_floating<T>) {
      constexpr auto infinity = __builtin_bit_cast(bits, greatest<T>);
      if ((x & static_cast<bits>(~sign)) > infinity) return static_cast<bits>(~bits{0});
      // The greater the magnitude of a negative number is, the earlier it comes.
      x = static_cast<bits>((x & sign) != 0 ? ~x : x | sign);
    } else if constexpr (std::is_signed_v<T>) {
      x = static_cast<bits>(x ^ sign);
    }
    if constexpr (sorting::descends<Order, T>) x = static_cast<bits>(~x);
    return x;
  }
};

/// Returns a number behind which none comes in the order.
template <class T, class Order>
TALLY_HD constexpr T last_in_order()
{
  using bits = typename ordered_bits<T, Order>::bits;
  constexpr bool descends = sorting::descends<Order, T>;
  constexpr auto every = static_cast<bits>(~bits{0});
  if constexpr (std::is_same_v<T, bool>) {
    return !descends;
  } else if constexpr (is_floating<T>) {
    return __builtin_bit_cast(T, every);  // a NaN
  } else {
    constexpr auto sign = static_cast<bits>(bits{1} << (ordered_bits<T, Order>::width - 1));
    constexpr bits greatest_bits = std::is_signed_v<T> ? static_cast<bits>(every ^ sign) : every;
    return __builtin_bit_cast(T, descends ? static_cast<bits>(~greatest_bits) : greatest_bits);
  }
}

}  // namespace tally::detail::radix_sort
