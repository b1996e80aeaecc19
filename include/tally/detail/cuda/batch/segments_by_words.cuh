#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "tally/detail/cuda/batch/bound.hpp"
#include "tally/detail/cuda/batch/segment_words_kernel.cuh"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/tuning.hpp"

/// Scans of segments by words: which calls may go so, and their launches.
namespace tally::cuda_backend {

/// `looks`: a kernel ahead calls for the general one if a ticket is too large.
template <class P>
void launch_by_words(prepared_call const& call, P const& problem, bool looks)
{
  using shape = words_kernel_shape<P>;
  static std::array<void (*)(P const), 1> entry{segment_words_kernel<P>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], shape::threads, shape::bytes, known);
  auto const blocks = static_cast<unsigned>(call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident);
  if (looks) launch(call, look_at_tickets_kernel<P>, problem, blocks, shape::threads, 0);
  launch(call, entry[0], problem, blocks, shape::threads, shape::bytes);
}

/// Whether a call of at most `most` elements may go by words. All segments have the same initial value then, and no
/// last values are written.
template <class P>
bool may_go_by_words(prepared_call const& call, P const& problem, std::size_t most)
{
  if constexpr (fits_words<P>) {
    if (call.facts().compute_capability < 80 || call.capacity() < words_by_warps || problem.initials != nullptr ||
        problem.lasts != nullptr)
      return false;
    if (most == no_bound) return true;
    // Two launches that end at once would cost such a call more.
    if (most / problem.segments >= words_kernel_shape<P>::most_in_ticket) return false;
    return most + problem.segments >= tuning_in_use().segments_scanned_by_words;
  } else {
    return false;
  }
}

}  // namespace tally::cuda_backend
