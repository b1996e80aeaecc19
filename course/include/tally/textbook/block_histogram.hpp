#pragma once

#include "tally/textbook/atomic_histogram.hpp"

namespace tally::textbook {

/// Each block counts in a histogram of its own, in shared memory, and adds that to the one of all.
struct counts_of_blocks {
  static constexpr char const* name = "counts_of_blocks";

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, int bins, Op const& op) const
  {
    using E = element_of<Out>;
    auto x = block.template shared<E>(bins, "x");
    block.step([&](int t) {
      for (int bin = t; bin < bins; bin += block.size()) x[bin] = identity_of<E>(op);
    });
    block.step([&](int t) {
      for (int k = block.index() * block.size() + t; k < n; k += block.count() * block.size()) {
        int const bin = in[k];
        block.atomic_add(x, bin, 1);
      }
    });
    block.each([&](int t) {
      for (int bin = t; bin < bins; bin += block.size()) {
        E const count = x[bin];
        block.atomic_add(out, bin, count);
      }
    });
  }
};

/// The histogram of a whole array by one for each block, `op` being addition.
///
/// Changes   atomic_histogram.hpp: n additions in global memory, where all threads meet, become bins for each block.
///           Threads of a block still meet, in shared memory.
/// Assumes   every element of `in` is in [0, bins); bins elements fit in the shared memory of a block.
/// Work      n + bins * blocks additions, with at most 16 blocks.
/// Steps     ceil(n / (256 * blocks)) of counting, then ceil(bins / 256).
/// Source    Kirk & Hwu (2010): privatisation.
template <int Threads = 256, int MostBlocks = 16>
struct block_histogram {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, int bins, Op const& op) const
  {
    int const wanted = divide_up(n, Threads), blocks = wanted < 1 ? 1 : wanted < MostBlocks ? wanted : MostBlocks;
    device.launch(1, Threads, cleared_counts{}, out, bins, op);
    device.launch(blocks, Threads, counts_of_blocks{}, in, out, n, bins, op);
  }
};

}  // namespace tally::textbook
