#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/cuda/carry_fold.cuh"
#include "tally/cuda/elements.cuh"
#include "tally/cuda/problem.cuh"
#include "tally/cuda/row_totals.cuh"

namespace tally::cuda_backend {

inline constexpr int reduce_threads = static_cast<int>(order::tile_strips) * warp_lanes;

/// Reductions of more than one tile. Block 0 folds the totals of all tiles, as they appear, and has the value at last; nobody waits for it.
/// The others total tiles: first the one of their own number, then what they draw.
///
/// Loads go straight to registers: bulk copies, which the scan's ring is made of, reach 0.68 of what reads do here (measured, with any number of
/// them on their way). Only block 0 readies the counter for the next call, so whoever asks for the epoch before it has published
/// its last total gets that of this call.
template <class P, int BlocksPerProcessor>
__global__ void __launch_bounds__(reduce_threads, BlocksPerProcessor) reduce_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  using fold = reduction_fold<T, Op>;
  constexpr int strips = static_cast<int>(order::tile_strips);
  constexpr int rows = static_cast<int>(order::strip_rows);
  take_turn();
  Op op = problem.op;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const strip = static_cast<int>(threadIdx.x) / warp_lanes;
  std::uint32_t const tiles = problem.tiles();
  std::uint32_t const workers = gridDim.x - 1;
  auto const epoch = static_cast<std::uint32_t>(load_relaxed(&problem.shared->next) >> 32) + 1;

  if (blockIdx.x == 0) {
    __shared__ uninitialized<typename fold::shared[strips]> fold_memory;
    fold carries(problem.init, op);
    carries.advance_spans((tiles - 1) / static_cast<std::uint32_t>(order::span_tiles), problem.words, epoch,
                          *fold_memory, op);
    if (strip != 0) return;
    auto const found = carries.advance(tiles, problem.words, epoch, (*fold_memory)[0], op);
    if (lane == 0) problem.out[0] = static_cast<T>(found.previous.value);
    if (lane == 0) {
      // Every worker draws until it finds none left: `tiles` tickets, if any.
      if (tiles > workers)
        while (static_cast<std::uint32_t>(load_relaxed(&problem.shared->next)) != tiles) __nanosleep(100);
      end_epoch(*problem.shared, epoch, problem.words, problem.capacity);
    }
    return;
  }

  __shared__ uninitialized<W> row_totals[2][strips][rows];
  __shared__ uninitialized<left> last_before[2][strips];
  __shared__ uninitialized<W> last_own[2][strips];
  __shared__ std::uint32_t next[2];
  auto transform = problem.transform;
  bool const aligned = aligned_for_groups<T>(problem.in);
  int at = 0;
  for (std::uint32_t tile = blockIdx.x - 1; tile < tiles; at ^= 1) {
    std::uint64_t drawn = 0;
    if (threadIdx.x == 0 && tiles > workers) drawn = draw_unseen(*problem.shared);  // on its way while the tile is
    std::size_t const begin = static_cast<std::size_t>(tile) * order::tile<T>;
    std::size_t const end = problem.tile_end(tile);
    std::size_t const size = end - begin;
    int const last_strip = place<T>(size - 1).strip();
    if (strip <= last_strip) {
      stored_rows<T, typename P::input, rows> own;
      own.load(problem.in, begin + strip * order::strip<T> + lane * order::group<T>, end, aligned);
      total_rows(own, row_totals[at][strip], transform, op);
      if (strip == last_strip) {
        own.forget();
        total_last_row(own, strip, size, last_before[at][strip], last_own[at][strip], transform, op);
      }
    }
    if (threadIdx.x == 0) next[at] = tiles > workers ? static_cast<std::uint32_t>(drawn) + workers : tiles;
    __syncthreads();
    if (strip == 0) {
      strip_prefix<T, Op> const prefix(row_totals[at], size, op);
      if (lane == last_strip)
        publish(problem.words + tile * words_of<W>,
                prefix.last(*last_before[at][last_strip], *last_own[at][last_strip], op), epoch);
    }
    tile = next[at];
  }
}

/// The reduction of nothing.
template <class P>
__global__ void nothing_kernel(__grid_constant__ P const problem)
{
  take_turn();
  problem.out[0] = static_cast<typename P::element>(problem.init.value);
}

}  // namespace tally::cuda_backend
