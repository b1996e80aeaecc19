#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/striped_rows.cuh"
#include "tally/detail/cuda/totals_between.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The kernel for scans whose elements a function gives or whose results a function takes, by operators whose brackets
/// may be any.
///
/// Neighbouring lanes have neighbouring elements, so what functions read and write at a step lies together: in the
/// groups of the order each lane would have a line of its own.
namespace tally::cuda_backend {

/// A tile of a block: its warp's rows. The warp that adds up has in lane w what is up to warp w.
template <class P>
struct striped_tile {
  using W = working_type<typename P::element>;
  using shape = striped_shape<P>;

  std::uint32_t number;
  striped_rows<P> rows;
  W upto;

  __device__ __forceinline__ std::size_t begin() const { return static_cast<std::size_t>(number) * shape::tile; }
  __device__ __forceinline__ std::size_t end(std::size_t size) const
  {
    return size - begin() < shape::tile ? size : begin() + shape::tile;
  }
  __device__ __forceinline__ std::size_t first(int warp) const
  {
    return begin() + static_cast<std::size_t>(warp) * shape::rows * warp_lanes;
  }
};

/// Each block draws tiles until there are no more. `words` has `words_of<W>` a tile.
///
/// A block publishes a tile's total, and finishes the tile before it: whose predecessors' totals are there by then. A
/// compaction of 2^28 numbers took 0.9 ms where each tile waited for itself. One warp adds up for all, the last one,
/// which has no totals of other blocks to wait for: these kernels take as long as their instructions, and sixteen warps
/// that do the same take sixteen times as many.
template <class P>
__global__ void __launch_bounds__(striped_shape<P>::threads, striped_shape<P>::blocks_a_processor)
    striped_kernel(__grid_constant__ P const problem)
{
  using W = working_type<typename P::element>;
  using shape = striped_shape<P>;
  take_turn();
  using kept = typename shape::kept;
  extern __shared__ __align__(128) unsigned char tiles_kept[];  // a block's tile and the one before
  __shared__ uninitialized<W[shape::warps]> totals;
  __shared__ uninitialized<W[shape::warps]> parts;
  __shared__ uninitialized<W[shape::warps]> before_warps;
  __shared__ drawing drawn;
  typename P::operation op = problem.op;
  int const lane = static_cast<int>(threadIdx.x % warp_lanes), warp = static_cast<int>(threadIdx.x / warp_lanes);
  auto const tiles = static_cast<std::uint32_t>(shape::tiles(problem.size));
  bool const adds = warp == shape::warps - 1;
  running_fold<W> before{problem.init.value, problem.init.there};  // the warp that adds has it
  std::uint32_t folded = 0;                                        // tiles that `before` has
  striped_tile<P> own, next;
  own.number = tiles;  // none
  std::uint64_t ticket = 0;
  if (threadIdx.x == 0) ticket = draw_unseen(*problem.shared);
  for (int turn = 0;; turn ^= 1) {
    if (threadIdx.x == 0) drawn = resolve(*problem.shared, ticket, tickets_of_scan(tiles, gridDim.x));
    __syncthreads();
    std::uint32_t const epoch = drawn.epoch;
    next.number = drawn.tile;
    totals_between<shape::warps, W> between;
    if (own.number < tiles) between.ask(problem.words, folded, own.number);
    if (next.number < tiles) {
      W const total = next.rows.load(problem, next.first(warp), next.end(problem.size), lane, op,
                                     kept{tiles_kept + turn * shape::kept_bytes});
      if (lane == 0) (*totals)[warp] = total;
      __syncthreads();
      if (adds) {
        W upto[1] = {(*totals)[lane < shape::warps ? lane : 0]};
        kogge_stone_scan(upto, lane, op);
        next.upto = upto[0];
        if (lane == shape::warps - 1) publish(problem.words + next.number * words_of<W>, next.upto, epoch);
      }
    }
    if (own.number < tiles) {
      between.append_to(before, problem.words, epoch, *parts, lane, op);
      // On its way while results are handed over.
      if (threadIdx.x == 0 && next.number < tiles) ticket = draw_unseen(*problem.shared);
      if (adds) {
        running_fold<W> here = before;
        W const left = shuffle_up(own.upto, 1);
        if (lane > 0) here.append(left, op);
        if (lane < shape::warps) (*before_warps)[lane] = here.value;
        before.append(shuffle_from(own.upto, shape::warps - 1), op);
      }
      __syncthreads();
      bool const there = problem.init.there || own.number > 0 || warp > 0;
      own.rows.store(problem, own.first(warp), own.end(problem.size), {(*before_warps)[warp], there}, lane, op,
                     kept{tiles_kept + (turn ^ 1) * shape::kept_bytes});
      folded = own.number + 1;
    } else if (threadIdx.x == 0 && next.number < tiles) {
      ticket = draw_unseen(*problem.shared);
    }
    if (next.number >= tiles) {
      if (threadIdx.x == 0) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
      return;
    }
    own = next;
  }
}

}  // namespace tally::cuda_backend
