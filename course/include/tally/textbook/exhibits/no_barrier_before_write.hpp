#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The work-inefficient scan kernel less the second of its two barriers: the operand is kept in a
/// register, but no thread waits until all have theirs.
///
/// Source    lecture notes, 4.5, which have both barriers and say what they are for.
/// Right     hillis_steele.hpp.
struct no_barrier_before_write {
  static constexpr char const* name = "no_barrier_before_write";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array in, Array out, int n, Op op) const
  {
    using E = element_of<Array>;
    int const t = thread.index();
    auto XY = thread.shared<E>(n, "XY");
    if (t < n) XY[t] = in[t];
    for (int s = 1; s < n; s *= 2) {
      co_await thread.barrier();
      E in1;
      if (s <= t && t < n) in1 = XY[t - s];
      // Here a barrier is missing.
      if (s <= t && t < n) XY[t] = op(in1, XY[t]);
    }
    if (t < n) out[t] = XY[t];
  }
};

}  // namespace tally::textbook::exhibits
