#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"
#include "tally/detail/radix_sort/tuning.hpp"
#include "tally/for_each.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

/// A pass of a radix sort: how the keys of a block are counted by their digit, and moved. On a CPU; radix_teams.hpp is
/// for a GPU.
namespace tally::detail {

/// Where there are no values to go with the keys.
struct no_value {};

/// The digit of a key that a pass sorts by: bits [shift, shift + bits of mask).
template <class Key, class Order>
struct radix_digit {
  int shift;
  unsigned mask;

  TALLY_HD unsigned operator()(Key const& key) const
  {
    return static_cast<unsigned>(ordered_bits<Key, Order>{}(key) >> shift) & mask;
  }
};

/// What a pass reads and writes. `places[d * blocks + b]` is how many keys of block b have digit d, then where the
/// first of them goes.
template <class Key, class Value, class Order, class Index>
struct radix_pass {
  Key const* keys;
  Value const* values;
  Key* sorted_keys;
  Value* sorted_values;
  Index* places;
  std::size_t block;
  std::size_t blocks;
  radix_digit<Key, Order> digit;

  TALLY_HD void move(std::size_t from, std::size_t to, Key const& key) const
  {
    sorted_keys[to] = key;
    if constexpr (!std::is_same_v<Value, no_value>) sorted_values[to] = values[from];
  }
};

/// On a CPU: digits of 8 bits, whose 256 places stay in the first level of the cache.
struct tabulated_digits {
  static constexpr int digit_bits = 8;
  static constexpr unsigned digits = 1u << digit_bits;

  static std::size_t block(std::size_t n)
  {
    auto const& sizes = radix_sort::tuning_in_use;
    std::size_t const share = n / sizes.blocks;
    took(share < sizes.least_block  ? "radix sort: blocks of the least size"
         : share > sizes.most_block ? "radix sort: blocks of the greatest size"
                                    : "radix sort: blocks by the size");
    return share < sizes.least_block ? sizes.least_block : share > sizes.most_block ? sizes.most_block : share;
  }

  /// What n keys have, in the bits of `mask`.
  template <class Order, class P, class Key>
  static auto seen(P const& on, seen_in_block<Key, Order> const& keys, std::size_t n)
  {
    constexpr std::size_t block = 4096;
    auto const of_block = [keys, n](std::size_t b) {
      std::size_t const begin = b * block;
      return keys(begin, n - begin < block ? n : begin + block);
    };
    auto const seen = elements_from(of_block, block * sizeof(Key));
    return tally::reduce(on, seen, seen + static_cast<std::ptrdiff_t>(n / block + (n % block != 0)), keys.nothing(),
                         join_seen_bits{});
  }
  template <class P, class Pass>
  static void count(P const& on, std::size_t n, Pass const& pass)
  {
    tally::for_each_block(on, n, pass.block, count_block<Pass>{pass});
  }
  template <class P, class Pass>
  static void scatter(P const& on, std::size_t n, Pass const& pass)
  {
    tally::for_each_block(on, n, pass.block, scatter_block<Pass>{pass});
  }

private:
  template <class Pass>
  struct count_block {
    Pass pass;

    void operator()(std::size_t begin, std::size_t end) const
    {
      // Four tables: equal digits in a row would else wait for one another's counter.
      std::uint32_t seen[4][digits] = {};
      std::size_t k = begin;
      for (; k + 4 <= end; k += 4)
        for (std::size_t j = 0; j < 4; ++j) ++seen[j][pass.digit(pass.keys[k + j])];
      for (; k < end; ++k) ++seen[0][pass.digit(pass.keys[k])];
      for (unsigned d = 0; d <= pass.digit.mask; ++d)
        pass.places[d * pass.blocks + begin / pass.block] = seen[0][d] + seen[1][d] + seen[2][d] + seen[3][d];
    }
  };

  template <class Pass>
  struct scatter_block {
    Pass pass;

    void operator()(std::size_t begin, std::size_t end) const
    {
      std::size_t place[digits];
      for (unsigned d = 0; d <= pass.digit.mask; ++d) place[d] = pass.places[d * pass.blocks + begin / pass.block];
      for (std::size_t k = begin; k < end; ++k) {
        auto const key = pass.keys[k];
        pass.move(k, place[pass.digit(key)]++, key);
      }
    }
  };
};

}  // namespace tally::detail
