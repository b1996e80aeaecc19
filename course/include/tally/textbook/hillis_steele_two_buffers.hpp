#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// Hillis & Steele (1986), as Harris, Sengupta, Owens (2007) run it: inclusive scan of x[0, n) in place, n <=
/// block.size(), any n.
///
/// Changes   hillis_steele.hpp: each stride reads one array and writes another, so that one barrier a stride is enough.
///           It takes twice the memory, and elements with none s before them are copied.
/// Assumes   op is associative.
/// Work      n log2(n) - (n - 1) applications of op where n is a power of two; sum over s = 1, 2, 4 .. < n of n - s for
///           any n.
/// Steps     ceil(log2 n), with as many barriers where that is even, else one more: strides go in pairs, there and
///           back.
struct hillis_steele_two_buffers {
  static constexpr char const* name = "hillis_steele_two_buffers";

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    auto y = block.template shared<element_of<Shared>>(n, "y");
    for (int s = 1; s < n; s *= 4) {
      take_in(block, x, y, s, n, op);
      take_in(block, y, x, 2 * s, n, op);  // copies, where s was the last stride
    }
  }

private:
  template <block Block, class From, class To, class Op>
  TALLY_HD static void take_in(Block const& block, From from, To to, int s, int n, Op const& op)
  {
    block.step([&](int t) {
      if (t >= n) return;
      element_of<From> own = from[t];
      if (s <= t) own = op(from[t - s], own);
      to[t] = own;
    });
  }
};

}  // namespace tally::textbook
