#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The reduction in global memory keeps its partial sums where the input is, and does not say that it
/// destroys it.
///
/// Source    Reeves, AMS 148, chapter 5, the first way.
/// Right     global_reduction.hpp says so, and has `on_a_copy`; a reduction in shared memory leaves its input alone.
struct input_destroyed {
  static constexpr char const* name = "input_destroyed";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array d_out, Array d_in, Op op) const
  {
    int const tid = thread.index(), myId = tid + thread.block_size() * thread.block_index();
    for (int s = thread.block_size() / 2; s > 0; s >>= 1) {
      if (tid < s) d_in[myId] = op(d_in[myId], d_in[myId + s]);
      co_await thread.barrier();
    }
    if (tid == 0) d_out[thread.block_index()] = d_in[myId];
  }
};

}  // namespace tally::textbook::exhibits
