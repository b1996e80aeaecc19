#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/rows.cuh"

namespace tally::cuda_backend {

inline constexpr int reduce_threads = static_cast<int>(order::tile_strips) * warp_lanes;

/// The shared memory in which the warps of a block total a tile.
template <class T, class Op>
struct tile_totals {
  using W = working_type<T>;
  static constexpr int strips = static_cast<int>(order::tile_strips);
  uninitialized<W> rows[strips][order::strip_rows];
  uninitialized<left_operand<W, Op>> last_before[strips];
  uninitialized<W> last_own[strips];
};

/// Totals tiles, by one block; each of eight warps has a strip, each of 16 half of one.
template <class P, int Warps = static_cast<int>(order::tile_strips)>
class tile_reducer {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using rows = stored_rows<T, typename P::input, static_cast<int>(order::tile_strips* order::strip_rows) / Warps>;
  using shared = tile_totals<T, Op>;

  __device__ explicit tile_reducer(P const& problem) : problem_(problem), op_(problem.op), transform_(problem.transform)
  {
  }

  __device__ __forceinline__ void load(rows& into, std::uint32_t tile) const
  {
    tile_place const at = problem_.place_of(tile);
    auto const& in = problem_.input_of(at.sequence);
    if (first_row() <= last(tile).row)
      into.load(in, at.begin + first_row() * order::row<T> + lane() * order::group<T>, at.end,
                aligned_for_groups<T>(in));
  }
  /// Writes the totals of the rows that this warp has loaded to `memory`. A barrier must follow, and then
  /// `with_total`.
  __device__ __forceinline__ void total(rows& own, std::uint32_t tile, shared& memory)
  {
    int const last_row = last(tile).row;
    if (first_row() > last_row) return;
    int const strip = first_row() / static_cast<int>(order::strip_rows);
    total_rows(own, memory.rows[strip] + first_row() % static_cast<int>(order::strip_rows), transform_, op_);
    if (last_row < first_row() + rows::count) {
      own.keep_packed();
      total_last_row(own, warp(), size(tile), memory.last_before[strip], memory.last_own[strip], transform_, op_);
    }
  }
  /// Calls f(total) in one thread. One warp does the work.
  template <class F>
  __device__ __forceinline__ void with_total(std::uint32_t tile, shared& memory, F f)
  {
    if (warp() != 0) return;
    int const strip = last(tile).strip();
    strip_prefix<T, Op> const prefix(memory.rows, size(tile), op_);
    if (lane() == strip) f(prefix.last(*memory.last_before[strip], *memory.last_own[strip], op_));
  }
  __device__ __forceinline__ void publish_total(std::uint32_t tile, std::uint32_t epoch, shared& memory)
  {
    with_total(tile, memory, [&](W const& value) { publish(problem_.words + tile * words_of<W>, value, epoch); });
  }

private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }
  __device__ static int first_row() { return warp() * rows::count; }
  __device__ std::size_t size(std::uint32_t tile) const
  {
    tile_place const at = problem_.place_of(tile);
    return at.end - at.begin;
  }
  __device__ place<T> last(std::uint32_t tile) const { return place<T>(size(tile) - 1); }

  P const& problem_;
  Op op_;
  typename P::transformation transform_;
};

/// The blocks of a reduction that have work: one folds, and no more total tiles than there are tiles.
template <class P>
__device__ __forceinline__ std::uint32_t reducing_blocks(std::uint32_t tiles)
{
  return P::is_counted && tiles < gridDim.x ? tiles + 1 : gridDim.x;
}

/// The work of the block that folds all totals and writes the value.
template <class P>
__device__ __forceinline__ void fold_reduction(P const& problem)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using fold = reduction_fold<T, Op>;
  using reducer = tile_reducer<P>;
  constexpr int warps = static_cast<int>(order::tile_strips);
  __shared__ uninitialized<typename fold::template reduction_shared<warps>> memory;
  __shared__ std::uint32_t epoch;
  std::uint32_t const tiles = problem.tiles();
  if (P::is_counted && tiles == 0) {
    if (threadIdx.x == 0) reduce_nothing(problem);
    return;
  }
  Op op = problem.op;
  fold carries(problem.init, op);
  if (threadIdx.x == 0)
    epoch = resolve(*problem.shared, draw_unseen(*problem.shared, folder_ticket), tickets_of_reduction(tiles),
                    folder_ticket)
                .epoch;
  __syncthreads();
  auto const stand_in = [&](std::uint32_t tile) {
    __shared__ typename reducer::shared totals;
    reducer substitute(problem);
    typename reducer::rows own;
    substitute.load(own, tile);
    substitute.total(own, tile, totals);
    __syncthreads();
    substitute.publish_total(tile, epoch, totals);
    __syncthreads();
  };
  auto const value = carries.template reduce<warps>(tiles, problem.words, epoch, *memory, op, stand_in);
  if (threadIdx.x != 0) return;
  problem.out[0] = static_cast<T>(value);
  finish(*problem.shared, epoch, reducing_blocks<P>(tiles), problem.words, problem.capacity);
}

/// Reductions of more than one tile. Block 0 folds the totals of all tiles, as they appear; no block waits for it. The
/// others total tiles: first the tile of their own number, then those that they draw.
///
/// Loads go straight to registers: bulk copies, as in the scan's ring, reach 0.68 of the read limit here (measured,
/// with any number of them on their way).
template <class P, int BlocksPerProcessor>
__global__ void __launch_bounds__(reduce_threads, BlocksPerProcessor) reduce_kernel(__grid_constant__ P const given)
{
  using reducer = tile_reducer<P>;
  auto const& problem = at_its_turn(given);
  if (blockIdx.x == 0) {
    fold_reduction(problem);
  } else if (!P::is_counted || blockIdx.x <= problem.tiles()) {
    __shared__ typename reducer::shared totals[2];
    __shared__ std::uint32_t next[2];
    __shared__ std::uint32_t epoch;
    std::uint32_t const tiles = problem.tiles(), workers = gridDim.x - 1;
    reducer own(problem);
    int at = 0;
    for (std::uint32_t tile = blockIdx.x - 1; tile < tiles; at ^= 1) {
      std::uint64_t drawn = 0;
      if (threadIdx.x == 0) drawn = draw_unseen(*problem.shared);  // on its way while the tile is
      typename reducer::rows rows;
      own.load(rows, tile);
      own.total(rows, tile, totals[at]);
      if (threadIdx.x == 0) {
        drawing const known = resolve(*problem.shared, drawn, tickets_of_reduction(tiles));
        if (tile == blockIdx.x - 1) epoch = known.epoch;  // once: others may be reading it later
        next[at] = workers + (known.tile & ~folder_ticket);
      }
      __syncthreads();
      own.publish_total(tile, epoch, totals[at]);
      tile = next[at];
    }
    if (threadIdx.x == 0) finish(*problem.shared, epoch, reducing_blocks<P>(tiles), problem.words, problem.capacity);
  }
}

/// The reduction of an empty range: writes the initial value.
template <class P>
__global__ void nothing_kernel(__grid_constant__ P const problem)
{
  take_turn();
  reduce_nothing(problem);
}

}  // namespace tally::cuda_backend
