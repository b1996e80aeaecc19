#pragma once

#include <algorithm>
#include <cstddef>

#include "tally/detail/cuda/batch/segment_tiles.cuh"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/warp.cuh"

namespace tally::cuda_backend {

/// Starts the kernel that lists tiles, of which there are at most `tiles`. Sets `of_block` of its arguments.
template <class P>
void launch_list_of_tiles(prepared_call const& call, P problem, std::size_t tiles)
{
  constexpr std::size_t threads = segment_tiles_threads;
  std::size_t const most_blocks = static_cast<std::size_t>(call.processors()) * 8;
  // Blocks of fewer segments have fewer tiles each to list.
  problem.of_block = std::clamp(problem.segments / most_blocks, std::size_t{warp_lanes}, threads);
  std::size_t const blocks =
      problem.segments <= threads ? tiles / threads + 1 : (problem.segments - 1) / problem.of_block + 1;
  launch(call, list_tiles_kernel<P>, problem, static_cast<unsigned>(std::min(most_blocks, blocks)),
         segment_tiles_threads);
}

}  // namespace tally::cuda_backend
