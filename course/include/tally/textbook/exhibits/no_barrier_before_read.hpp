#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The work-inefficient scan kernel less the first of its two barriers: a thread reads the operand of
/// the next stride while another may still write that of the last.
///
/// Source    lecture notes, 4.5, which have both barriers and say what they are for.
/// Right     hillis_steele.hpp.
struct no_barrier_before_read {
  static constexpr char const* name = "no_barrier_before_read";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array in, Array out, int n, Op op) const
  {
    using E = element_of<Array>;
    int const t = thread.index();
    auto XY = thread.shared<E>(n, "XY");
    if (t < n) XY[t] = in[t];
    co_await thread.barrier();
    for (int s = 1; s < n; s *= 2) {
      // Here a barrier is missing, from the second stride on.
      E in1;
      if (s <= t && t < n) in1 = XY[t - s];
      co_await thread.barrier();
      if (s <= t && t < n) XY[t] = op(in1, XY[t]);
    }
    if (t < n) out[t] = XY[t];
  }
};

}  // namespace tally::textbook::exhibits
