#pragma once

#include <array>
#include <cstddef>

#include "tally/nccl.hpp"

namespace tally::test {

/// The calls of docs/distributed.md.
inline float scan_and_sum(ncclComm* communicator, CUstream_st* stream, float const* part, std::size_t n, float* sums,
                          float* sum_on_device)
{
  tally::cuda::workspace space;  // one a stream
  tally::nccl const gpus{communicator, stream, space};

  tally::inclusive_scan(gpus, part, part + n, sums);        // this rank's part of the running sums of all
  float const sum = tally::reduce(gpus, part, part + n);    // the same value on every rank
  tally::reduce_into(gpus, part, part + n, sum_on_device);  // or in the GPU's memory
  return sum;
}

inline void scan_without_waiting(ncclComm* communicator, CUstream_st* stream, tally::cuda::workspace& space,
                                 float const* part, std::size_t n, float* sums)
{
  std::array<std::size_t, 2> const sizes{1 << 20, 1 << 20};  // of the parts of both ranks
  tally::nccl const gpus{communicator, stream, space, sizes};
  tally::inclusive_scan(gpus, part, part + n, sums);  // returns at once
}

}  // namespace tally::test
