#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// Sklansky (1960), divide and conquer: inclusive scan of x[0, n) in place, n <= 2 block.size(), any n. Two scanned
/// halves of s elements become one of 2s: the upper half takes in the last of the lower.
///
/// Changes   hillis_steele.hpp: half of the operations in as many steps. What is read is not written in the same step,
///           so one barrier a stride is enough. The price is fan-out: one element goes to s others, which a broadcast
///           gives away free in a warp, and a wire of an adder does not.
/// Assumes   op is associative.
/// Work      n/2 log2(n) applications of op where n is a power of two; as many as the numbers below n have binary ones
///           for any n.
/// Steps     ceil(log2 n), with as many barriers.
struct sklansky {
  static constexpr char const* name = "sklansky";
  static constexpr int elements_a_thread = 2;

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    for (int s = 1; s < n; s *= 2) {
      block.step([&](int t) {
        int const half = 2 * s * (t / s) + s;  // where the upper one begins
        int const k = half + t % s;
        if (k < n) x[k] = op(x[half - 1], x[k]);
      });
    }
  }
};

}  // namespace tally::textbook
