#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The work-inefficient scan kernel as it is printed: its loop runs while stride <= threadIdx.x, so
/// each thread comes to another number of barriers, and thread 0 to none within the loop.
///
/// Source    lecture notes, 4.5; the page on the work-inefficient kernel.
/// Right     hillis_steele.hpp: the loop is alike for all threads, the condition stands within it.
struct barrier_in_loop {
  static constexpr char const* name = "barrier_in_loop";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array X, Array Y, int n, Op op) const
  {
    using E = element_of<Array>;
    int const t = thread.index(), i = thread.block_index() * thread.block_size() + t;
    auto XY = thread.shared<E>(thread.block_size(), "XY");
    if (i < n) XY[t] = X[i];
    for (int stride = 1; stride <= t; stride *= 2) {
      co_await thread.barrier();
      E const in1 = XY[t - stride];
      co_await thread.barrier();
      XY[t] = op(in1, XY[t]);
    }
    co_await thread.barrier();
    if (i < n) Y[i] = XY[t];
  }
};

}  // namespace tally::textbook::exhibits
