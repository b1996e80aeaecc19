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

/// The list of the long segments of at most `most` elements, in the workspace, and the words behind it for the totals
/// of their tiles. Returns the size of the list in words, or 0 if there is no room.
template <class W>
std::size_t place_list(prepared_call& call, long_segments& longs, std::size_t most, std::size_t tile)
{
  std::size_t const segments = most / (longs.longest_by_warp + 1) + 1, tiles = most / tile + segments;
  std::size_t const of_tiles = tiles * sizeof(long_segments::tile) / sizeof(std::uint64_t),
                    list = 1 + 2 * segments + of_tiles, all = list + tiles * words_of<affine<W>>;
  call.reserve_words(call.can_grow() ? all : 0);
  if (call.capacity() < all || tiles >= folder_ticket - 1) return 0;
  std::uint64_t* const words = call.words();
  longs.state = reinterpret_cast<unsigned long long*>(words);
  longs.segments = reinterpret_cast<std::size_t*>(words + 1);
  longs.first_bad = reinterpret_cast<unsigned long long*>(words + 1 + segments);
  longs.tiles = reinterpret_cast<long_segments::tile*>(words + 1 + 2 * segments);
  return list;
}

template <class P>
void launch_segments_of_recurrences(prepared_call const& call, P const& p)
{
  constexpr std::size_t bytes = sizeof(recurrence_segments_memory) * segments_warps<P>;
  constexpr int threads = segments_warps<P> * warp_lanes;
  static known_kernels known{};
  int const most = blocks_at_a_time(call, recur_segments_kernel<P>, threads, bytes, known);
  int const blocks = call.most_blocks() > 0 ? std::min(most, call.most_blocks()) : most;
  launch(call, recur_segments_kernel<P>, p, static_cast<unsigned>(blocks), threads, bytes);
}

/// The tiles of the segments in the list, whose totals have the words behind it.
template <class T>
void launch_long_segments(prepared_call const& call, recurrence_segments_problem<T> const& p, std::size_t list)
{
  using P = long_segments_problem<T>;
  P const of{{.a = p.a,
              .constant = p.constant,
              .b = p.b,
              .out = p.out,
              .size = 0,
              .sequences = 0,
              .a_step = p.a == nullptr ? 0 : 1,
              .b_step = 1,
              .out_step = 1,
              .where = batch_places(detail::batch::layout{}),
              .neighbours = 1,
              .a_across = 0,
              .b_across = 0,
              .out_across = 0,
              .before_across = 0,
              .a_dense = true,
              .b_dense = true,
              .out_dense = true,
              .a_groups = false,
              .b_groups = false,
              .out_groups = false,
              .a_begin = p.a,
              .a_end = nullptr,
              .b_begin = p.b,
              .b_end = nullptr,
              .before = p.before,
              .befores = p.befores,
              .lasts = p.lasts,
              .stores = results_stored::all,
              .first_bad = p.longs.first_bad},
             p,
             call.shared(),
             call.words() + list,
             call.capacity() - list};
  constexpr int threads = recurrence_tiles<T>::threads;
  constexpr std::size_t bytes = sizeof(recurrence_tiles_memory<P>);
  static known_kernels known{};
  int const most = blocks_at_a_time(call, recur_tiles_kernel<P>, threads, bytes, known);
  int const blocks = call.most_blocks() > 0 ? std::min(most, call.most_blocks()) : most;
  launch(call, recur_tiles_kernel<P>, of, static_cast<unsigned>(blocks), threads, bytes);
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
      .longs = {tuning_in_use().long_recurrences, nullptr, nullptr, nullptr, nullptr}};
  // Several warps may only overwrite the input of a segment once they know where the plain loop takes over.
  bool const in_place = arrays.out == arrays.a || arrays.out == arrays.b;
  std::size_t const words = in_place || offsets.most <= p.longs.longest_by_warp || offsets.most >> 40 != 0
                                ? 0
                                : place_list<typename P::W>(call, p.longs, offsets.most, P::tile);
  if (words == 0) {
    detail::took("cuda: recurrences of segments", "a lane has a row of a segment");
    p.longs.longest_by_warp = static_cast<std::size_t>(-1);
    launch_segments_of_recurrences(call, p);
    return true;
  }
  detail::took("cuda: recurrences of segments, long ones by tiles", "there may be some");
  auto const clear = [&](std::size_t count) {
    check_cuda(cudaMemsetAsync(call.words(), 0, count * sizeof(std::uint64_t), call.stream()), "clearing memory");
  };
  clear(1);
  launch_segments_of_recurrences(call, p);
  launch_long_segments(call, p, words);
  constexpr unsigned warps = 512;
  launch(call, repair_long_segments_kernel<P>, p, warps, warp_lanes);
  clear(words);  // no word of this memory may look published later
  return true;
}

}  // namespace tally::cuda_backend
