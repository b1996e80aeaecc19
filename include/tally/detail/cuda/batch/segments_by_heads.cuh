#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tally/detail/cuda/batch/segment_heads.cuh"
#include "tally/detail/cuda/batch/short_runs.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/launch.cuh"

/// Scans of short segments by the bits of their heads: which calls may go so, and their launches.
namespace tally::cuda_backend {

/// Words of the workspace for the heads of at most `most` elements, if these may be short enough on average to go by
/// heads; else none. A scan by heads has the same initial value for all segments, and writes no last values.
template <class P>
std::size_t words_for_heads(P const& problem, std::size_t most)
{
  if constexpr (fits_heads<P>) {
    constexpr std::size_t part = detail::batch::marked_heads::part;
    tuning const& by = tuning_in_use();
    if (problem.initials != nullptr || problem.lasts != nullptr || most > std::numeric_limits<std::uint32_t>::max() ||
        most / problem.segments > by.segments_by_heads || most + problem.segments < by.least_by_heads)
      return 0;
    return (most + part - 1) / part * (part / 64);
  } else {
    return 0;
  }
}

/// Marks the heads of segments in the zeros of `words`, and scans by them if the segments are short; else calls for the
/// general kernel.
template <class P>
void launch_by_heads(prepared_call const& call, P const& problem, std::size_t most, std::uint64_t* words)
{
  using offsets = typename P::offset_iterator;
  using shape = segment_heads_shape;
  using marked = segment_heads_problem<P>;
  auto* const bits = reinterpret_cast<std::uint32_t*>(words);
  static std::array<void (*)(marked const), 1> entry{segment_heads_kernel<P>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], shape::threads, 0, known);
  auto const blocks =
      static_cast<std::size_t>(call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident);
  std::size_t const shares = (problem.segments + shape::segments - 1) / shape::segments;
  launch(call, entry[0], marked{problem, bits, most}, static_cast<unsigned>(std::min(blocks, shares)), shape::threads);
  using by_heads = short_runs_problem<segment_work::scan, typename P::element, typename P::operation, typename P::input,
                                      typename P::output, no_head, heads_by_offsets<offsets>>;
  launch_short_runs(call, most,
                    by_heads{problem.in,
                             problem.out,
                             {},
                             {problem.offsets, problem.segments, problem.fewer, bits, problem.shared,
                              words_of_tickets(problem) + word_of_call},
                             problem.init,
                             problem.op,
                             problem.exclusive});
}

}  // namespace tally::cuda_backend
