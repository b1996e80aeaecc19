#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/block_tile.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/tuning.hpp"

/// The kernels that hold a tile in registers. They take any iterator and any alignment, and run on every GPU.
namespace tally::cuda_backend {

/// Arrays of one tile at most, by one block, which waits for no other.
template <class P, int Warps, int Rows>
__global__ void __launch_bounds__(Warps* warp_lanes) one_tile_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using tile = block_tile<T, Op, typename P::input, typename P::transformation, Warps, Rows>;
  using left = typename tile::left;
  auto const& problem = at_its_turn(given);
  __shared__ uninitialized<typename tile::shared> memory;
  if (P::is_counted && problem.size == 0) {
    if (problem.what == work::reduce && threadIdx.x == 0) reduce_nothing(problem);
    return;
  }
  Op op = problem.op;
  auto transform = problem.transform;
  left const init = problem.init.is_present ? left::present(problem.init.value) : left::absent(op, problem.init.value);
  tile own;
  own.load(problem.in, 0, problem.size, aligned_for_groups<T>(problem.in));
  own.scan(*memory, transform, op);
  if (problem.what == work::reduce)
    own.with(problem.size - 1, transform, op,
             [&](auto const& value) { problem.out[0] = static_cast<T>(init.before(value, op)); });
  else
    own.store(problem.destination(problem.size), 0, init, init, *memory, transform, op);
}

/// Arrays of two to eight tiles, on sm_90 and later: a cluster of blocks, a tile each, which write their totals to each
/// other's shared memory.
template <class P, int Warps>
__global__ void __launch_bounds__(Warps* warp_lanes) cluster_kernel(__grid_constant__ P const given)
{
#if __CUDA_ARCH__ >= 900
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  constexpr int rows = static_cast<int>(order::tile_strips * order::strip_rows) / Warps;
  using tile = block_tile<T, Op, typename P::input, typename P::transformation, Warps, rows>;
  using fold = own_tile_fold<T, Op, Warps>;
  arrive_at_cluster();  // no block may write to the memory of a block that has not begun
  auto const& problem = at_its_turn(given);
  __shared__ uninitialized<typename tile::shared> memory;
  __shared__ uninitialized<W[most_cluster_tiles]> totals;
  Op op = problem.op;
  auto transform = problem.transform;
  std::uint32_t const tiles = problem.tiles(), mine = blockIdx.x;
  std::size_t const begin = static_cast<std::size_t>(mine) * order::tile<T>, end = problem.tile_end(mine);
  bool const reduction = problem.what == work::reduce;
  tile own;
  if (mine < tiles) {
    own.load(problem.in, begin, end, aligned_for_groups<T>(problem.in));
    own.scan(*memory, transform, op);
  }
  wait_for_cluster();
  if (mine < tiles)
    own.with(end - begin - 1, transform, op, [&](W const& value) {
      std::uint32_t const first = reduction ? 0 : mine + 1, last = reduction ? 1 : tiles;
      for (std::uint32_t other = first; other < last; ++other) store_to_block((*totals)[mine], other, value);
    });
  arrive_at_cluster();
  wait_for_cluster();
  if (P::is_counted && tiles == 0 && reduction && mine == 0 && threadIdx.x == 0) reduce_nothing(problem);
  if (mine >= tiles) return;
  fold const carries(problem.init, op);
  if (reduction) {
    if (threadIdx.x == 0 && mine == 0)
      problem.out[0] = static_cast<T>(carries.after_few(*totals, static_cast<int>(tiles), op).previous.value);
  } else {
    auto const before = carries.after_few(*totals, static_cast<int>(mine), op);
    own.store(problem.destination(end), begin, before.carry, before.previous, *memory, transform, op);
  }
#endif
}

/// Scans of at most as many tiles as blocks run at once. Each block has the tile of its own number, and need not wait
/// for its ticket, which only gives the epoch. The blocks before it are not guaranteed to run, so a block that has
/// waited long for a total computes it. No block may then write what another may read, which excludes scans in place.
/// Smith, Levien, Owens, Decoupled fallback (2025).
template <class P, int Warps, int BlocksPerProcessor>
__global__ void __launch_bounds__(Warps* warp_lanes, BlocksPerProcessor)
    own_tiles_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  constexpr int rows = static_cast<int>(order::tile_strips * order::strip_rows) / Warps;
  using tile = block_tile<T, Op, typename P::input, typename P::transformation, Warps, rows>;
  using fold = own_tile_fold<T, Op, Warps>;
  auto const& problem = at_its_turn(given);
  __shared__ uninitialized<typename tile::shared> memory;
  __shared__ uninitialized<typename fold::shared[Warps]> fold_memory;
  __shared__ std::uint32_t epoch;
  __shared__ std::uint32_t late;
  Op op = problem.op;
  auto transform = problem.transform;
  bool const aligned = aligned_for_groups<T>(problem.in);
  std::uint32_t const tiles = problem.tiles();
  std::uint32_t const mine = problem.backwards ? tiles - 1 - blockIdx.x : blockIdx.x;
  if (P::is_counted && mine >= tiles) return;
  fold const carries(problem.init, op);
  typename fold::before before;
  tile own;
  auto const load = [&](std::uint32_t k) {
    own.load(problem.in, static_cast<std::size_t>(k) * order::tile<T>, problem.tile_end(k), aligned);
  };
  std::uint64_t ticket = 0;
  if (threadIdx.x == 0) ticket = draw_unseen(*problem.shared);  // on its way while the tile is
  load(mine);
  if (threadIdx.x == 0) epoch = resolve(*problem.shared, ticket, tiles).epoch;
  for (std::uint32_t at = mine;;) {
    own.scan(*memory, transform, op);
    own.with((problem.tile_end(at) - 1) % order::tile<T>, transform, op,
             [&](W const& total) { publish(problem.words + at * words_of<W>, total, epoch); });
    bool const found =
        carries.template advance_together<Warps>(mine, problem.words, epoch, *fold_memory, late, op, before);
    if (found && at == mine) break;
    at = found ? mine : late;
    load(at);
  }
  own.store(problem.destination(problem.tile_end(mine)), static_cast<std::size_t>(mine) * order::tile<T>, before.carry,
            before.previous, *memory, transform, op);
  if (threadIdx.x == 0)
    finish(*problem.shared, epoch, P::is_counted ? tiles : gridDim.x, problem.words, problem.capacity);
}

/// Scans of any size. Each block draws tiles until there are no more; each warp has a strip.
template <class P, int BlocksPerProcessor>
__global__ void __launch_bounds__(order::tile_strips* warp_lanes, BlocksPerProcessor)
    drawn_tiles_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using tile = block_tile<T, Op, typename P::input, typename P::transformation, static_cast<int>(order::tile_strips),
                          static_cast<int>(order::strip_rows)>;
  using fold = scan_fold<T, Op>;
  auto const& problem = at_its_turn(given);
  __shared__ uninitialized<typename tile::shared> memory;
  __shared__ uninitialized<typename fold::shared> fold_memory;
  __shared__ uninitialized<typename fold::before> before_tile;
  __shared__ drawing drawn;
  __shared__ typename tile_staging<P>::shared staging;
  Op op = problem.op;
  auto transform = problem.transform;
  std::uint32_t const tiles = problem.tiles();
  std::uint32_t sequence = 0;
  fold carries(problem.initial_of(sequence), op);
  for (;;) {
    __syncthreads();  // the drawing and the carry of the tile before have been read
    if (threadIdx.x == 0)
      drawn = resolve(*problem.shared, draw_unseen(*problem.shared), tickets_of_scan(tiles, gridDim.x));
    __syncthreads();
    std::uint32_t const k = drawn.tile;
    if (k >= tiles) break;
    std::uint32_t const epoch = drawn.epoch;
    tile_place const at = problem.place_of(k);
    auto const& in = problem.input_of(at.sequence);
    tile own;
    own.load(in, at.begin, at.end, aligned_for_groups<T>(in), staging);
    own.scan(*memory, transform, op);
    own.with(at.end - at.begin - 1, transform, op,
             [&](W const& total) { publish(problem.words + k * words_of<W>, total, epoch); });
    if (tile::warp() == 0) {
      if (P::is_batch && at.sequence != sequence) {
        sequence = at.sequence;
        carries = fold(problem.initial_of(sequence), op);
      }
      typename fold::before const found =
          carries.advance(at.tile, problem.words + (k - at.tile) * words_of<W>, epoch, *fold_memory, op);
      if (tile::lane() == 0) *before_tile = found;
    }
    __syncthreads();
    if constexpr (P::is_batch) {
      if (problem.lasts != nullptr && at.end == problem.size)
        own.with(at.end - at.begin - 1, transform, op,
                 [&](W const& value) { problem.put_last(at.sequence, before_tile->carry.before(value, op)); });
    }
    own.store(problem.destination_of(at), at.begin, before_tile->carry, before_tile->previous, *memory, transform, op,
              staging);
  }
  if (threadIdx.x == 0) finish(*problem.shared, drawn.epoch, gridDim.x, problem.words, problem.capacity);
}

}  // namespace tally::cuda_backend
