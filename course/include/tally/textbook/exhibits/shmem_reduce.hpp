#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The reduction in shared memory as it is printed. It loads without asking how many elements there
/// are; it halves the number of threads as if that were a power of two; and it takes operands out of order, for which
/// it is not enough that the operator is associative.
///
/// Source    Reeves, AMS 148, chapter 5, the second way.
/// Right     sequential_addressing_reduction.hpp for any n; interleaved_reduction.hpp for operators that do not
///           commute.
struct shmem_reduce {
  static constexpr char const* name = "shmem_reduce";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array d_out, Array d_in, Op op) const
  {
    int const tid = thread.index(), myId = tid + thread.block_size() * thread.block_index();
    auto sdata = thread.shared<element_of<Array>>(thread.block_size(), "sdata");
    sdata[tid] = d_in[myId];
    co_await thread.barrier();
    for (int s = thread.block_size() / 2; s > 0; s >>= 1) {
      if (tid < s) sdata[tid] = op(sdata[tid], sdata[tid + s]);
      co_await thread.barrier();
    }
    if (tid == 0) d_out[thread.block_index()] = sdata[0];
  }
};

}  // namespace tally::textbook::exhibits
