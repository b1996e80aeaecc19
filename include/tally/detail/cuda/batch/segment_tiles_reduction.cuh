#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/segment_tiles.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/reduce_kernel.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Reductions of long segments, whose tiles a kernel has listed (segment_tiles.cuh). A kernel totals the tiles, a block
/// each, and one behind it folds the totals of each segment. Nothing waits within a kernel, so nothing is drawn.
namespace tally::cuda_backend {

inline constexpr std::uint32_t fold_tiles_of_warp = 8;  ///< that a warp looks at

/// The arguments of both kernels.
template <class P>
struct segment_totals_problem : P {
  listed_tiles list;
  std::size_t most_by_warp;  ///< tiles of a segment whose totals a warp folds

  __device__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(*list.count); }
  /// The epoch in the words of totals: that of the last call, in which no later call will look for one.
  __device__ std::uint32_t epoch() const { return static_cast<std::uint32_t>(load_relaxed(&this->shared->next) >> 32); }
  __device__ std::uint64_t* words_of_tile(std::uint32_t tile) const
  {
    return this->words + static_cast<std::size_t>(tile) * words_of<working_type<typename P::element>>;
  }
};

/// The total of a segment of less than two groups. Whole words around it need not be there.
template <class T, class Op>
__device__ __forceinline__ working_type<T> total_of_few(T const* from, int size, Op& op)
{
  using W = working_type<T>;
  constexpr int group = static_cast<int>(order::group<T>);
  W total = static_cast<W>(from[0]);
  for (int k = 1; k < size && k < group; ++k) total = static_cast<W>(op(total, static_cast<W>(from[k])));
  if (size > group) {
    W last = static_cast<W>(from[group]);
    for (int k = group + 1; k < size; ++k) last = static_cast<W>(op(last, static_cast<W>(from[k])));
    total = static_cast<W>(op(total, last));
  }
  return total;
}

/// Totals the tiles in the list.
template <class P>
__global__ void __launch_bounds__(reduce_threads, 3)
    total_listed_tiles_kernel(__grid_constant__ segment_totals_problem<P> const problem)
{
  using T = typename P::element;
  using Op = typename P::operation;
  constexpr int warps = reduce_threads / warp_lanes;
  constexpr std::uint32_t ahead = 1024;  ///< tiles; some 400 blocks are there at a time
  constexpr int group = static_cast<int>(order::group<T>);
  take_turn();
  __shared__ tile_totals<T, Op> totals;
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::uint32_t const tiles = problem.tiles();
  Op op = problem.op;
  std::identity transform;
  for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (threadIdx.x == 0 && tile + ahead < tiles) prefetch(problem.list.places + tile + ahead);
    listed_tile const at = problem.list.places[tile];
    unaligned<T const> const in{problem.in + at.first};
    std::size_t const size = at.end - at.begin;
    if (at.end < 2 * group) {
      if (threadIdx.x == 0)
        publish(problem.words_of_tile(tile), total_of_few<T>(in.first, static_cast<int>(size), op), problem.epoch());
      continue;
    }
    int const last_strip = place<T>(size - 1).strip();
#pragma unroll 1
    for (int strip = warp; strip <= last_strip; strip += warps) {
      stored_rows<T, unaligned<T const>, static_cast<int>(order::strip_rows)> rows;
      rows.load(in, at.begin + strip * order::strip<T> + lane * group, at.end, false);
      total_rows(rows, totals.rows[strip], transform, op);
      if (strip == last_strip) {
        rows.keep_packed();
        total_last_row(rows, strip, size, totals.last_before[strip], totals.last_own[strip], transform, op);
      }
    }
    __syncthreads();
    if (warp == 0) {
      strip_prefix<T, Op> const prefix(totals.rows, size, op);
      if (lane == last_strip)
        publish(problem.words_of_tile(tile),
                prefix.last(*totals.last_before[last_strip], *totals.last_own[last_strip], op), problem.epoch());
    }
    if (tile + gridDim.x < tiles) __syncthreads();  // the totals have been read
  }
}

/// Folds the totals of each segment. A warp looks at eight tiles, and folds the segments that end with these; a block
/// folds those of many tiles together.
template <class P>
__global__ void __launch_bounds__(reduce_threads)
    fold_listed_tiles_kernel(__grid_constant__ segment_totals_problem<P> const problem)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using by_warp = scan_fold<T, Op>;
  // A warp has eight spans of totals on their way. A segment of 2^28 floats has 1024, which are read after all else.
  using by_block = carry_fold<T, Op, 8>;
  constexpr int warps = reduce_threads / warp_lanes;
  constexpr std::uint32_t of_warp = fold_tiles_of_warp, of_block = warps * of_warp;
  union memory {
    uninitialized<typename by_warp::shared> of_warps[warps];
    uninitialized<typename by_block::template reduction_shared<warps>> of_block;
  };
  take_turn();
  __shared__ memory folds;
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::uint32_t const tiles = problem.tiles(), epoch = problem.epoch();
  Op op = problem.op;
  auto const ends_segment = [&](std::uint32_t tile) {
    return tile + 1 == tiles || problem.list.places[tile + 1].tile == 0;
  };
  for (std::uint32_t first = blockIdx.x * of_block; first < tiles; first += gridDim.x * of_block) {
    std::uint32_t const begin = first + static_cast<std::uint32_t>(warp) * of_warp,
                        own = begin + static_cast<std::uint32_t>(lane);
    bool ends = lane < static_cast<int>(of_warp) && own < tiles;
    std::uint32_t segment = 0, tile = 0;
    if (ends) {
      segment = problem.list.places[own].sequence;
      tile = problem.list.places[own].tile;
      ends = ends_segment(own);
    }
#pragma unroll 1
    for (unsigned left = __ballot_sync(whole_warp, ends && tile < problem.most_by_warp); left != 0; left &= left - 1) {
      int const of = __ffs(static_cast<int>(left)) - 1;
      std::uint32_t const this_segment = shuffle_from(segment, of), last = shuffle_from(tile, of);
      by_warp before(problem.init_of(this_segment), op);
      auto const found = before.advance(last + 1, problem.words_of_tile(begin + static_cast<std::uint32_t>(of) - last),
                                        epoch, *folds.of_warps[warp], op);
      if (lane == 0) problem.put_reduced(this_segment, found.previous.value);
    }
    if (__syncthreads_or(ends && tile >= problem.most_by_warp) == 0) continue;
#pragma unroll 1
    for (std::uint32_t at = first; at < first + of_block && at < tiles; ++at) {
      std::uint32_t const last = problem.list.places[at].tile;
      if (last < problem.most_by_warp || !ends_segment(at)) continue;
      std::uint32_t const this_segment = problem.list.places[at].sequence;
      by_block before(problem.init_of(this_segment), op);
      auto const value = before.template reduce<warps>(last + 1, problem.words_of_tile(at - last), epoch,
                                                       *folds.of_block, op, [](std::uint32_t) {});
      if (threadIdx.x == 0) problem.put_reduced(this_segment, value);
      __syncthreads();  // the folds have been read
    }
  }
}

}  // namespace tally::cuda_backend
