#pragma once

#include "tally/textbook/sequential_addressing_reduction.hpp"

namespace tally::textbook {

/// The total of each section of in[0, n) to out[block], a section having two elements a thread. A thread adds its two
/// when it loads them.
///
/// Changes   a copy to shared memory before the first addition: here shared memory takes half as many elements, and the
///           widest step happens in registers.
/// Assumes   op is associative and commutative: element t is added to that half a section further on.
/// Work      n - 1 applications of op.
/// Steps     ceil(log2 n), with a barrier each.
/// Source    Harris (2007), number 4.
struct first_add_on_load_reduction {
  static constexpr char const* name = "first_add_on_load_reduction";
  static constexpr int elements_a_thread = 2;
  static constexpr bool needs_commutative = true;

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const own = n - begin < section ? n - begin : section, half = divide_up(own, 2);
    auto x = block.template shared<element_of<In>>(block.size(), "x");
    block.step([&](int t) {
      if (t + half < own)
        x[t] = op(in[begin + t], in[begin + t + half]);
      else if (t < half)
        x[t] = in[begin + t];
    });
    sequential_addressing_reduction{}(block, x, half, op);
    block.each([&](int t) {
      if (t == 0) out[block.index()] = x[0];
    });
  }
};

}  // namespace tally::textbook
