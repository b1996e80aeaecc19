#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The naive reduction kernel with its barrier before the loop instead of within: all elements have
/// been loaded, but no thread waits for the partial sums of the step before.
///
/// Source    lecture notes, 4.2, which have it within, and ask why it is needed.
/// Right     interleaved_reduction.hpp.
struct reduction_without_barrier {
  static constexpr char const* name = "reduction_without_barrier";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array input, Array sum, Op op) const
  {
    int const t = thread.index(), size = thread.block_size();
    auto partialSum = thread.shared<element_of<Array>>(2 * size, "partialSum");
    partialSum[t] = input[t];
    partialSum[size + t] = input[size + t];
    co_await thread.barrier();
    for (int stride = 1; stride <= size; stride *= 2) {
      // Here a barrier is missing.
      if (t % stride == 0) partialSum[2 * t] = op(partialSum[2 * t], partialSum[2 * t + stride]);
    }
    if (t == 0) sum[0] = partialSum[0];
  }
};

}  // namespace tally::textbook::exhibits
