#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "tally/detail/cuda/check.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/recurrence/recurrences.hpp"
#include "tally/detail/cuda/recurrence/segments_kernel.cuh"
#include "tally/detail/path.hpp"

namespace tally::cuda_backend {

template <segments_pass Pass, class P>
void launch_segments_of_recurrences(prepared_call const& call, P const& p)
{
  constexpr std::size_t bytes = sizeof(recurrence_segments_memory) * segments_warps<P>;
  constexpr int threads = segments_warps<P> * warp_lanes;
  static known_kernels known{};
  int const most = blocks_at_a_time(call, recur_segments_kernel<P, Pass>, threads, bytes, known);
  int const blocks = call.most_blocks() > 0 ? std::min(most, call.most_blocks()) : most;
  launch(call, recur_segments_kernel<P, Pass>, p, static_cast<unsigned>(blocks), threads, bytes);
}

/// The list of the long segments of at most `most` elements, in the workspace. Returns its size in words.
template <class W>
std::size_t place_list(prepared_call& call, long_segments<W>& longs, std::size_t most, std::size_t tile)
{
  std::size_t const segments = most / (longs.longest_by_warp + 1) + 1, tiles = most / tile + segments;
  auto const words_for = [](std::size_t bytes) { return (bytes + 7) / 8; };
  std::size_t const of_segments = words_for(segments * sizeof(long_segment)),
                    of_totals = words_for(tiles * sizeof(affine<W>)),
                    all = 1 + of_segments + segments + of_totals + words_for(tiles * sizeof(W));
  call.reserve_words(call.can_grow() ? all : 0);
  if (call.capacity() < all || tiles > 0xffffffffu) return 0;
  std::uint64_t* const words = call.words();
  longs.state = reinterpret_cast<unsigned long long*>(words);
  longs.segments = reinterpret_cast<long_segment*>(words + 1);
  longs.first_bad = reinterpret_cast<unsigned long long*>(words + 1 + of_segments);
  longs.totals = reinterpret_cast<affine<W>*>(words + 1 + of_segments + segments);
  longs.carries = reinterpret_cast<W*>(words + 1 + of_segments + segments + of_totals);
  return all;
}

template <class T>
bool run_recurrences_of_segments(prepared_call& call, segment_offsets const& offsets,
                                 recurrence_arrays<T> const& arrays, detail::batch::ends<T> const& ends)
{
  if (call.facts().compute_capability < 90) return false;
  using P = recurrence_segments_problem<T>;
  P p{.a = arrays.a,
      .constant = arrays.constant,
      .b = arrays.b,
      .out = arrays.out,
      .offsets = offsets.first,
      .are_wide = offsets.are_wide,
      .segments = offsets.segments,
      .before = ends.initial ? *ends.initial : T(0.0f),
      .befores = ends.initials,
      .lasts = ends.lasts,
      .longs = {tuning_in_use().long_recurrences, nullptr, nullptr, nullptr, nullptr, nullptr}};
  // Several warps may only overwrite the input of a segment once they know where the plain loop takes over.
  bool const in_place = arrays.out == arrays.a || arrays.out == arrays.b;
  std::size_t const words = in_place || offsets.most <= p.longs.longest_by_warp || offsets.most >> 40 != 0
                                ? 0
                                : place_list(call, p.longs, offsets.most, P::tile);
  if (words == 0) {
    detail::took("cuda: recurrences of segments", "a lane has a row of a segment");
    p.longs.longest_by_warp = static_cast<std::size_t>(-1);
    launch_segments_of_recurrences<segments_pass::whole>(call, p);
    return true;
  }
  detail::took("cuda: recurrences of segments, long ones by tiles", "there may be some");
  auto const clear = [&](std::size_t count) {
    check_cuda(cudaMemsetAsync(call.words(), 0, count * sizeof(std::uint64_t), call.stream()), "clearing memory");
  };
  clear(1);
  launch_segments_of_recurrences<segments_pass::whole>(call, p);
  launch_segments_of_recurrences<segments_pass::totals>(call, p);
  constexpr unsigned warps = 512;
  launch(call, carry_long_segments_kernel<P>, p, warps, warp_lanes);
  launch_segments_of_recurrences<segments_pass::tiles>(call, p);
  launch(call, repair_long_segments_kernel<P>, p, warps, warp_lanes);
  clear(words);  // no word of this memory may look published later
  return true;
}

}  // namespace tally::cuda_backend
