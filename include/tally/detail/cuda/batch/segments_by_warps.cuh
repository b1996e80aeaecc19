#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "tally/detail/cuda/batch/bound.hpp"
#include "tally/detail/cuda/batch/tree_segments.cuh"
#include "tally/detail/cuda/batch/warp_segments.cuh"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/tuning.hpp"
#include "tally/detail/path.hpp"

/// Reductions of segments by warps that work alone: which calls may go so, and their launch.
namespace tally::cuda_backend {

/// Launches the kernel for short segments and, if they may be longer, the one for these. The offsets, which know it,
/// are on the device, so one of the two ends at once. `most` is a bound on the number of elements.
template <class P>
void launch_by_warps(prepared_call const& call, P problem, std::size_t most)
{
  auto const start = [&](auto& entry, known_kernels& known, int threads, std::size_t bytes, cache_share cache) {
    int const resident = blocks_at_a_time(call, entry[0], threads, bytes, known, cache);
    int const blocks = call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident;
    launch(call, entry[0], problem, static_cast<unsigned>(blocks), threads, bytes);
  };
  static std::array<void (*)(P const), 1> entry{warp_segments_kernel<P>}, entry_by_trees{tree_segments_kernel<P>};
  static known_kernels known{}, known_by_trees{};
  auto const& by = tuning_in_use();
  if (most == no_bound || most / problem.segments >= by.segments_reduced_by_trees) {
    problem.reduced_by_trees = by.segments_reduced_by_trees;
    problem.reduced_along = by.segments_reduced_along;
    detail::took("cuda: segments by warps", "or by trees");
    start(entry_by_trees, known_by_trees, trees_shape<P>::threads, trees_shape<P>::bytes, cache_share::large);
  } else {
    detail::took("cuda: segments by warps");
  }
  start(entry, known, warp_shape<P>::threads, warps_bytes<P>, cache_share::any);
}

/// Whether warps that work alone may do a call of at most `most` elements.
template <class P>
bool may_go_by_warps(prepared_call const& call, P const& problem, std::size_t most)
{
  if constexpr (fits_warps<P>)
    return call.facts().compute_capability >= 80 && call.capacity() >= words_by_warps &&
           (most == no_bound || most + problem.segments >= tuning_in_use().segments_by_warps);
  else
    return false;
}

}  // namespace tally::cuda_backend
