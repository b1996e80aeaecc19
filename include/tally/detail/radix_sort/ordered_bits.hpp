#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/sorting/orders.hpp"
#include "tally/operators/arithmetic.hpp"

/// Numbers as unsigned integers of the same order: what a radix sort takes digits of.
namespace tally::detail {

template <std::size_t Bytes>
using unsigned_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// A number of 1, 2, 4 or 8 bytes: integers, bool, characters, and IEEE 754's binary formats.
template <class T>
inline constexpr bool has_ordered_bits =
    is_number<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

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
      // Negative numbers are ordered by their magnitude backwards.
      x = static_cast<bits>((x & sign) != 0 ? ~x : x | sign);
    } else if constexpr (std::is_signed_v<T>) {
      x = static_cast<bits>(x ^ sign);
    }
    if constexpr (descends<Order, T>) x = static_cast<bits>(~x);
    return x;
  }
};

/// The bits that all keys have, and those that any has: where the two differ, keys differ. And whether some key comes
/// before the one in front of it.
template <class Bits>
struct seen_bits {
  Bits all;
  Bits any;
  bool disorder;
};

struct join_seen_bits {
  static constexpr bool exactly_associative = true;
  static constexpr bool commutative = true;

  template <class Bits>
  TALLY_HD constexpr seen_bits<Bits> operator()(seen_bits<Bits> const& a, seen_bits<Bits> const& b) const
  {
    return {static_cast<Bits>(a.all & b.all), static_cast<Bits>(a.any | b.any), a.disorder || b.disorder};
  }
};

/// What a block of keys has, in the bits of `mask`.
template <class Key, class Order>
struct seen_in_block {
  using bits = typename ordered_bits<Key, Order>::bits;

  Key const* keys;
  bits mask;

  TALLY_HD static seen_bits<bits> nothing() { return {static_cast<bits>(~bits{0}), 0, false}; }

  /// Of key k, beside the one before it.
  TALLY_HD seen_bits<bits> of(std::size_t k) const
  {
    bits const x = masked(k);
    return {x, x, x < masked(k == 0 ? 0 : k - 1)};
  }
  TALLY_HD seen_bits<bits> operator()(std::size_t begin, std::size_t end) const
  {
    bits before = masked(begin == 0 ? 0 : begin - 1);
    bits all = static_cast<bits>(~bits{0}), any = 0;
    unsigned disorder = 0;
    for (std::size_t k = begin; k < end; ++k) {
      bits const x = masked(k);
      all = static_cast<bits>(all & x);
      any = static_cast<bits>(any | x);
      disorder |= static_cast<unsigned>(x < before);
      before = x;
    }
    return {all, any, disorder != 0};
  }

private:
  TALLY_HD bits masked(std::size_t k) const { return static_cast<bits>(ordered_bits<Key, Order>{}(keys[k]) & mask); }
};

}  // namespace tally::detail
