#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/ring_warps.cuh"

/// The scan of large aligned arrays on sm_90 and later: one block a multiprocessor, whose warps share the work out
/// among them and pass tiles along a ring of buffers in shared memory. docs/cuda.md draws it.
///
///   1 loader    draws tiles and has them copied into the ring
///   folders     (1, or 2: ring_shape) fold the totals of all tiles into the carries of their block's
///   reducers    (4, or 2) total the rows of a tile, publish its total, and leave what precedes each row
///   8 scanners  a strip each: scan it, wait for the carry, write the results
namespace tally::cuda_backend {

template <class P>
__global__ void __launch_bounds__(ring_shape<typename P::element, typename P::operation>::threads, 1)
    ring_kernel(__grid_constant__ P const problem)
{
#if __CUDA_ARCH__ >= 900
  using ring = ring_memory<P>;
  using shape = typename ring::shape;
  extern __shared__ __align__(128) unsigned char raw[];
  ring& memory = *reinterpret_cast<ring*>(raw);
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes;
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  take_turn();

  if (warp == 0)
    load_tiles(memory, problem);
  else if (warp <= shape::folders)
    fold_carries(memory, problem, warp - 1);
  else if (warp <= shape::folders + shape::reducers)
    reduce_tiles(memory, problem, warp - 1 - shape::folders);
  else
    scan_strips(memory, problem, warp - 1 - shape::folders - shape::reducers);

  __syncwarp();  // the loader's lanes, of which one has worked, meet again before they meet the block
  __syncthreads();
  if (threadIdx.x == 0) finish(*problem.shared, memory.epoch, gridDim.x, problem.words, problem.capacity);
#endif
}

}  // namespace tally::cuda_backend
