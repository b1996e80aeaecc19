#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "tally/detail/cuda/batch/bound.hpp"
#include "tally/detail/cuda/batch/warp_segments.cuh"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/launch.cuh"

/// Segments by warps that work alone: which calls may go so, and their launches.
namespace tally::cuda_backend {

/// `looks`: a kernel ahead of a scan calls for the general one if a ticket is too large.
template <class P>
void launch_by_warps(prepared_call const& call, P const& problem, bool looks)
{
  using shape = warp_shape<P>;
  static std::array<void (*)(P const), 1> entry{warp_segments_kernel<P>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], shape::threads, warps_bytes<P>, known);
  int const blocks = call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident;
  if constexpr (!P::reduces)
    if (looks) launch(call, warp_tickets_kernel<P>, problem, static_cast<unsigned>(blocks), shape::threads, 0);
  launch(call, entry[0], problem, static_cast<unsigned>(blocks), shape::threads, warps_bytes<P>);
}

/// Whether warps that work alone may do a call of at most `most` elements. They write no last values, and a scan by
/// them has the same initial value for all segments.
template <class P>
bool may_go_by_warps(prepared_call const& call, P const& problem, std::size_t most)
{
  if constexpr (fits_warps<P>) {
    tuning const& by = tuning_in_use();
    if (call.facts().compute_capability < 80 || call.capacity() < words_by_warps) return false;
    if (!P::reduces && (problem.initials != nullptr || problem.lasts != nullptr)) return false;
    if (most == no_bound) return true;
    // A launch that ends at once costs a scan, which has two of them, more.
    if (!P::reduces && most / problem.segments >= warp_shape<P>::most_in_ticket) return false;
    return most + problem.segments >= (P::reduces ? by.segments_by_warps : by.segments_scanned_by_warps);
  } else {
    return false;
  }
}

}  // namespace tally::cuda_backend
