#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// Inclusive scan of x[0, n) in place, n <= block.size(), any n: every thread adds up all inputs of its output.
///
/// Changes   sequential_scan.hpp: all threads work, and none uses a result of another. It takes as long, with n/2 times
///           the work.
/// Assumes   nothing of op: each output is bracketed from the left.
/// Work      n (n - 1) / 2 applications of op.
/// Steps     n - 1, those of the last thread, with 2 barriers: all threads have read before any of them writes.
struct one_thread_per_output {
  static constexpr char const* name = "one_thread_per_output";

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    auto sum = block.template registers<element_of<Shared>>();
    block.step([&](int t) {
      if (t >= n) return;
      sum[t] = x[0];
      for (int k = 1; k <= t; ++k) sum[t] = op(sum[t], x[k]);
    });
    block.step([&](int t) {
      if (t < n) x[t] = sum[t];
    });
  }
};

}  // namespace tally::textbook
