#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. Before the first section there is nothing; where that nothing is 0, it is an element like any
/// other for max and min.
///
/// Source    Reeves, AMS 148, chapter 5, larger arrays, which says that block 0 needs no update for a sum, but for max
///           and min.
/// Right     scan_scan_add.hpp, add_to_sections: section 0 is left alone, whatever the operator.
struct update_block_zero {
  static constexpr char const* name = "update_block_zero";

  template <block Block, class Array, class Op>
  void operator()(Block const& block, Array out, Array sums, int n, Op op) const
  {
    using E = element_of<Array>;
    block.step([&](int t) {
      int const b = block.index(), k = b * block.size() + t;
      E const before = b == 0 ? E(0) : E(sums[b - 1]);
      if (k < n) out[k] = op(before, out[k]);
    });
  }
};

}  // namespace tally::textbook::exhibits
