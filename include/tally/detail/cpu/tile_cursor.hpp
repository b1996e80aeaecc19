#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "tally/detail/row_order.hpp"
#include "tally/order.hpp"

namespace tally::cpu_backend {

/// The order of docs/order.md one element at a time, within a tile.
///
/// A Kogge-Stone step at stride s needs the value that the step before it gave s groups earlier. So the last s values
/// of each step are kept, 31 in all. The functions of row_order.hpp cannot be used: they take a row whole, and here
/// each element's result is due when it comes.
/// Cost  2 applications an element, and 5 more a group; 1 if the operator is exactly associative. Memory: some 40
/// values.
template <class T, class Op>
class tile_cursor {
public:
  using working = working_type<T>;

  /// Elements taken so far: 0 to order::tile<T>.
  std::size_t size() const { return size_; }
  /// The tile-local value of the last element taken.
  std::optional<working> const& local() const { return local_; }

  working const& push(working const& value, Op& op)
  {
    if constexpr (exactly_associative<Op, T>) {
      local_ = order::combine(local_, std::optional<working>(value), op);
    } else {
      constexpr std::size_t group = order::group<T>;
      std::size_t const in_row = size_ % order::row<T>;
      if (in_row == 0) begin_row(op);
      if (in_row % group == 0) {
        before_group_ = order::combine(base_, groups_before_, op);
        prefix_.reset();
      }
      prefix_ = order::combine(prefix_, std::optional<working>(value), op);
      local_ = order::combine(before_group_, prefix_, op);
      if (in_row % group == group - 1) end_group(in_row / group, op);
    }
    ++size_;
    return *local_;
  }

private:
  void begin_row(Op& op)
  {
    if (size_ != 0) before_.push_row(*groups_before_, op);
    base_ = before_.base(op);
    groups_before_.reset();
  }

  // The five steps for group g. Step i keeps its last 2^i inputs in the ring that begins at 2^i - 1.
  void end_group(std::size_t g, Op& op)
  {
    std::optional<working> value = prefix_;
    for (std::size_t stride = 1; stride < order::row_groups; stride *= 2) {
      std::optional<working>& slot = earlier_[stride - 1 + g % stride];
      std::optional<working> const input = value;
      if (g >= stride) value = order::combine(slot, value, op);
      slot = input;
    }
    groups_before_ = value;
  }

  order::tile_prefix<working, Op> before_;
  std::array<std::optional<working>, order::row_groups - 1> earlier_;
  std::optional<working> base_;
  std::optional<working> groups_before_;  // the scan of the row's group totals so far
  std::optional<working> before_group_;
  std::optional<working> prefix_;  // the group's elements so far
  std::optional<working> local_;
  std::size_t size_ = 0;
};

}  // namespace tally::cpu_backend
