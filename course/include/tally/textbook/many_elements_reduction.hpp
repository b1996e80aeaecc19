#pragma once

#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/on_one_block.hpp"

namespace tally::textbook {

/// The total of each section of in[0, n) to out[block], a section having `Elements` elements a thread, eight if nothing
/// else is said. A thread adds up its consecutive elements before the tree begins.
///
/// Changes   two elements a thread: here most of the work is done without a barrier, and a tree needs an eighth of the
///           threads. With log2(n) elements a thread n / log2(n) threads take 2 log2(n) steps: work and depth of the
///           best (Brent 1974).
/// Assumes   op is associative. It need not be commutative: elements are consecutive. For that the lanes of a warp read
///           eight elements apart, and every request touches as many sectors as it has lanes; only a cache makes up for
///           it (grid_stride_reduction.hpp reads whole sectors).
/// Work      n - 1 applications of op.
/// Steps     min(n, 8) - 1 + ceil(log2(n / 8)) with eight elements a thread, and a barrier for the load and each of the
///           tree's.
/// Source    Harris (2007), number 7; Brent (1974).
template <int Elements = 8>
struct many_elements_reduction {
  static constexpr char const* name = "many_elements_reduction";
  static constexpr int elements_a_thread = Elements;

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    using E = element_of<In>;
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const end = n - begin < section ? n : begin + section;
    auto x = block.template shared<E>(block.size(), "x");
    block.step([&](int t) {
      int const first = begin + t * elements_a_thread;
      if (first >= end) return;
      E sum = in[first];
      for (int k = first + 1; k < first + elements_a_thread && k < end; ++k) sum = op(sum, in[k]);
      x[t] = sum;
    });
    in_order_reduction{}(block, x, divide_up(end - begin, elements_a_thread), op);
    block.each([&](int t) {
      if (t == 0) out[block.index()] = x[0];
    });
  }
};

}  // namespace tally::textbook
