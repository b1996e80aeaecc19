#pragma once

#include "tally/operators/traits.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// Blelloch (1990), as Harris, Sengupta, Owens (2007) run it: exclusive scan of x[0, n) in place, n <= 2 block.size(),
/// any n. A tree of sums is built upwards; on the way down every node gets the sum of all that is left of it.
///
/// Changes   brent_kung.hpp: exclusive without a shifted load. A node hands its own value to its left child, and that
///           value plus the left child's sum to its right child.
/// Assumes   op is associative and has an identity. x has room(n) elements, identities from n on, so that the tree is
///           complete.
/// Work      2 (n - 1) applications of op where n is a power of two; 2 ceil(n / 2s), summed over s = 1, 2, 4 .. below
///           room(n), for any n: a subtree of identities alone is left out.
/// Steps     2 ceil(log2 n), with as many barriers (2 where n is 1).
///           The longest path through the data has one less, since no result depends on the total.
/// Result    the total of all n elements, in thread 0.
struct blelloch {
  static constexpr char const* name = "blelloch";
  static constexpr int elements_a_thread = 2;
  static constexpr bool exclusive = true;

  /// The leaves of the tree over n elements.
  TALLY_HD static constexpr int room(int n) { return n < 2 ? 2 : power_of_two_from(n); }

  template <block Block, class Shared, monoid_over<element_of<Shared>> Op>
  TALLY_HD auto operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    using E = element_of<Shared>;
    auto total = block.template registers<E>();
    int const leaves = room(n);
    // Up-sweep. After stride s, every k = 2s-1 (mod 2s) holds the sum of the 2s elements ending at k.
    for (int s = 1; s < leaves; s *= 2) {
      block.step([&](int t) {
        int const k = 2 * s * (t + 1) - 1;
        if (2 * s * t < n) x[k] = op(x[k - s], x[k]);
      });
    }
    // Down-sweep. After stride s, every k = s-1 (mod s) holds the sum of all elements left of its s elements. The root
    // has none: it counts as the identity from here on, instead of being cleared in a step of its own.
    for (int s = leaves / 2; s > 0; s /= 2) {
      block.step([&](int t) {
        int const k = 2 * s * (t + 1) - 1;
        if (2 * s * t >= n) return;
        E const left = x[k - s];
        E parent = x[k];
        if (2 * s == leaves) {
          total[t] = parent;
          parent = identity_of<E>(op);
        }
        x[k - s] = parent;
        x[k] = op(parent, left);
      });
    }
    return total;
  }
};

}  // namespace tally::textbook
