#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/cuda/block_tile.cuh"
#include "tally/cuda/carry_fold.cuh"
#include "tally/cuda/problem.cuh"

/// The kernels that hold a tile in registers. They take any iterator and any alignment, and run on every GPU.
namespace tally::cuda_backend {

/// Arrays of one tile at most: one block, which knows all that there is to know.
template <class P, int Warps, int Rows>
__global__ void __launch_bounds__(Warps* warp_lanes) one_tile_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using tile = block_tile<T, Op, typename P::input, typename P::transformation, Warps, Rows>;
  using left = typename tile::left;
  take_turn();
  __shared__ uninitialized<typename tile::shared> memory;
  Op op = problem.op;
  auto transform = problem.transform;
  left const init = problem.init.there ? left::present(problem.init.value) : left::absent(op, problem.init.value);
  tile own;
  own.load(problem.in, 0, problem.size, aligned_for_groups<T>(problem.in));
  own.scan(*memory, transform, op);
  if (problem.what == work::reduce)
    own.with(problem.size - 1, transform, op,
             [&](auto const& value) { problem.out[0] = static_cast<T>(init.before(value, op)); });
  else
    own.store(problem.destination(problem.size), 0, init, init, *memory, transform, op);
}

/// Scans of any size: each block draws tiles until there are no more. A warp has a strip.
template <class P, int BlocksPerProcessor>
__global__ void __launch_bounds__(order::tile_strips* warp_lanes, BlocksPerProcessor)
    tiles_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using tile = block_tile<T, Op, typename P::input, typename P::transformation, static_cast<int>(order::tile_strips),
                          static_cast<int>(order::strip_rows)>;
  using fold = scan_fold<T, Op>;
  take_turn();
  __shared__ uninitialized<typename tile::shared> memory;
  __shared__ uninitialized<typename fold::shared> fold_memory;
  __shared__ uninitialized<typename fold::before> before_tile;
  __shared__ drawing drawn;
  Op op = problem.op;
  auto transform = problem.transform;
  bool const aligned = aligned_for_groups<T>(problem.in);
  std::uint32_t const tiles = problem.tiles();
  fold carries(problem.init, op);
  bool const one_each = tiles == gridDim.x;  // no block draws to find that nothing is left

  for (;;) {
    __syncthreads();  // the drawing and the carry of the tile before have been read
    if (threadIdx.x == 0) drawn = draw(*problem.shared, tiles, one_each ? 0 : gridDim.x);
    __syncthreads();
    std::uint32_t const k = drawn.tile;
    if (k >= tiles) break;
    std::uint32_t const epoch = drawn.epoch;
    std::size_t const begin = static_cast<std::size_t>(k) * order::tile<T>;
    std::size_t const end = problem.tile_end(k);
    tile own;
    own.load(problem.in, begin, end, aligned);
    own.scan(*memory, transform, op);
    own.with(end - begin - 1, transform, op,
             [&](W const& total) { publish(problem.words + k * words_of<W>, total, epoch); });
    if (tile::warp() == 0) {
      typename fold::before const found = carries.advance(k, problem.words, epoch, *fold_memory, op);
      if (tile::lane() == 0) *before_tile = found;
    }
    __syncthreads();
    own.store(problem.destination(end), begin, before_tile->carry, before_tile->previous, *memory, transform, op);
    if (one_each) break;
  }
  if (threadIdx.x == 0) finish(*problem.shared, drawn.epoch, gridDim.x, problem.words, problem.capacity);
}

}  // namespace tally::cuda_backend
