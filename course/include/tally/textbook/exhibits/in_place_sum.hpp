#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The inclusive scan of Hillis and Steele with `+=` in shared memory: while one thread adds x[t - s]
/// to its own element, another overwrites it.
///
/// Source    CUDA scan exercise, solution 01, which says so itself.
/// Right     hillis_steele.hpp: all read, a barrier, all write.
struct in_place_sum {
  static constexpr char const* name = "in_place_sum";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array in, Array out, int n, Op op) const
  {
    int const t = thread.index();
    auto x = thread.shared<element_of<Array>>(n, "x");
    if (t < n) x[t] = in[t];
    for (int s = 1; s < n; s *= 2) {
      co_await thread.barrier();
      if (s <= t && t < n) x[t] = op(x[t - s], x[t]);
    }
    if (t < n) out[t] = x[t];
  }
};

}  // namespace tally::textbook::exhibits
