#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The work-efficient kernel, its phases as they are printed: the barrier stands at the end of the
/// reduction's loop, and none between the load and its first step.
///
/// Source    lecture notes, 4.6.
/// Right     brent_kung.hpp, to which sections.hpp loads by a step, with its barrier.
struct no_barrier_after_load {
  static constexpr char const* name = "no_barrier_after_load";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array X, Array Y, Op op) const
  {
    int const t = thread.index(), size = thread.block_size();
    auto XY = thread.shared<element_of<Array>>(2 * size, "XY");
    XY[t] = X[t];
    XY[t + size] = X[t + size];
    for (int stride = 1; stride <= size; stride *= 2) {
      int const index = (t + 1) * stride * 2 - 1;
      if (index < 2 * size) XY[index] = op(XY[index - stride], XY[index]);
      co_await thread.barrier();
    }
    for (int stride = size / 2; stride > 0; stride /= 2) {
      co_await thread.barrier();
      int const index = (t + 1) * stride * 2 - 1;
      if (index + stride < 2 * size) XY[index + stride] = op(XY[index], XY[index + stride]);
    }
    co_await thread.barrier();
    Y[t] = XY[t];
    Y[t + size] = XY[t + size];
  }
};

}  // namespace tally::textbook::exhibits
