#pragma once

#include "tally/operators/traits.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// The total of x[0, n) to x[0], n <= 2 * block.size(), any n. The first s threads add the element s further on to
/// their own, and s halves.
///
/// Changes   `t % s == 0`: here the threads that work are consecutive, and so are their elements. Whole warps retire,
///           and no two lanes meet in a bank.
/// Assumes   op is associative and commutative: x[0] takes in x[s], then x[s/2] + x[s + s/2]. It refuses an operator
///           that does not say so.
/// Work      n - 1 applications of op.
/// Steps     ceil(log2 n), with as many barriers. Only the last five diverge: 68 warp-steps for 2048 elements, 204
///           wavefronts, no conflicts.
/// Source    Kirk & Hwu (2010), the better kernel; Harris (2007), number 3.
struct sequential_addressing_reduction {
  static constexpr char const* name = "sequential_addressing_reduction";
  static constexpr int elements_a_thread = 2;
  static constexpr bool needs_commutative = true;

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    static_assert(commutative<Op, element_of<Shared>>,
                  "tally: sequential addressing takes operands out of order: the operator must be commutative");
    for (int s = power_of_two_from(n) / 2; s > 0; s /= 2) {
      block.step([&](int t) {
        if (t < s && t + s < n) x[t] = op(x[t], x[t + s]);
      });
    }
  }
};

}  // namespace tally::textbook
