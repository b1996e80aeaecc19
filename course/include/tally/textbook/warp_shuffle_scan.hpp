#pragma once

#include "tally/textbook/kogge_stone.hpp"

namespace tally::textbook {

/// 32 x 32: inclusive scan of x[0, n) in place, n <= block.size(), any n. Every warp scans its elements by shuffles,
/// one warp scans the totals of the warps, and each warp takes in the total of those before it. Sengupta, Harris,
/// Garland (2008), with shuffles for their shared memory.
///
/// Changes   kogge_stone.hpp: two levels of 32 instead of one of 1024. Shared memory holds 32 totals; there are 3
///           barriers for any number of elements.
/// Assumes   op is associative; block.size() is a multiple of 32. All lanes of all warps take part in shuffles, even
///           where only the first warp uses the result.
/// Work      32 * 129 + 124 + 992 = 5244 applications of op for 1024 elements: in the warps, on the totals of 31 of
///           them (no warp needs the last), and to take in.
/// Steps     5 + 5 + 1 for 1024 elements; ceil(log2 min(n, 32)) + ceil(log2 w) + 1 for any n with w = (n - 1)/32 whole
///           warps before the last; for n <= 32 there are no totals, and 1 barrier.
struct warp_shuffle_scan {
  static constexpr char const* name = "warp_shuffle_scan";

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    using E = element_of<Shared>;
    auto own = block.template registers<E>();
    block.each([&](int t) {
      if (t < n) own[t] = x[t];
    });
    kogge_stone_in_warps(block, own, n, op);

    int const before_last = (n - 1) / warp_lanes;  // warps whose totals others need
    auto totals = block.template shared<E>(warp_lanes, "totals");
    if (before_last > 0) take_in_totals(block, own, totals, before_last, n, op);
    block.step([&](int t) {
      if (t < n) x[t] = own[t];
    });
  }

private:
  template <block Block, class Registers, class Shared, class Op>
  TALLY_HD static void take_in_totals(Block const& block, Registers& own, Shared totals, int before_last, int n,
                                      Op const& op)
  {
    block.step([&](int t) {
      if (t % warp_lanes == warp_lanes - 1 && t / warp_lanes < before_last) totals[t / warp_lanes] = own[t];
    });
    auto sum = block.template registers<element_of<Shared>>();
    block.each([&](int t) {
      if (t < before_last) sum[t] = totals[t];
    });
    kogge_stone_in_warps(block, sum, before_last, op);
    block.step([&](int t) {
      if (t < before_last) totals[t] = sum[t];
    });
    block.each([&](int t) {
      if (warp_lanes <= t && t < n) own[t] = op(totals[t / warp_lanes - 1], own[t]);
    });
  }
};

}  // namespace tally::textbook
