#pragma once

#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// Whether a kernel, or an algorithm, takes operands out of order. Such a kernel has `static constexpr bool
/// needs_commutative = true`, and does not compile with an operator that is not commutative.
template <class Kernel>
inline constexpr bool needs_commutative = requires { requires Kernel::needs_commutative; };

/// The threads of a block for n elements: whole warps.
template <class Kernel>
constexpr int threads_for(int n)
{
  return divide_up(divide_up(n, Kernel::elements_a_thread), warp_lanes) * warp_lanes;
}

/// Launches a kernel as one block, with as many threads as its elements need: whole warps.
///
/// A device is a `tally::model::machine`, or a GPU (cuda_device.cuh). It launches kernels, one after the other, and
/// gives memory.
template <class Kernel>
struct on_one_block {
  static constexpr bool needs_commutative = textbook::needs_commutative<Kernel>;

  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    device.launch(1, threads_for<Kernel>(n), Kernel{}, in, out, n, op);
  }
};

}  // namespace tally::textbook
