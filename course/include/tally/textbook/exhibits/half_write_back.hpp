#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The work-efficient kernel has two elements for each thread; its last line stores one. (The load
/// has its barrier here; no_barrier_after_load.hpp shows what happens without.)
///
/// Source    lecture notes, 4.6.
/// Right     brent_kung.hpp, from which sections.hpp stores all that it has loaded.
struct half_write_back {
  static constexpr char const* name = "half_write_back";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array X, Array Y, int n, Op op) const
  {
    int const t = thread.index(), size = thread.block_size(), i = thread.block_index() * size + t;
    auto XY = thread.shared<element_of<Array>>(2 * size, "XY");
    XY[t] = X[t];
    XY[t + size] = X[t + size];
    for (int stride = 1; stride <= size; stride *= 2) {
      co_await thread.barrier();
      int const index = (t + 1) * stride * 2 - 1;
      if (index < 2 * size) XY[index] = op(XY[index - stride], XY[index]);
    }
    for (int stride = size / 2; stride > 0; stride /= 2) {
      co_await thread.barrier();
      int const index = (t + 1) * stride * 2 - 1;
      if (index + stride < 2 * size) XY[index + stride] = op(XY[index], XY[index + stride]);
    }
    co_await thread.barrier();
    if (i < n) Y[i] = XY[t];
  }
};

}  // namespace tally::textbook::exhibits
