#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"

/// One pass of a radix sort: keys are counted by block and digit, the counts are scanned, and keys are moved.
namespace tally::detail::radix_sort {

/// The type of the values of a sort that moves keys only.
struct no_value {};

/// A digit has 8 bits. The 256 places of a block stay in the first level of a CPU's cache, and a GPU's shared memory
/// has room for 256 counts of each row of threads.
inline constexpr int digit_bits = 8;
inline constexpr unsigned digits = 1u << digit_bits;

/// Gives the digit of a key that a pass sorts by: as many bits as `mask` has, from bit `shift` on.
template <class Key, class Order>
struct digit_of_key {
  int shift;
  unsigned mask;

  TALLY_HD unsigned operator()(Key const& key) const
  {
    return static_cast<unsigned>(ordered_bits<Key, Order>{}(key) >> shift) & mask;
  }
};

/// The arrays that a pass reads and writes. `places[d * blocks + b]` is first the number of keys of block b with digit
/// d, then the place of the first of them in the output.
template <class Key, class Value, class Order, class Index>
struct pass {
  using key_type = Key;
  using value_type = Value;
  using index_type = Index;

  Key const* keys;
  Value const* values;
  Key* sorted_keys;
  Value* sorted_values;
  Index* places;
  std::size_t block;
  std::size_t blocks;
  digit_of_key<Key, Order> digit;

  TALLY_HD void move(std::size_t from, std::size_t to, Key const& key) const
  {
    sorted_keys[to] = key;
    if constexpr (!std::is_same_v<Value, no_value>) sorted_values[to] = values[from];
  }
};

}  // namespace tally::detail::radix_sort
