#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sorting/order_key.hpp"

namespace tally::cli {

/// Values in ascending order, to which some are added and from which some are taken: blocks of up to 512 values.
///
/// Cost  n values have n/512 to n/256 blocks. Each call passes over the sizes of the blocks, and moves half a block at
///       most: some 3 us with a million values.
template <class T>
class ordered_values {
public:
  std::size_t size() const { return size_; }

  void add(T value)
  {
    ++size_;
    if (blocks_.empty()) {
      blocks_.push_back({value});
      return;
    }
    std::size_t const b = block_of(value);
    std::vector<T>& block = blocks_[b];
    block.insert(place_in(block, value), value);
    if (block.size() < most) return;
    std::vector<T> upper(block.begin() + most / 2, block.end());
    block.resize(most / 2);
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(b) + 1, std::move(upper));
  }

  /// Requires: `value` was added.
  void take(T value)
  {
    --size_;
    std::size_t const b = block_of(value);
    std::vector<T>& block = blocks_[b];
    block.erase(place_in(block, value));
    if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
  }

  /// The value at a place, from 0.
  T operator[](std::size_t place) const
  {
    std::size_t b = 0;
    for (; place >= blocks_[b].size(); ++b) place -= blocks_[b].size();
    return blocks_[b][place];
  }

  void clear()
  {
    blocks_.clear();
    size_ = 0;
  }

private:
  static constexpr std::size_t most = 512;

  static bool less(T a, T b) { return key_of(a) < key_of(b); }

  /// The first block whose last value is not less, or the last block.
  std::size_t block_of(T value) const
  {
    auto const found = std::partition_point(blocks_.begin(), blocks_.end(),
                                            [&](auto const& each) { return less(each.back(), value); });
    return std::min<std::size_t>(static_cast<std::size_t>(found - blocks_.begin()), blocks_.size() - 1);
  }

  static auto place_in(std::vector<T>& block, T value)
  {
    return std::partition_point(block.begin(), block.end(), [&](T each) { return less(each, value); });
  }

  std::vector<std::vector<T>> blocks_;  // none is empty
  std::size_t size_ = 0;
};

}  // namespace tally::cli
