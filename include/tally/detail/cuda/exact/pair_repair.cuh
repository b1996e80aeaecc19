#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/exact/pair_ends.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/exact/running_sum.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The repair of an exact scan by pairs whose results replace its terms (pair_kernel.cuh).
///
/// A tile in which pairs do not tell all results is left as it was. The sums before all tiles are exact, or nothing was
/// written before all results were known. So what is left of the call is to scan these tiles alone.
namespace tally::cuda_backend::exact {

/// Scans neighbouring terms by a lane, from the sum before them.
template <class P>
__device__ __forceinline__ void scan_neighbours(P const& problem, std::size_t first, std::size_t count,
                                                pair_sum const& before)
{
  using T = typename P::element;
  using sum_type = accumulator<T, false>;
  sum_type start;
  start.clear(0, 1);
  start.add(before.high);
  if (before.low != 0) start.add(before.low);  // a zero would hide that all terms were -0
  start.carry();
  running_sum<T, lanes::alone, sum_type> sum(start);
  constexpr int at_a_time = decltype(sum)::count;
  for (std::size_t k = 0; k < count; k += at_a_time) {
    double x[at_a_time];
    T results[at_a_time];
#pragma unroll
    for (int i = 0; i < at_a_time; ++i) x[i] = k + i < count ? term_of(problem.term(first + k + i)) : -0.0;
    sum.scan(x, results, problem.is_exclusive);
#pragma unroll
    for (int i = 0; i < at_a_time; ++i)
      if (k + i < count) problem.put(first + k + i, results[i]);
  }
}

/// Scans a tile by a warp: a lane takes the sequences that begin among its terms, each to its end in the tile.
template <class P>
__device__ __forceinline__ void scan_left_tile(P const& problem, std::size_t tile)
{
  unsigned const lane = lane_of_warp();
  std::uint32_t ends = 0;
  if constexpr (P::ends_type::has_ends) ends = problem.ends.ends_of_lane(tile);
  std::size_t const begin = tile * pair_tile, left = problem.ends.size() - begin;
  unsigned const size = left < pair_tile ? static_cast<unsigned>(left) : pair_tile;
  // The first end behind this lane's terms.
  unsigned const ended = __ballot_sync(whole_warp, ends != 0), behind = ended & ~((2u << lane) - 1);
  int const next = behind == 0 ? 0 : __ffs(static_cast<int>(behind)) - 1;
  std::uint32_t const ends_of_next = __shfl_sync(whole_warp, ends, next);
  unsigned const next_end =
      behind == 0 ? size : next * pair_terms + static_cast<unsigned>(__ffs(static_cast<int>(ends_of_next)));
  std::uint32_t const ends_before = __shfl_up_sync(whole_warp, ends, 1);
  bool const begins = lane == 0 || ends_with(ends_before, pair_terms - 1);
  std::uint32_t begun = (ends << 1 | (begins ? 1 : 0)) & ((1u << pair_terms) - 1);
  for (; begun != 0; begun &= begun - 1) {
    int const i = __ffs(static_cast<int>(begun)) - 1;
    unsigned const from = lane * pair_terms + i;
    if (from >= size) break;
    std::uint32_t const own_ends = ends >> i;
    unsigned const to = own_ends != 0 ? from + static_cast<unsigned>(__ffs(static_cast<int>(own_ends))) : next_end;
    pair_sum const before = from == 0 ? problem.states.of_tiles[tile].sum : pair_sum{problem.initial, 0, 0};
    scan_neighbours(problem, problem.ends.first() + begin + from, to - from, before);
  }
}

/// Scans the tiles that are left, if there are some.
template <class P>
__global__ void __launch_bounds__(pair_threads) repair_tiles_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  if (!problem.states.has_left_tiles()) return;
  std::size_t const tiles = problem.ends.tiles(), warps = gridDim.x * std::size_t{pair_warps};
  for (std::size_t tile = blockIdx.x * std::size_t{pair_warps} + threadIdx.x / warp_lanes; tile < tiles; tile += warps)
    if (problem.states.is_left(tile)) scan_left_tile(problem, tile);
}

}  // namespace tally::cuda_backend::exact
