#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/reduce_kernel.cuh"

/// Reductions of so few tiles that each has a block.
namespace tally::cuda_backend {

/// The warps of a block. Of bytes eight, since 16 would spill their registers.
template <class P>
inline constexpr int own_reduction_warps = sizeof(typename P::element) == 1 ? 8 : 16;
/// The blocks of a multiprocessor.
template <class P>
inline constexpr int own_reduction_blocks = own_reduction_warps<P> == 8 ? 3 : 2;
template <class P>
inline constexpr int own_reduction_threads = own_reduction_warps<P> * warp_lanes;

/// Whether this kind of problem has the kernel: numbers in memory. Others would gain little, and take time to compile.
template <class P>
inline constexpr bool fits_own_reduction =
    is_plain<typename P::input> && std::is_arithmetic_v<working_type<typename P::element>>;

template <class P>
__device__ __forceinline__ auto& own_totals_of(P const& problem)
{
  // The workspace begins with a header, and the header with the control.
  auto& header = *reinterpret_cast<workspace_header*>(problem.shared);
  if constexpr (words_of<working_type<typename P::element>> == 1)
    return header.of_one_word;
  else
    return header.of_two_words;
}

/// The totals of as many tiles as a block has threads: thread k waits for that of tile k, and each warp folds a span.
template <class P>
__device__ __forceinline__ void fold_own_totals(P const& problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using reducer = tile_reducer<P, own_reduction_warps<P>>;
  using fold = carry_fold<T, Op, 1>;
  auto& own = own_totals_of(problem);
  __shared__ uninitialized<typename fold::shared[own_reduction_warps<P>]> spans;
  __shared__ uninitialized<W> substitute;
  __shared__ std::uint32_t late;
  std::uint32_t const tiles = problem.tiles(), mine = threadIdx.x;
  if (P::is_counted && tiles == 0) {
    if (mine == 0) reduce_nothing(problem);
    return;
  }
  Op op = problem.op;
  constexpr auto span = static_cast<std::uint32_t>(fold::span);
  std::uint32_t const first = mine / span * span;  // tile of the warp's span
  auto& memory = (*spans)[mine / span];
  std::uint32_t const epoch = mine < tiles ? own.taken[mine] + 1 : 0;
  bool missing = mine < tiles;
  auto const take = [&](W const& total) {
    memory.totals[0][mine % span] = total;
    missing = false;
  };
  if (mine == 0) late = tiles;
  __syncthreads();
  for (;;) {
    unsigned polls = problem.backwards ? 1 : polls_before_standing_in;
    do {
      read_words<W> read;
      W total;
      if (missing) {
        read.load(own.words + mine * words_of<W>);
        if (read.decode(total, epoch)) take(total);
      }
    } while (__any_sync(whole_warp, missing) && --polls != 0);
    if (missing) atomicMin(&late, mine);
    if (first < tiles && !__any_sync(whole_warp, missing))
      fold::fold_kept(static_cast<int>(tiles - first < span ? tiles - first : span), memory, op);
    __syncthreads();
    std::uint32_t const tile = late;
    if (tile == tiles) break;
    __shared__ typename reducer::shared totals;
    reducer standing_in(problem);
    typename reducer::rows rows;
    standing_in.load(rows, tile);
    standing_in.total(rows, tile, totals);
    __syncthreads();  // all have read `late` too
    standing_in.with_total(tile, totals, [&](W const& total) { *substitute = total; });
    if (mine == 0) late = tiles;
    __syncthreads();
    if (mine == tile) take(*substitute);
  }
  if (mine == 0) {
    fold all(problem.init, op);
    problem.out[0] = static_cast<T>(all.reduce_kept(*spans, (tiles - 1) / span + 1, op));
  }
  if (mine < tiles) own.taken[mine] = epoch;
}

/// Reductions of at most as many tiles as a block has threads. Block 0 folds, and each other block totals the tile
/// before its own number. No block waits but block 0, which computes totals that are late: so it needs no other block
/// to run.
///
/// Found in trials, in graphs on an H100: 2^18 floats take 2.3 us instead of 3.1 by the kernel that draws tiles, whose
/// atomic operations on one word alone take 0.4; 2^14 floats 2.3 us instead of 2.5 by a cluster; 2^20 floats 2.9 us
/// with 16 warps a tile, 3.2 with eight.
template <class P>
__global__ void __launch_bounds__(own_reduction_threads<P>, own_reduction_blocks<P>)
    own_reduction_kernel(__grid_constant__ P const given)
{
  using reducer = tile_reducer<P, own_reduction_warps<P>>;
  using W = working_type<typename P::element>;
  auto const& problem = at_its_turn(given);
  if (blockIdx.x == 0) {
    fold_own_totals(problem);
    return;
  }
  std::uint32_t const tile = blockIdx.x - 1;
  if (P::is_counted && tile >= problem.tiles()) return;
  __shared__ typename reducer::shared totals;
  std::uint64_t* const words = own_totals_of(problem).words + tile * words_of<W>;
  std::uint64_t const before = load_relaxed(words);  // on its way while the tile is
  reducer own(problem);
  typename reducer::rows rows;
  own.load(rows, tile);
  own.total(rows, tile, totals);
  __syncthreads();
  own.with_total(tile, totals,
                 [&](W const& total) { publish(words, total, static_cast<std::uint32_t>(before >> 32) + 1); });
}

}  // namespace tally::cuda_backend
