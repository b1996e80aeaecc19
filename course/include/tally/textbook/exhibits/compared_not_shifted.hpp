#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. In `bl_scan` the down-sweep says `offset >= 1` for `offset >>= 1`: it compares, and throws the
/// answer away. (The void silences -Wall, which finds this.) The other slip of the same kind, in the up-sweep, is in
/// endless_loop.hpp, and put right here.
///
/// Source    Reeves, AMS 148, chapter 5.
/// Right     blelloch.hpp.
struct compared_not_shifted {
  static constexpr char const* name = "compared_not_shifted";

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
      void(offset >= 1);
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
