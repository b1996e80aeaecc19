#pragma once

#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/sequential_addressing_reduction.hpp"

namespace tally::textbook {

/// A part of the total of in[0, n) to out[block], for every block of the grid: a thread adds up every element that is a
/// whole number of grids from its own. A thread has `Elements` of them at most.
///
/// Changes   consecutive elements a thread: here consecutive lanes read consecutive elements, whole sectors, and the
///           grid can have any size.
/// Assumes   op is associative and commutative. It refuses an operator that does not say so. At least as many elements
///           as threads in all blocks but the last.
/// Work      n - 1 applications of op, over all launches.
/// Steps     ceil(n / threads of the grid) - 1 + ceil(log2(threads of a block)), with a barrier for the load and each
///           of the tree's.
/// Source    Harris (2007), number 7.
template <int Elements = 8>
struct grid_stride_reduction {
  static constexpr char const* name = "grid_stride_reduction";
  static constexpr int elements_a_thread = Elements;
  static constexpr bool needs_commutative = true;

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    using E = element_of<In>;
    static_assert(commutative<Op, E>,
                  "tally: a grid stride takes operands out of order: the operator must be commutative");
    int const begin = block.index() * block.size(), grid = block.count() * block.size();
    int const working = n - begin < block.size() ? n - begin : block.size();
    auto x = block.template shared<E>(block.size(), "x");
    block.step([&](int t) {
      if (t >= working) return;
      E sum = in[begin + t];
      for (int k = begin + t + grid; k < n; k += grid) sum = op(sum, in[k]);
      x[t] = sum;
    });
    sequential_addressing_reduction{}(block, x, working, op);
    block.each([&](int t) {
      if (t == 0) out[block.index()] = x[0];
    });
  }
};

}  // namespace tally::textbook
