#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "sorting/order_key.hpp"

namespace tally::cli {

/// Values in ascending order, to which some are added and from which some are taken: blocks of values on shelves.
///
/// Cost  A block has fewer than `most_values`, a shelf fewer than `most_blocks`. Each call passes over the sizes of the
///       shelves and of the blocks of one of them, and moves a block at most.
template <class T, std::size_t most_values = 512, std::size_t most_blocks = 128>
class ordered_values {
public:
  std::size_t size() const { return size_; }

  void add(T value)
  {
    ++size_;
    if (shelves_.empty()) {
      shelves_.push_back({1, {std::vector<T>(1, value)}});
      return;
    }
    std::size_t const s = shelf_of(value);
    shelf& on = shelves_[s];
    ++on.size;
    std::size_t const b = on.block_of(value);
    std::vector<T>& block = on.blocks[b];
    block.insert(place_in(block, value), value);
    if (block.size() < most_values) return;
    on.blocks.insert(on.blocks.begin() + static_cast<std::ptrdiff_t>(b) + 1, upper_half(block));
    if (on.blocks.size() < most_blocks) return;
    shelf next{0, upper_half(on.blocks)};
    for (std::vector<T> const& each : next.blocks) next.size += each.size();
    on.size -= next.size;
    shelves_.insert(shelves_.begin() + static_cast<std::ptrdiff_t>(s) + 1, std::move(next));
  }

  /// Requires: `value` was added.
  void take(T value)
  {
    --size_;
    std::size_t const s = shelf_of(value);
    shelf& on = shelves_[s];
    --on.size;
    std::size_t const b = on.block_of(value);
    std::vector<T>& block = on.blocks[b];
    block.erase(place_in(block, value));
    if (!block.empty()) return;
    on.blocks.erase(on.blocks.begin() + static_cast<std::ptrdiff_t>(b));
    if (on.blocks.empty()) shelves_.erase(shelves_.begin() + static_cast<std::ptrdiff_t>(s));
  }

  /// The value at a place, from 0.
  T operator[](std::size_t place) const
  {
    std::size_t s = 0;
    for (; place >= shelves_[s].size; ++s) place -= shelves_[s].size;
    std::vector<std::vector<T>> const& blocks = shelves_[s].blocks;
    std::size_t b = 0;
    for (; place >= blocks[b].size(); ++b) place -= blocks[b].size();
    return blocks[b][place];
  }

  void clear()
  {
    shelves_.clear();
    size_ = 0;
  }

private:
  static bool less(T a, T b) { return key_of(a) < key_of(b); }

  struct shelf {
    std::size_t size;                    // values
    std::vector<std::vector<T>> blocks;  // none is empty

    T last() const { return blocks.back().back(); }
    /// The first block whose last value is not less, or the last block.
    std::size_t block_of(T value) const
    {
      return first_of(blocks, [&](std::vector<T> const& each) { return less(each.back(), value); });
    }
  };

  /// The first shelf whose last value is not less, or the last shelf.
  std::size_t shelf_of(T value) const
  {
    return first_of(shelves_, [&](shelf const& each) { return less(each.last(), value); });
  }

  /// The place of the first of `all` that is not less, or of the last of them.
  template <class All, class Less>
  static std::size_t first_of(All const& all, Less is_less)
  {
    auto const found = std::partition_point(all.begin(), all.end(), is_less);
    return std::min<std::size_t>(static_cast<std::size_t>(found - all.begin()), all.size() - 1);
  }

  static auto place_in(std::vector<T>& block, T value)
  {
    return std::partition_point(block.begin(), block.end(), [&](T each) { return less(each, value); });
  }

  /// Takes the upper half out of `all`.
  template <class U>
  static std::vector<U> upper_half(std::vector<U>& all)
  {
    auto const middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::vector<U> upper(std::make_move_iterator(middle), std::make_move_iterator(all.end()));
    all.erase(middle, all.end());
    return upper;
  }

  std::vector<shelf> shelves_;  // none is empty
  std::size_t size_ = 0;
};

}  // namespace tally::cli
