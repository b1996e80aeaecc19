#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The up-sweep of `bl_scan` says `d >= 1` for `d >>= 1`: d stays as it is, while offset doubles.
/// (The void, and a while for the chapter's for, silence compilers, which find this.) The machine stops a block after
/// 10000 barriers; on a GPU, addresses beyond the block's memory end it before.
///
/// Source    Reeves, AMS 148, chapter 5.
/// Right     blelloch.hpp.
struct endless_loop {
  static constexpr char const* name = "endless_loop";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array total, Array idata, int n, Op op) const
  {
    int const thid = thread.index();
    auto temp = thread.shared<element_of<Array>>(n, "temp");
    temp[2 * thid] = idata[2 * thid];
    temp[2 * thid + 1] = idata[2 * thid + 1];
    unsigned offset = 1;  // whose overflow, unlike that of an int, is defined
    int d = n >> 1;
    while (d > 0) {
      co_await thread.barrier();
      int const ai = static_cast<int>(offset * (2 * thid + 1) - 1), bi = static_cast<int>(offset * (2 * thid + 2) - 1);
      if (thid < d) temp[bi] = op(temp[ai], temp[bi]);
      offset *= 2;
      void(d >= 1);
    }
    if (thid == 0) total[0] = temp[n - 1];
  }
};

}  // namespace tally::textbook::exhibits
