#pragma once

#include "tally/operators/traits.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// The first launch: a histogram of zeros.
struct cleared_counts {
  static constexpr char const* name = "cleared_counts";

  template <block Block, class Out, class Op>
  TALLY_HD void operator()(Block const& block, Out out, int bins, Op const& op) const
  {
    block.each([&](int t) {
      for (int bin = t; bin < bins; bin += block.size()) out[bin] = identity_of<element_of<Out>>(op);
    });
  }
};

/// The second: every thread adds its element to the one histogram. Threads with the same bin add one after the other.
struct atomic_counts {
  static constexpr char const* name = "atomic_counts";

  template <block Block, class In, class Out>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n) const
  {
    block.each([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k >= n) return;
      int const bin = in[k];
      block.atomic_add(out, bin, 1);
    });
  }
};

/// How often each bin 0 .. bins - 1 occurs in in[0, n), to out[0, bins): one histogram for all threads, `op` being
/// addition.
///
/// Changes   a loop over the elements: all threads count at once, and the additions to a bin are atomic.
/// Assumes   every element of `in` is in [0, bins).
/// Work      n additions, in global memory. Depth: those to the most frequent bin, which go one after the other.
/// Steps     1 a thread; it takes as many turns as its warp has lanes with the most frequent bin.
/// Source    Kirk & Hwu (2010).
template <int Threads = 256>
struct atomic_histogram {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, int bins, Op const& op) const
  {
    device.launch(1, Threads, cleared_counts{}, out, bins, op);
    if (n > 0) device.launch(divide_up(n, Threads), Threads, atomic_counts{}, in, out, n);
  }
};

}  // namespace tally::textbook
