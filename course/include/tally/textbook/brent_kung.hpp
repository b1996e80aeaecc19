#pragma once

#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// Brent & Kung (1982): inclusive scan of x[0, n) in place, n <= 2 block.size(), any n. A tree of sums is built
/// upwards, and its sums are handed down.
///
/// Changes   hillis_steele.hpp: at most twice the work of one thread, for about twice the steps. The threads that work
///           are the first ones, in whole warps as long as there are 32; their elements lie 2s apart, so that they meet
///           in the same banks.
/// Assumes   op is associative.
/// Work      2n - 2 - log2(n) applications of op where n is a power of two, (n - 1) up and (n - 2) - (log2(n) - 1)
///           down. For any n it is n less the binary ones of n, and n less the powers of two up to n.
/// Steps     2 log2(n) - 1 where n is a power of two, with as many barriers; one for each s with 2s <= n, and for each
///           with 3s <= n. The longest path through the data has one less, since no result depends on the total.
struct brent_kung {
  static constexpr char const* name = "brent_kung";
  static constexpr int elements_a_thread = 2;

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    // Up-sweep. After stride s, every k = 2s-1 (mod 2s) holds the sum of the 2s elements ending at k.
    for (int s = 1; 2 * s <= n; s *= 2) {
      block.step([&](int t) {
        int const k = 2 * s * (t + 1) - 1;
        if (k < n) x[k] = op(x[k - s], x[k]);
      });
    }
    // Down-sweep. After stride s, every k = s-1 (mod s) holds the sum of x[0..k]. The first k that it can complete is
    // 3s-1.
    for (int s = power_of_two_to(n / 3); s > 0; s /= 2) {
      block.step([&](int t) {
        int const k = 2 * s * (t + 1) - 1 + s;
        if (k < n) x[k] = op(x[k - s], x[k]);
      });
    }
  }
};

}  // namespace tally::textbook
