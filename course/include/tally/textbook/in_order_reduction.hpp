#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// The total of x[0, n) to x[0], n <= 2 * block.size(), any n. The additions are those of `t % s`, but consecutive
/// threads do them.
///
/// Changes   `t < s` with operands out of order: here neighbours are added, as in the tree, and warps retire as early.
/// Assumes   op is associative. It need not be commutative.
/// Work      n - 1 applications of op.
/// Steps     ceil(log2 n), with as many barriers. Only the last five diverge. But the elements of consecutive threads
///           are 2s apart, so up to 32 lanes meet in a bank: 1149 wavefronts for 2048 elements, just as many as with `t
///           % s`.
/// Source    Harris (2007), number 2.
struct in_order_reduction {
  static constexpr char const* name = "in_order_reduction";
  static constexpr int elements_a_thread = 2;

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    // Before stride s, every k = 0 (mod s) holds the total of x[k, k + s), as far as there are elements.
    for (int s = 1; s < n; s *= 2) {
      block.step([&](int t) {
        int const k = 2 * s * t;
        if (k + s < n) x[k] = op(x[k], x[k + s]);
      });
    }
  }
};

}  // namespace tally::textbook
