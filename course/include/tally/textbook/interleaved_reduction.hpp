#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// The total of x[0, n) to x[0], n <= 2 * block.size(), any n. Thread t is responsible for element 2t, and adds to it
/// the element s further on; s doubles.
///
/// Changes   a launch a step, in global memory: here one block takes all steps in its shared memory, with a barrier
///           after each.
/// Assumes   op is associative. The barrier after the load lets a thread add what others have loaded, that of each step
///           what others have added.
/// Work      n - 1 applications of op.
/// Steps     ceil(log2 n), with as many barriers. A thread works in a step if t % s is 0: working threads are far
///           apart, so nearly all warps diverge. Of 223 warp-steps for 2048 elements 191 do; 1149 wavefronts, 669
///           without conflicts.
/// Source    Kirk & Hwu (2010), the simple kernel; Harris (2007), number 1.
struct interleaved_reduction {
  static constexpr char const* name = "interleaved_reduction";
  static constexpr int elements_a_thread = 2;

  template <block Block, class Shared, class Op>
  TALLY_HD void operator()(Block const& block, Shared x, int n, Op const& op) const
  {
    // Before stride s, every x[k] with k = 0 (mod s) holds the total of the s elements from there on, as far as there
    // are any.
    for (int s = 1; s < n; s *= 2) {
      block.step([&](int t) {
        if (t % s == 0 && 2 * t + s < n) x[2 * t] = op(x[2 * t], x[2 * t + s]);
      });
    }
  }
};

}  // namespace tally::textbook
