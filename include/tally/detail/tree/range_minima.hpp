#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tally/for_each.hpp"

namespace tally::detail::tree {

/// Minima over ranges of an array, each in constant time. The array is divided into blocks of 16 values; a table has
/// the minima of 1, 2, 4, ... blocks from each block on. A range is two parts of blocks and at most two overlapping
/// entries of one row of the table.
class range_minima {
public:
  using value = std::uint32_t;

  /// The array of value_of(0), ..., value_of(n - 1).
  template <class P, class ValueOf>
  range_minima(P const& on, std::size_t n, ValueOf const& value_of) : blocks_((n + block - 1) / block)
  {
    std::size_t const blocks = blocks_;
    std::size_t const levels = blocks == 0 ? 0 : static_cast<std::size_t>(std::bit_width(blocks));
    values_ = std::make_unique_for_overwrite<value[]>(n);
    minima_ = std::make_unique_for_overwrite<value[]>(levels * blocks);
    value* const values = values_.get();
    value* const least = minima_.get();
    tally::for_each_index(on, n, [=](std::size_t k) { values[k] = value_of(k); });
    tally::for_each_block(on, n, block, [=](std::size_t begin, std::size_t end) {
      least[begin / block] = least_of(values + begin, values + end);
    });
    for (std::size_t level = 1; level < levels; ++level) {
      value const* const below = least + (level - 1) * blocks;
      std::size_t const stride = std::size_t{1} << (level - 1);
      tally::for_each_index(on, blocks, [=, to = least + level * blocks](std::size_t b) {
        to[b] = b + stride < blocks && below[b + stride] < below[b] ? below[b + stride] : below[b];
      });
    }
  }

  /// The least of the values first, ..., last.
  value operator()(std::size_t first, std::size_t last) const
  {
    value const* const values = values_.get();
    std::size_t const begin = first / block + 1, end = last / block;  // whole blocks
    if (begin > end) return least_of(values + first, values + last + 1);
    value least = least_of(values + first, values + begin * block);
    value const right = least_of(values + end * block, values + last + 1);
    least = right < least ? right : least;
    if (begin == end) return least;
    std::size_t const level = static_cast<std::size_t>(std::bit_width(end - begin)) - 1;
    value const* const row = minima_.get() + level * blocks_;
    value const one = row[begin], other = row[end - (std::size_t{1} << level)];
    least = one < least ? one : least;
    return other < least ? other : least;
  }

private:
  static constexpr std::size_t block = 16;

  static value least_of(value const* begin, value const* end)
  {
    value least = *begin;
    for (; begin != end; ++begin) least = *begin < least ? *begin : least;
    return least;
  }

  std::size_t blocks_;
  std::unique_ptr<value[]> values_;
  std::unique_ptr<value[]> minima_;  // row l: of 2^l blocks, from each block on
};

}  // namespace tally::detail::tree
