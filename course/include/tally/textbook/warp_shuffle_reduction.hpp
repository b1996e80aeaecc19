#pragma once

#include "tally/textbook/on_one_block.hpp"

namespace tally::textbook {

/// own[t] of the first lane of each warp becomes the total of the warp's values, of those t that are in [0, n).
///
/// Distances double. If they halved, as is common, lane 0 would take in lane 16 first, and op would have to be
/// commutative. Lanes whose sums are not needed could add as well, at no cost in time: here they do not, so that the
/// operations are those of a tree.
template <block Block, class PerThread, class Op>
TALLY_HD void reduce_warps(Block const& block, PerThread& own, int n, Op const& op)
{
  for (int d = 1; d < warp_lanes && d < n; d *= 2) {
    auto const right = block.shuffle_down(own, d);
    block.each([&](int t) {
      if (t % (2 * d) == 0 && t + d < n) own[t] = op(own[t], right[t]);
    });
  }
}

/// The total of each section of in[0, n) to out[block], a section having one element a thread. Warps reduce theirs in
/// registers; then one warp reduces the warps' totals. Any n, and any block that is whole warps, 32 of them at most.
///
/// Changes   a barrier and two reads of shared memory for each addition: here lanes exchange registers, and there is
///           one barrier in all.
/// Assumes   op is associative. It need not be commutative. All lanes take part in every shuffle, also those that have
///           no element.
/// Work      n - 1 applications of op.
/// Steps     ceil(log2 n): those of a warp, and those of the warps. One barrier.
/// Source    Luitjens (2014), Faster Parallel Reductions on Kepler, with distances that keep the order.
struct warp_shuffle_reduction {
  static constexpr char const* name = "warp_shuffle_reduction";
  static constexpr int elements_a_thread = 1;

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    using E = element_of<In>;
    int const begin = block.index() * block.size();
    int const own_elements = n - begin < block.size() ? n - begin : block.size();
    int const warps = divide_up(own_elements, warp_lanes);
    auto own = block.template registers<E>();
    auto totals = block.template shared<E>(warp_lanes, "totals");
    block.each([&](int t) {
      if (t < own_elements) own[t] = in[begin + t];
    });
    reduce_warps(block, own, own_elements, op);
    block.step([&](int t) {
      if (t % warp_lanes == 0 && t < own_elements) totals[t / warp_lanes] = own[t];
    });
    block.each([&](int t) {
      if (t < warps) own[t] = totals[t];
    });
    reduce_warps(block, own, warps, op);
    block.each([&](int t) {
      if (t == 0) out[block.index()] = own[t];
    });
  }
};

}  // namespace tally::textbook
