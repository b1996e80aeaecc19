#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. `bl_scan` with its shifts put right, as the chapter means it: the tree is complete only if n is a
/// power of two, and n is twice the number of threads. Nothing in the kernel says so or checks it.
///
/// Source    Reeves, AMS 148, chapter 5.
/// Right     blelloch.hpp: a tree over the next power of two, filled with identities.
struct scan_of_six {
  static constexpr char const* name = "scan_of_six";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array odata, Array idata, int n, Op op) const
  {
    using E = element_of<Array>;
    int const thid = thread.index();
    auto temp = thread.shared<E>(n, "temp");
    temp[2 * thid] = idata[2 * thid];
    temp[2 * thid + 1] = idata[2 * thid + 1];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
      co_await thread.barrier();
      int const ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      if (thid < d) temp[bi] = op(temp[ai], temp[bi]);
      offset *= 2;
    }
    if (thid == 0) temp[n - 1] = op.identity();
    for (int d = 1; d < n; d *= 2) {
      offset >>= 1;
      co_await thread.barrier();
      int const ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      if (thid < d) {
        E const left = temp[ai];
        temp[ai] = temp[bi];
        temp[bi] = op(temp[bi], left);
      }
    }
    co_await thread.barrier();
    odata[2 * thid] = temp[2 * thid];
    odata[2 * thid + 1] = temp[2 * thid + 1];
  }
};

}  // namespace tally::textbook::exhibits
