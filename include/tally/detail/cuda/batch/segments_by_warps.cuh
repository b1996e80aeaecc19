#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "tally/detail/cuda/batch/bound.hpp"
#include "tally/detail/cuda/batch/warp_segments.cuh"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/tuning.hpp"

/// Reductions of segments by warps that work alone: which calls may go so, and their launch.
namespace tally::cuda_backend {

template <class P>
void launch_by_warps(prepared_call const& call, P const& problem)
{
  using shape = warp_shape<P>;
  static std::array<void (*)(P const), 1> entry{warp_segments_kernel<P>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], shape::threads, warps_bytes<P>, known);
  int const blocks = call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident;
  launch(call, entry[0], problem, static_cast<unsigned>(blocks), shape::threads, warps_bytes<P>);
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
