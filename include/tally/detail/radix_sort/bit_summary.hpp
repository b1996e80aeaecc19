#pragma once

#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"

/// The reduction before the first pass: it finds the bits in which keys differ, and whether there is anything to sort.
namespace tally::detail::radix_sort {

/// The bits that all keys have and the bits that any key has. Keys differ in the bits in which these two differ.
template <class Bits>
struct bit_summary {
  Bits all;
  Bits any;
  bool disorder;  ///< some key comes before its predecessor in the input
};

struct combine_summaries {
  static constexpr bool exactly_associative = true;
  static constexpr bool commutative = true;

  template <class Bits>
  TALLY_HD constexpr bit_summary<Bits> operator()(bit_summary<Bits> const& a, bit_summary<Bits> const& b) const
  {
    return {static_cast<Bits>(a.all & b.all), static_cast<Bits>(a.any | b.any), a.disorder || b.disorder};
  }
};

/// Summarises keys by the bits of `mask`.
template <class Key, class Order>
struct summarise_keys {
  using bits = typename ordered_bits<Key, Order>::bits;

  Key const* keys;
  bits mask;

  /// The summary of no keys.
  TALLY_HD static bit_summary<bits> identity() { return {static_cast<bits>(~bits{0}), 0, false}; }

  /// The summary of key k, compared with its predecessor.
  TALLY_HD bit_summary<bits> of_key(std::size_t k) const
  {
    bits const x = masked(k);
    return {x, x, x < masked(k == 0 ? 0 : k - 1)};
  }
  /// The summary of keys [begin, end).
  TALLY_HD bit_summary<bits> operator()(std::size_t begin, std::size_t end) const
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

}  // namespace tally::detail::radix_sort
