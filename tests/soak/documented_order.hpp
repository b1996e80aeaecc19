#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "soak/loops.hpp"
#include "tally/operators/traits.hpp"

namespace tally::soak {

/// The order of docs/order.md as a loop over rows, faster than the obvious implementation of tests/order/reference.hpp.
/// It shares neither code nor sizes with the library.
template <class T, class Op, class Values>
class documented_order {
public:
  using working = working_type<T>;
  using carry = carry_type<Op, T>;

  documented_order(Values const& values, std::optional<T> const& init) : values_(values)
  {
    if (init) spans_ = static_cast<carry>(static_cast<working>(*init));
    if (init) last_ = static_cast<working>(*init);
  }
  /// Takes element k. Elements must come in order.
  void take(std::size_t k)
  {
    if (k % row == 0) next_row(k);
    before_ = last_;
    last_ = results_[k % row];
  }
  T inclusive() const { return static_cast<T>(last_); }
  T exclusive() const { return static_cast<T>(before_); }

private:
  static constexpr std::size_t group = 16 / sizeof(T);
  static constexpr std::size_t row = 32 * group;
  static constexpr std::size_t strip = 8 * row;
  static constexpr std::size_t tile = 8 * strip;

  template <class W>
  std::optional<W> add(std::optional<W> const& a, std::optional<W> const& b) const
  {
    if (!a || !b) return a ? a : b;
    return static_cast<W>(op_(*a, *b));
  }

  void next_row(std::size_t first)
  {
    if (first % tile == 0) next_tile(first);
    if (first % tile != 0 && first % strip == 0) {
      strips_ = add(strips_, rows_);
      rows_.reset();
    }
    std::size_t const size = std::min(row, values_.size - first);
    std::array<working, row> prefix{};
    std::array<working, 32> totals{};
    for (std::size_t k = 0; k < size; ++k) {
      auto const x = static_cast<working>(values_(first + k));
      prefix[k] = k % group == 0 ? x : static_cast<working>(op_(prefix[k - 1], x));
      totals[k / group] = prefix[k];
    }
    for (std::size_t stride = 1; stride < 32; stride *= 2)
      for (std::size_t g = 31; g >= stride; --g) totals[g] = static_cast<working>(op_(totals[g - stride], totals[g]));
    std::optional<working> const base = add(strips_, rows_);
    for (std::size_t k = 0; k < size; ++k) {
      std::optional<working> const groups = k < group ? std::nullopt : std::optional<working>(totals[k / group - 1]);
      local_ = *add(add(base, groups), std::optional<working>(prefix[k]));
      results_[k] = carry_ ? static_cast<working>(op_(*carry_, *local_)) : *local_;
    }
    rows_ = add(rows_, std::optional<working>(totals[31]));
  }

  void next_tile(std::size_t first)
  {
    if (first > 0) {
      tiles_ = add(tiles_, std::optional<carry>(static_cast<carry>(*local_)));
      if (first / tile % 32 == 0) {
        spans_ = add(spans_, tiles_);
        tiles_.reset();
      }
    }
    std::optional<carry> const before = add(spans_, tiles_);
    carry_.reset();
    if (before) carry_ = static_cast<working>(*before);
    strips_.reset();
    rows_.reset();
  }

  Values values_;
  loop<Op> op_;
  std::optional<carry> spans_, tiles_;
  std::optional<working> carry_, strips_, rows_, local_;
  std::array<working, row> results_{};
  working last_{}, before_{};
};

}  // namespace tally::soak
