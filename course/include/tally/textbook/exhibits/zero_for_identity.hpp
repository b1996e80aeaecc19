#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. An exclusive scan by a shifted load, where thread 0 loads 0: that is the identity of addition, and
/// of nothing else.
///
/// Source    lecture notes, 4.7, and the slides on scan, which put 0 into the definition for any operator.
/// Right     hillis_steele_exclusive.hpp: the identity comes with the operator.
struct zero_for_identity {
  static constexpr char const* name = "zero_for_identity";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array X, Array Y, int n, Op op) const
  {
    using E = element_of<Array>;
    int const t = thread.index();
    auto XY = thread.shared<E>(n, "XY");
    if (t < n) XY[t] = t == 0 ? E(0) : E(X[t - 1]);
    for (int stride = 1; stride < n; stride *= 2) {
      co_await thread.barrier();
      E in1;
      if (stride <= t && t < n) in1 = XY[t - stride];
      co_await thread.barrier();
      if (stride <= t && t < n) XY[t] = op(in1, XY[t]);
    }
    if (t < n) Y[t] = XY[t];
  }
};

}  // namespace tally::textbook::exhibits
