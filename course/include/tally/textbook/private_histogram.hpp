#pragma once

#include <cstddef>

#include "tally/operators/traits.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// Adds up `copies` private histograms, all bins at once, to copy 0: bin b of copy c is x[b * copies + c]. Any number
/// of copies. (copies - 1) * bins applications of op in ceil(log2 copies) barriers.
template <block Block, class Shared, class Op>
TALLY_HD void combine_copies(Block const& block, Shared x, int copies, int bins, Op const& op)
{
  for (int s = power_of_two_from(copies) / 2; s > 0; s /= 2) {
    block.step([&](int t) {
      for (int k = t; k < bins * s; k += block.size()) {
        int const copy = k % s, at = k / s * copies + copy;
        if (copy + s < copies) x[at] = op(x[at], x[at + s]);
      }
    });
  }
}

/// Each thread counts in a histogram of its own; then the block adds up those of its threads: bin b of block c is
/// copies[b * block.count() + c].
///
/// Thread t's count of a bin is at bin * block.size() + t: whatever its bins, a thread stays in its bank, and lanes
/// never share one.
struct private_counts {
  static constexpr char const* name = "private_counts";

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out copies, int n, int bins, Op const& op) const
  {
    using E = element_of<Out>;
    static_assert(commutative<Op, E>, "tally: private counts are added out of order: the operator must be commutative");
    auto x = block.template shared<E>(bins * block.size(), "x");
    block.each([&](int t) {
      for (int bin = 0; bin < bins; ++bin) x[bin * block.size() + t] = identity_of<E>(op);
    });
    block.step([&](int t) {
      E const one(1);
      for (int k = block.index() * block.size() + t; k < n; k += block.count() * block.size()) {
        int const bin = in[k];
        x[bin * block.size() + t] = op(x[bin * block.size() + t], one);
      }
    });
    combine_copies(block, x, block.size(), bins, op);
    block.each([&](int t) {
      for (int bin = t; bin < bins; bin += block.size())
        copies[bin * block.count() + block.index()] = x[bin * block.size()];
    });
  }
};

/// One block adds up the blocks' histograms.
struct combined_counts {
  static constexpr char const* name = "combined_counts";

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int copies, int bins, Op const& op) const
  {
    auto x = block.template shared<element_of<Out>>(bins * copies, "x");
    copy(block, in, x, bins * copies);
    combine_copies(block, x, copies, bins, op);
    block.each([&](int t) {
      for (int bin = t; bin < bins; bin += block.size()) out[bin] = x[bin * copies];
    });
  }
};

/// The private histogram of a whole array, `op` being addition.
///
/// Changes   block_histogram.hpp: here each thread has a histogram of its own, so that no addition is atomic, and a tree
///           adds them up.
/// Assumes   op is associative and commutative. Every element of `in` is in [0, bins); bins * 64 elements fit in the
///           shared memory of a block.
/// Work      n + bins * (64 * blocks - 1) applications of op, with at most 16 blocks: worth it where n is much more
///           than 1024 * bins.
/// Steps     ceil(n / (64 * blocks)) of counting, then bins / 2 + bins / 4 + .. of the tree, for as many threads as
///           copies.
/// Source    Kirk & Hwu (2010): privatisation.
template <int Threads = 64, int MostBlocks = 16>
struct private_histogram {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, int bins, Op const& op) const
  {
    int const wanted = divide_up(n, Threads), blocks = wanted < 1 ? 1 : wanted < MostBlocks ? wanted : MostBlocks;
    auto const copies = device.template allocate<element_of<Out>>(static_cast<std::size_t>(blocks * bins), "copies");
    device.launch(blocks, Threads, private_counts{}, in, copies, n, bins, op);
    device.launch(1, Threads, combined_counts{}, copies, out, blocks, bins, op);
  }
};

/// The same for so many bins: `(device, in, out, n, op)`, as the other algorithms are called.
template <int Bins, class Histogram>
struct of_bins {
  static constexpr bool needs_commutative = true;

  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    Histogram{}(device, in, out, n, Bins, op);
  }
};

}  // namespace tally::textbook
