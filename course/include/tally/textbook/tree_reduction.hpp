#pragma once

#include <cstddef>

#include "tally/textbook/on_one_block.hpp"

namespace tally::textbook {

/// One step of a reduction tree: out[k] = in[2k] + in[2k+1] for k in [0, n/2). An element with no neighbour is copied.
struct tree_step {
  static constexpr char const* name = "tree_step";
  static constexpr int elements_a_thread = 2;

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    block.each([&](int t) {
      int const k = block.index() * block.size() + t;
      if (2 * k + 1 < n)
        out[k] = op(in[2 * k], in[2 * k + 1]);
      else if (2 * k < n)
        out[k] = in[2 * k];
    });
  }
};

/// The tree over an array in global memory, any n >= 1: each step is a launch, and halves the number of elements.
///
/// Changes   one thread for all elements: here all pairs of a step are added at once.
/// Assumes   op is associative. Launches run one after the other, so none needs a barrier.
/// Work      n - 1 applications of op.
/// Steps     ceil(log2 n), in as many launches (one where n is 1). The first has n/2 additions for as many processors,
///           the last has one.
/// Source    Hillis & Steele (1986), the sum of an array; Kirk & Hwu (2010), who describe it as a tournament
///           (tournament.hpp).
template <int Threads = 256>
struct tree_reduction {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    if (n <= 2) {
      device.launch(1, warp_lanes, tree_step{}, in, out, n, op);
      return;
    }
    int const half = divide_up(n, 2);
    auto const sums = device.template allocate<element_of<In>>(static_cast<std::size_t>(half), "sums");
    device.launch(divide_up(half, Threads), Threads, tree_step{}, in, sums, n, op);
    (*this)(device, sums, out, half, op);
  }
};

}  // namespace tally::textbook
