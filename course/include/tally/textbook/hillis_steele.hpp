#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// Hillis & Steele (1986): inclusive scan of x[0, n) in place, n <= block.size(), any n. In each step every element
/// takes in the one s before it, and s doubles.
///
/// Changes   one_thread_per_output.hpp: sums of 2, 4, 8 elements are shared, instead of added up by every thread anew.
/// Assumes   op is associative. All threads read before any of them writes: two barriers a stride.
/// Work      n log2(n) - (n - 1) applications of op where n is a power of two; sum over s = 1, 2, 4 .. < n of n - s for
///           any n.
/// Steps     ceil(log2 n), with 2 ceil(log2 n) barriers. Each stride counts as two warp-steps of every warp, one to
///           read and one to write: 578 for 1024 elements.
struct hillis_steele {
  static constexpr char const* name = "hillis_steele";

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    auto left = block.template registers<element_of<Shared>>();
    for (int s = 1; s < n; s *= 2) {
      block.step([&](int t) {
        if (s <= t && t < n) left[t] = x[t - s];
      });
      block.step([&](int t) {
        if (s <= t && t < n) x[t] = op(left[t], x[t]);
      });
    }
  }
};

}  // namespace tally::textbook
