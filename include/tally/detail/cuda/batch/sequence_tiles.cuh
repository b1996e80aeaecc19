#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/block_tile.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/reduce_kernel.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/staging.cuh"

/// Batches of sequences of up to a tile, a block each, and the reductions of longer ones.
namespace tally::cuda_backend {

/// Sequences of up to a tile. A block has one at a time, as many warps as that needs, and `Rows` rows in each warp.
template <class P, int Rows, int BlocksPerProcessor>
__global__ void __launch_bounds__(order::tile_strips* warp_lanes, BlocksPerProcessor)
    sequence_tiles_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using Op = typename P::operation;
  constexpr int warps = static_cast<int>(order::tile_strips);
  using tile = block_tile<T, Op, typename P::input, typename P::transformation, warps, Rows>;
  using left = typename tile::left;
  using W = typename tile::W;
  using staging =
      staging_of<typename P::input::value_type, typename P::output::value_type, warps, Rows * order::row<T>>;
  take_turn();
  __shared__ uninitialized<typename tile::shared> memory;
  __shared__ typename staging::shared stage;
  Op op = problem.op;
  auto transform = problem.transform;
  for (std::size_t s = blockIdx.x; s < problem.sequences; s += gridDim.x) {
    if (s != blockIdx.x) __syncthreads();  // the shared memory has been read
    left const init = first_carry<T>(problem.initial_of(s), op);
    tile own;
    own.load(problem.input_of(s), 0, problem.size, problem.aligned_in, stage);
    own.scan(*memory, transform, op, static_cast<int>(blockDim.x) / warp_lanes);
    if (problem.what == work::reduce) {
      own.with(problem.size - 1, transform, op, [&](W const& value) { problem.put_result(s, init.before(value, op)); });
    } else {
      if (problem.lasts != nullptr)
        own.with(problem.size - 1, transform, op, [&](W const& value) { problem.put_last(s, init.before(value, op)); });
      cuda_backend::destination<T, typename P::output> const to{problem.output_of(s), problem.size, problem.aligned_out,
                                                                problem.what == work::exclusive_scan};
      own.store(to, 0, init, init, *memory, transform, op, stage);
    }
  }
}

/// Reductions of sequences of up to a tile, a warp each: strip by strip, without waiting for another warp.
template <class P, int BlocksPerProcessor>
__global__ void __launch_bounds__(reduce_threads, BlocksPerProcessor)
    reduce_by_warps_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  constexpr int warps = reduce_threads / warp_lanes;
  take_turn();
  __shared__ tile_totals<T, Op> all_totals[warps];
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto& totals = all_totals[warp];
  std::size_t const sequence = static_cast<std::size_t>(blockIdx.x) * warps + static_cast<std::size_t>(warp);
  if (sequence >= problem.sequences) return;
  Op op = problem.op;
  std::identity transform;
  auto const in = problem.input_of(sequence);
  int const last_strip = place<T>(problem.size - 1).strip();
#pragma unroll 1
  for (int strip = 0; strip <= last_strip; ++strip) {
    stored_rows<T, typename P::input, static_cast<int>(order::strip_rows)> rows;
    rows.load(in, strip * order::strip<T> + lane * order::group<T>, problem.size, problem.aligned_in);
    total_rows(rows, totals.rows[strip], transform, op);
    if (strip == last_strip) {
      rows.keep_packed();
      total_last_row(rows, strip, problem.size, totals.last_before[strip], totals.last_own[strip], transform, op);
    }
  }
  __syncwarp();
  strip_prefix<T, Op> const prefix(totals.rows, problem.size, op);
  if (lane == last_strip) {
    auto const init = first_carry<T>(problem.initial_of(sequence), op);
    W const value = prefix.last(*totals.last_before[last_strip], *totals.last_own[last_strip], op);
    problem.put_result(sequence, init.before(value, op));
  }
}

/// Scans of sequences of up to a tile, a warp each: `Rows` rows at a time, without waiting for another warp.
template <class P, int Rows, int BlocksPerProcessor>
__global__ void __launch_bounds__(reduce_threads, BlocksPerProcessor)
    scan_by_warps_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  using rows = scanned_rows<T, Op, typename P::input, std::identity, Rows>;
  using results = typename rows::results;
  constexpr std::size_t warps = reduce_threads / warp_lanes;
  constexpr int row = static_cast<int>(order::row<T>), group = static_cast<int>(order::group<T>);
  constexpr int batch = batch_rows<results, Rows>;
  take_turn();
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::size_t const sequence = blockIdx.x * warps + static_cast<std::size_t>(threadIdx.x / warp_lanes);
  if (sequence >= problem.sequences) return;
  Op op = problem.op;
  std::identity transform;
  auto const in = problem.input_of(sequence);
  left const init = first_carry<T>(problem.initial_of(sequence), op);
  bool const has_initial = problem.init.is_present || problem.initials != nullptr;
  cuda_backend::destination<T, typename P::output> const to{problem.output_of(sequence), problem.size,
                                                            problem.aligned_out, problem.what == work::exclusive_scan};
  left const nothing = left::absent(op, init.value);
  left strips_before = nothing, rows_before = nothing;
  W left_neighbour = init.value;
#pragma unroll 1
  for (std::size_t first = 0; first < problem.size; first += Rows * row) {
    rows own;
    own.load(in, first + lane * group, problem.size, problem.aligned_in);
    W groups[Rows];
    own.scan_groups(groups, lane, transform, op);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      own.precede(r, strips_before.before(rows_before, op), op);
      rows_before = left::present(rows_before.before(shuffle_from(groups[r], warp_lanes - 1), op));
    }
    if ((first / row + Rows) % order::strip_rows == 0) {
      strips_before = strips_before.before(rows_before, op);
      rows_before = nothing;
    }
    own.keep_packed();
    __syncwarp();  // the elements of these rows have been read
#pragma unroll
    for (int r = 0; r < Rows; r += batch) {
      results values[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        own.scan(r + k, values[k], transform, op);
        if (has_initial) values[k].precede(init, op);
      }
      std::size_t const here = first + r * row;
      if (problem.lasts != nullptr && problem.size - 1 - here < batch * row) {
        place<T> const last(problem.size - 1 - here);
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (last.row == k && last.lane == lane) problem.put_last(sequence, values[k].at(last.in_group));
      }
      W const next = to.last_of(values);
      to.store(here + lane * group, values, left_neighbour, lane);
      left_neighbour = next;
    }
  }
}

/// Reductions of sequences of more than one tile. Each block publishes the total of the tile of its number, and counts
/// it at its sequence. The block that counts the last one of a sequence folds its totals: by one warp if they are few,
/// else by all. No block waits for another: all totals are there when the last one is counted, or will soon be.
///
/// The counts are words behind those of the totals, one a sequence. The ticket of a block only gives the epoch; the
/// block draws it while the tile is on its way.
template <class P, int BlocksPerProcessor>
__global__ void __launch_bounds__(reduce_threads, BlocksPerProcessor)
    reduce_sequences_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using few = scan_fold<T, Op>;
  using many = reduction_fold<T, Op>;
  constexpr int warps = static_cast<int>(order::tile_strips);
  union fold_memory {
    uninitialized<typename few::shared> few_tiles;
    uninitialized<typename many::template reduction_shared<warps>> many_tiles;
  };
  take_turn();
  __shared__ tile_totals<T, Op> totals;
  __shared__ fold_memory folds;
  __shared__ std::uint32_t epoch;
  __shared__ bool is_last;
  std::uint32_t const tiles = problem.tiles(), each = problem.tiles_each, tile = blockIdx.x, sequence = tile / each;
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  Op op = problem.op;
  std::identity transform;
  std::uint64_t ticket = 0;
  if (threadIdx.x == 0) ticket = draw_unseen(*problem.shared);
  tile_place const at = problem.place_of(tile);
  std::size_t const size = at.end - at.begin;
  auto const in = problem.input_of(at.sequence);
  int const last_strip = place<T>(size - 1).strip(), warps_here = static_cast<int>(blockDim.x) / warp_lanes;
#pragma unroll 1
  for (int strip = warp; strip <= last_strip; strip += warps_here) {
    stored_rows<T, typename P::input, static_cast<int>(order::strip_rows)> rows;
    std::size_t const end = is_shifted<typename P::input> ? problem.size : at.end;  // words behind a tile can be read
    rows.load(in, at.begin + strip * order::strip<T> + lane * order::group<T>, end, problem.aligned_in);
    total_rows(rows, totals.rows[strip], transform, op);
    if (strip == last_strip) {
      rows.keep_packed();
      total_last_row(rows, strip, size, totals.last_before[strip], totals.last_own[strip], transform, op);
    }
  }
  if (threadIdx.x == 0) epoch = resolve(*problem.shared, ticket, tiles).epoch;
  __syncthreads();
  if (problem.folded_by_a_warp && threadIdx.x >= warp_lanes) return;
  std::uint64_t* const words = problem.words + static_cast<std::size_t>(sequence) * each * words_of<W>;
  std::uint64_t* const count = problem.words + static_cast<std::size_t>(tiles) * words_of<W> + sequence;
  bool last = false;
  if (threadIdx.x < warp_lanes) {
    strip_prefix<T, Op> const prefix(totals.rows, size, op);
    if (lane == last_strip)
      publish(problem.words + tile * words_of<W>,
              prefix.last(*totals.last_before[last_strip], *totals.last_own[last_strip], op), epoch);
    __syncwarp();
    if (threadIdx.x == 0) last = count_at(count, epoch) == each;
    last = __shfl_sync(whole_warp, static_cast<int>(last), 0) != 0;
  }
  if (problem.folded_by_a_warp) {
    if (last) {
      few carries(problem.initial_of(sequence), op);
      auto const found = carries.advance(each, words, epoch, *folds.few_tiles, op);
      if (threadIdx.x == 0) problem.put_result(sequence, found.previous.value);
    }
  } else {
    if (threadIdx.x == 0) is_last = last;
    __syncthreads();
    if (is_last) {
      many carries(problem.initial_of(sequence), op);
      W const value = carries.template reduce<warps>(each, words, epoch, *folds.many_tiles, op, [](std::uint32_t) {});
      if (threadIdx.x == 0) problem.put_result(sequence, value);
    }
  }
  if (threadIdx.x == 0) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
}

}  // namespace tally::cuda_backend
