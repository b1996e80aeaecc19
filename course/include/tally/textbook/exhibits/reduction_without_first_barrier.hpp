#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The naive reduction kernel with its barrier at the end of the loop: none lies between the load and
/// the first step.
///
/// Source    lecture notes, 4.2, which ask why the barriers are needed.
/// Right     interleaved_reduction.hpp.
struct reduction_without_first_barrier {
  static constexpr char const* name = "reduction_without_first_barrier";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array input, Array sum, Op op) const
  {
    int const t = thread.index(), size = thread.block_size();
    auto partialSum = thread.shared<element_of<Array>>(2 * size, "partialSum");
    partialSum[t] = input[t];
    partialSum[size + t] = input[size + t];
    // Here a barrier is missing.
    for (int stride = 1; stride <= size; stride *= 2) {
      if (t % stride == 0) partialSum[2 * t] = op(partialSum[2 * t], partialSum[2 * t + stride]);
      co_await thread.barrier();
    }
    if (t == 0) sum[0] = partialSum[0];
  }
};

}  // namespace tally::textbook::exhibits
