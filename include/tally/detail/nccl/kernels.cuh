#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/carries.hpp"
#include "tally/detail/nccl/walk_shared.cuh"

/// The kernels of a call on several GPUs. Each rank totals its tiles, and scans them once their carries are known: a
/// tile waits for no other.
namespace tally::nccl_backend {

using cuda_backend::is_plain;
using cuda_backend::uninitialized;
using cuda_backend::warp_lanes;
using cuda_backend::words_of;
using cuda_backend::work;

/// The elements from `in` on, converted, to `out`.
template <class T, class In, class Out, class Transform>
struct copy_problem {
  In in;
  std::size_t size;
  Out out;
  Transform transform;
};
template <class T, class P>
__global__ void copy_kernel(__grid_constant__ P const problem)
{
  cuda_backend::take_turn();
  auto transform = problem.transform;
  auto const k = static_cast<std::ptrdiff_t>(blockIdx.x) * threads + threadIdx.x;
  if (k >= static_cast<std::ptrdiff_t>(problem.size)) return;
  if constexpr (std::is_same_v<decltype(transform), std::identity>)
    problem.out[k] = static_cast<T>(problem.in[k]);
  else
    problem.out[k] = static_cast<T>(transform(problem.in[k]));
}

/// A problem whose tiles are totalled, and nothing more.
template <class P>
struct totals_problem : P {
  working_type<typename P::element>* totals;

  __device__ working_type<typename P::element>& total_of(std::uint32_t tile) const { return totals[tile]; }
};

/// Several sequences, of the same length each, as the kernels of tiles take them: tiles are numbered through all.
template <class T, class Op, class Inputs>
struct lines_problem {
  using element = T;
  using operation = Op;
  using input = std::remove_cvref_t<std::invoke_result_t<Inputs const&, std::size_t>>;
  using transformation = std::identity;
  static constexpr bool is_batch = true;
  static constexpr bool is_counted = false;

  Inputs inputs;
  std::size_t size;          ///< elements of a sequence
  std::uint32_t tiles_each;  ///< of a sequence
  std::uint32_t all_tiles;
  Op op;
  std::identity transform;
  cuda_backend::control* shared;
  std::uint64_t* words;
  std::size_t capacity;

  __host__ __device__ std::uint32_t tiles() const { return all_tiles; }
  __device__ cuda_backend::tile_place place_of(std::uint32_t tile) const
  {
    std::uint32_t const sequence = tile / tiles_each, in_sequence = tile - sequence * tiles_each;
    std::size_t const begin = static_cast<std::size_t>(in_sequence) * order::tile<T>, rest = size - begin;
    return {sequence, in_sequence, begin, begin + (rest < order::tile<T> ? rest : order::tile<T>)};
  }
  __device__ input input_of(std::size_t sequence) const { return inputs(sequence); }
};
template <class P>
struct line_totals_problem : P {
  working_type<typename P::element>* totals;
  std::uint64_t totals_each;  ///< places for the totals of a sequence

  __device__ working_type<typename P::element>& total_of(std::uint32_t tile) const
  {
    cuda_backend::tile_place const at = P::place_of(tile);
    return totals[at.sequence * totals_each + at.tile];
  }
};
template <class P, class Outputs>
struct carried_lines_problem : P {
  using T = typename P::element;
  using output = std::remove_cvref_t<std::invoke_result_t<Outputs const&, std::size_t>>;

  Outputs outputs;
  carries<T, typename P::operation> before;
  std::uint64_t first;    ///< the number of each sequence's first tile among the rank's
  std::uint32_t scanned;  ///< tiles that are scanned: all
  bool exclusive;

  __device__ carries<T, typename P::operation> before_of(std::size_t sequence) const { return before.of(sequence); }
  __device__ cuda_backend::destination<T, output> destination_of(cuda_backend::tile_place const& at) const
  {
    output const out = outputs(at.sequence);
    return {out, at.end, cuda_backend::aligned_for_groups<T>(out), exclusive};
  }
};

/// Writes the total of each tile. As in reduce_kernel, blocks begin with the tile of their own number and draw the
/// rest.
template <class P, int BlocksPerProcessor>
__global__ void __launch_bounds__(cuda_backend::reduce_threads, BlocksPerProcessor)
    totals_kernel(__grid_constant__ P const problem)
{
  using reducer = cuda_backend::tile_reducer<P>;
  using W = working_type<typename P::element>;
  cuda_backend::take_turn();
  __shared__ typename reducer::shared totals[2];
  __shared__ std::uint32_t next[2];
  std::uint32_t const tiles = problem.tiles();
  std::uint32_t epoch = 0;  // of thread 0 alone
  reducer own(problem);
  int at = 0;
  for (std::uint32_t tile = blockIdx.x; tile < tiles; at ^= 1) {
    std::uint64_t drawn = 0;
    if (threadIdx.x == 0) drawn = cuda_backend::draw_unseen(*problem.shared);  // on its way while the tile is
    typename reducer::rows rows;
    own.load(rows, tile);
    own.total(rows, tile, totals[at]);
    if (threadIdx.x == 0) {
      cuda_backend::drawing const known = cuda_backend::resolve(*problem.shared, drawn, tiles);
      epoch = known.epoch;
      next[at] = gridDim.x + known.tile;
    }
    __syncthreads();
    own.with_total(tile, totals[at], [&](W const& total) { problem.total_of(tile) = total; });
    tile = next[at];
  }
  if (threadIdx.x == 0) cuda_backend::finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
}

/// Writes the header and the slots of a rank, a thread for each.
template <class Sharing>
struct share_problem {
  Sharing of;
  shared_header* header;
  std::size_t sequences;
};
template <class Sharing>
__global__ void share_kernel(__grid_constant__ share_problem<Sharing> const problem)
{
  cuda_backend::take_turn();
  std::uint64_t const place = std::uint64_t(blockIdx.x) * threads + threadIdx.x, each = problem.of.header.values();
  if (place == 0) *problem.header = problem.of.header;
  if (place < each)
    problem.of.share(0, place);
  else if (place < each * problem.sequences)
    problem.of.share(static_cast<std::size_t>(place / each), place % each);
}

template <class T, class Op, class Put>
struct fold_problem {
  shared_blocks blocks;
  int ranks;
  Put put;
  Op op;
};
/// Puts the value of the whole, by a block for each sequence.
template <class T, class Op, class Put>
__global__ void fold_kernel(__grid_constant__ fold_problem<T, Op, Put> const problem)
{
  cuda_backend::take_turn();
  Op op = problem.op;
  shared_walk<T, Op> walk;
  auto const nothing = [](int, shared_header const&, std::uint64_t, auto const&) {};
  __shared__ uninitialized<walk_memory<T, Op>> memory;
  walk_shared(
      *memory, problem.blocks, problem.ranks, blockIdx.x, [](shared_header const& of) { return of.values(); }, walk, op,
      nothing, nothing);
  if (threadIdx.x == 0) problem.put(blockIdx.x, walk.at.last);
}

template <class T, class Op>
struct carries_problem {
  shared_blocks blocks;
  int rank;
  bool to_span;
  carries<T, Op> to;
  Op op;
};
/// Writes the values before the rank's first tile and before each of its spans, by a block for each sequence; if
/// `to_span`, only before the first span that begins among its tiles.
template <class T, class Op>
__global__ void carries_kernel(__grid_constant__ carries_problem<T, Op> const problem)
{
  cuda_backend::take_turn();
  Op op = problem.op;
  shared_walk<T, Op> walk;
  carries<T, Op> const to = problem.to.of(blockIdx.x);
  auto* const first = const_cast<carry_state<T, Op>*>(to.first);
  auto* const starts = const_cast<carry_type<Op, T>*>(to.starts);
  auto const write = [&](int r, shared_header const& of, std::uint64_t tile, carry_type<Op, T> const& spans) {
    if (r == problem.rank)
      starts[(of.first_tile + tile) / order::span_tiles - of.first_tile / order::span_tiles] = spans;
  };
  __shared__ uninitialized<walk_memory<T, Op>> memory;
  walk_shared(
      *memory, problem.blocks, problem.rank + 1, blockIdx.x,
      [&](shared_header const& of) { return problem.to_span ? of.values_to_span() : of.values(); }, walk, op,
      [&](int r, shared_header const& of, std::uint64_t tile, carry_state<T, Op> const& at) {
        if (r == problem.rank && tile == 0)
          *first = at;
        else
          write(r, of, tile, at.spans.value);
      },
      write);
}

/// A problem whose tiles have carries that are known.
template <class P>
struct carried_problem : P {
  carries<typename P::element, typename P::operation> before;
  std::uint64_t first;    ///< the number of its first tile among the rank's
  std::uint32_t scanned;  ///< tiles that are scanned, a block each

  __device__ auto const& before_of(std::uint32_t) const { return before; }
};

/// Scans tiles, a block each. In an exclusive scan one block more writes the first result behind them, which the ring
/// cannot know.
template <class P, int Warps, int BlocksPerProcessor>
__global__ void __launch_bounds__(Warps* warp_lanes, BlocksPerProcessor)
    carried_tiles_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  constexpr int rows = static_cast<int>(order::tile_strips * order::strip_rows) / Warps;
  using tile = cuda_backend::block_tile<T, Op, typename P::input, typename P::transformation, Warps, rows>;
  using left = typename tile::left;
  cuda_backend::take_turn();
  __shared__ uninitialized<typename tile::shared> memory;
  __shared__ uninitialized<W[order::span_tiles]> totals;
  __shared__ uninitialized<before_tile<T>> found;
  Op op = problem.op;
  auto transform = problem.transform;
  std::uint32_t const k = blockIdx.x;
  bool const scans = k < problem.scanned;
  tile own;
  cuda_backend::tile_place const of = problem.place_of(k);
  if (scans) {
    auto const& in = problem.input_of(of.sequence);
    own.load(in, of.begin, of.end, cuda_backend::aligned_for_groups<T>(in));
  }
  if (tile::warp() == 0) {
    auto const& before = problem.before_of(of.sequence);
    std::uint64_t const at = problem.first + of.tile, from = before.needed_from(at);
    if (from + tile::lane() < at) (*totals)[tile::lane()] = before.totals[from + tile::lane()];
    __syncwarp();
    if (tile::lane() == 0) *found = before.before(at, op, [&](std::uint64_t t) { return (*totals)[t - from]; });
  }
  if (!scans) {
    if constexpr (!P::is_batch)
      if (threadIdx.x == 0) problem.out[static_cast<std::ptrdiff_t>(of.begin)] = static_cast<T>(found->previous.value);
    return;
  }
  own.scan(*memory, transform, op);  // waits for the block
  left const carry = found->carry.is_present ? left::present(found->carry.value) : left::absent(op, (*totals)[0]);
  left const previous =
      found->previous.is_present ? left::present(found->previous.value) : left::absent(op, (*totals)[0]);
  own.store(problem.destination_of(of), of.begin, carry, previous, *memory, transform, op);
}

/// A problem whose first tile begins a span and whose initial value lies in memory: the spans before it.
template <class P>
struct continued_problem : P {
  carries<typename P::element, typename P::operation> before;
  std::uint64_t span;  ///< the rank's span that begins there

  /// Called by a kernel at its turn (at_its_turn).
  __device__ void read_count()
  {
    using T = typename P::element;
    using C = carry_type<typename P::operation, T>;
    detail::optional_value<C> const spans =
        span == 0 ? before.first->spans : detail::optional_value<C>{before.starts[span], true};
    this->init.is_present = spans.is_present;
    this->init.wide = spans.value;
    this->init.value = static_cast<working_type<T>>(spans.value);
  }
};

}  // namespace tally::nccl_backend
