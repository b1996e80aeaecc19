#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. Blelloch's down-sweep as the chapter's prose has it: the left element becomes the sum of both, and
/// the right one gets the old left one.
///
/// Source    Reeves, AMS 148, chapter 5; its code does the opposite, and is right.
/// Right     blelloch.hpp: the left child gets what its parent has, the right child that and the old left one.
struct children_swapped {
  static constexpr char const* name = "children_swapped";

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
        temp[ai] = op(temp[bi], temp[ai]);
        temp[bi] = left;
      }
    }
    co_await thread.barrier();
    odata[2 * thid] = temp[2 * thid];
    odata[2 * thid + 1] = temp[2 * thid + 1];
  }
};

}  // namespace tally::textbook::exhibits
