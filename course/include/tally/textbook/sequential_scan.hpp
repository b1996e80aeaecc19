#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// One thread scans x[0, n) in place, the others wait: any n. The oracle of the others.
///
/// Assumes   nothing of op: every sum is bracketed from the left.
/// Work      n - 1 applications of op, the least there is.
/// Steps     n - 1, with one barrier.
struct sequential_scan {
  static constexpr char const* name = "sequential_scan";

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    block.step([&](int t) {
      if (t != 0) return;
      element_of<Shared> sum = x[0];
      for (int k = 1; k < n; ++k) {
        sum = op(sum, x[k]);
        x[k] = sum;
      }
    });
  }
};

}  // namespace tally::textbook
