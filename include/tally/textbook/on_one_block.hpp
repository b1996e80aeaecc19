#pragma once

#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// Launches a kernel as one block, with as many threads as its elements ask for: whole warps.
///
/// A device is a `tally::model::machine`, or a GPU (cuda_device.cuh). It launches kernels, one after the other, and gives memory.
template <class Kernel>
struct on_one_block {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    int const threads = divide_up(divide_up(n, Kernel::elements_a_thread), warp_lanes) * warp_lanes;
    device.launch(1, threads, Kernel{}, in, out, n, op);
  }
};

}  // namespace tally::textbook
