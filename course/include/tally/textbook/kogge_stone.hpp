#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// Kogge & Stone (1973) inside every warp at once, with shuffles for wires: own[t] becomes the sum of the warp's
/// elements up to t. There is no barrier and no shared memory. The values of threads from n on do not matter, since
/// values only move up.
///
/// Assumes   op is associative; block.size() is a multiple of 32.
/// Work      129 applications of op for a whole warp; sum over s = 1, 2, 4, 8, 16 < m of m - s for a warp with m
///           elements.
/// Steps     ceil(log2 min(n, 32)).
template <block Block, class Registers, class Op>
TALLY_HD void kogge_stone_in_warps(Block const& block, Registers& own, int n, Op const& op)
{
  for (int s = 1; s < warp_lanes && s < n; s *= 2) {
    auto below = block.shuffle_up(own, s);  // every lane takes part, also those that do not use the value
    block.each([&](int t) {
      if (t % warp_lanes >= s && t < n) own[t] = op(below[t], own[t]);
    });
  }
}

/// Kogge & Stone (1973), the carry-lookahead adder: inclusive scan of x[0, n) in place, n <= block.size(), any n.
///
/// The network is that of Hillis and Steele: at stride s every element takes in the one s before it. An adder of this
/// form has the least depth with a fan-out of 2, for n wires a level. Sklansky's (sklansky.hpp) pays for half of the
/// operations with fan-out, Brent and Kung's (brent_kung.hpp) for all but a few of them with depth.
///
/// Changes   hillis_steele_two_buffers.hpp: as in the adder a value stays where it is, in a register, and only the
///           wires go through memory: one read a stride instead of two. Inside a warp wires are shuffles
///           (kogge_stone_in_warps); those that cross from warp to warp, which even stride 1 has, cannot be.
/// Assumes   op is associative.
/// Work      n log2(n) - (n - 1) applications of op where n is a power of two; sum over s = 1, 2, 4 .. < n of n - s for
///           any n.
/// Steps     ceil(log2 n), with as many barriers where that is even, else one more.
struct kogge_stone {
  static constexpr char const* name = "kogge_stone";

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    auto y = block.template shared<element_of<Shared>>(n, "y");
    auto own = block.template registers<element_of<Shared>>();
    block.each([&](int t) {
      if (t < n) own[t] = x[t];
    });
    for (int s = 1; s < n; s *= 4) {
      level(block, x, y, own, s, n, op);
      level(block, y, x, own, 2 * s, n, op);  // moves the values to x if s was the last stride
    }
  }

private:
  template <block Block, class From, class To, class Registers, class Op>
  TALLY_HD static void level(Block const& block, From from, To to, Registers& own, int s, int n, Op const& op)
  {
    block.step([&](int t) {
      if (s <= t && t < n) own[t] = op(from[t - s], own[t]);
      if (t < n) to[t] = own[t];
    });
  }
};

}  // namespace tally::textbook
