#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/ring_loader.cuh"
#include "tally/detail/cuda/ring_memory.cuh"
#include "tally/detail/cuda/ring_position.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The scan of large aligned arrays on sm_90 and later. Each multiprocessor has one block, whose warps divide the work
/// and pass tiles along a ring of buffers in shared memory. docs/cuda.md draws it.
///
///   1 loader    draws tiles and starts their copies into the ring
///   folders     (1, or 2: ring_shape) fold the totals of all tiles into the carries of their block's tiles
///   reducers    (4, or 2) total the rows of a tile; one in turn publishes its total, and stores the fold before each row
///   8 scanners  a strip each: scan it, wait for the carry, write the results
namespace tally::cuda_backend {

/// Finds the values before tiles of the block: those at places in the block's sequence that are `folder` modulo the
/// number of folders.
template <class P>
__device__ __forceinline__ void fold_carries(ring_memory<P>& memory, P const& problem, int folder)
{
  using ring = ring_memory<P>;
  typename ring::Op op = problem.op;
  std::uint32_t sequence = 0;
  typename ring::fold carries(problem.initial_of(sequence), op);
  std::uint32_t const tiles = problem.tiles();
  // A folder waits only at its own stages. The loader may have filled another folder's stage again before this one gets
  // there.
  int turn = 0;
  for (ring_position<ring::stages> at;; at.step(), turn = turn + 1 == ring::shape::folders ? 0 : turn + 1) {
    if (turn != folder) continue;
    memory.draw_known[at.stage].wait(at.phase);
    std::uint32_t const tile = memory.drawn[at.stage];
    if (tile >= tiles) return;
    tile_place const place = memory.place(at.stage, tile, problem);
    if (P::is_batch && place.sequence != sequence) {
      sequence = place.sequence;
      carries = typename ring::fold(problem.initial_of(sequence), op);
    }
    auto const found = carries.advance(place.tile, problem.words + (tile - place.tile) * words_of<typename ring::W>,
                                       memory.epoch, *memory.fold_memory[folder], op);
    if (threadIdx.x % warp_lanes == 0) *memory.before_tile[at.stage] = found;
    memory.carried[at.stage].arrive();
  }
}

/// Totals the rows of each tile. One reducer in turn publishes the tile's total, and stores the fold before each row.
template <class P>
__device__ __forceinline__ void reduce_tiles(ring_memory<P>& memory, P const& problem, int reducer)
{
  using ring = ring_memory<P>;
  using T = typename ring::T;
  typename ring::Op op = problem.op;
  auto transform = problem.transform;
  std::uint32_t const tiles = problem.tiles();
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int turn = 0;
  for (ring_position<ring::stages> at;; at.step(), turn = turn + 1 == ring::shape::reducers ? 0 : turn + 1) {
    memory.arrived[at.stage][0].wait(at.phase);
    std::uint32_t const tile = memory.drawn[at.stage];
    if (tile >= tiles) {
      if (reducer == 0 && lane < ring::strips) memory.reduced[at.stage].arrive();
      return;
    }
    tile_place const in_sequence = memory.place(at.stage, tile, problem);
    std::size_t const size = in_sequence.end - in_sequence.begin;
    int const last_strip = place<T>(size - 1).strip();
#pragma unroll 1
    for (int strip = reducer; strip < ring::strips; strip += ring::shape::reducers) {
      if (P::is_batch && strip > last_strip) break;
      memory.wait_for_strip(at.stage, strip, at.phase);
      stored_rows<T, typename ring::tile_elements, ring::rows> rows;
      rows.load(memory.tile(at.stage, problem), strip * order::strip<T> + lane * order::group<T>, size, true);
      total_rows(rows, memory.row_totals[at.stage][strip], transform, op);
      if (strip == last_strip) {
        rows.keep_packed();
        total_last_row(rows, strip, size, memory.last_before[at.stage], memory.last_own[at.stage], transform, op);
      }
    }
    memory.totalled[at.stage].arrive();
    if (reducer != turn) continue;
    memory.totalled[at.stage].wait(at.phase);
    strip_prefix<T, typename ring::Op> const prefix(memory.row_totals[at.stage], size, op);
    if (lane == last_strip) {
      auto const total = prefix.last(*memory.last_before[at.stage], *memory.last_own[at.stage], op);
      publish(problem.words + tile * words_of<typename ring::W>, total, memory.epoch);
      if constexpr (P::is_batch) *memory.totals[at.stage] = total;
    }
    if (lane < ring::strips) {
      prefix.store(memory.before_rows[at.stage][lane], op);
      memory.reduced[at.stage].arrive();
    }
  }
}

template <class P, class Position>
__device__ __forceinline__ auto wait_for_carry(ring_memory<P>& memory, Position const& at)
{
  memory.carried[at.stage].wait(at.phase);
  return memory.before_tile[at.stage]->carry;
}

/// The value at the element before a strip, with which an exclusive scan begins.
template <class P, class Position>
__device__ __forceinline__ auto before_strip(ring_memory<P>& memory, Position const& at, int strip,
                                             typename ring_memory<P>::Op& op)
{
  auto const& before = *memory.before_tile[at.stage];
  if (strip > 0) memory.last_known[at.stage][strip - 1].wait(at.phase);
  return strip == 0 ? before.previous.value : before.carry.before(*memory.lasts[at.stage][strip - 1], op);
}

/// Scans one strip of each tile, and writes the results.
template <class P>
__device__ __forceinline__ void scan_strips(ring_memory<P>& memory, P const& problem, int strip)
{
  using ring = ring_memory<P>;
  using T = typename ring::T;
  using W = typename ring::W;
  using left = typename ring::left;
  typename ring::Op op = problem.op;
  auto transform = problem.transform;
  std::uint32_t const tiles = problem.tiles();
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  for (ring_position<ring::stages> at;; at.step()) {
    memory.reduced[at.stage].wait(at.phase);
    std::uint32_t const tile = memory.drawn[at.stage];
    if (tile >= tiles) return;
    tile_place const in_sequence = memory.place(at.stage, tile, problem);
    std::size_t const begin = in_sequence.begin, end = in_sequence.end;
    std::size_t const first = strip * order::strip<T> + lane * order::group<T>;
    bool const exclusive = problem.what == work::exclusive_scan;
    bool const tells_next = exclusive && strip + 1 < ring::strips && lane == warp_lanes - 1;
    if (P::is_batch && strip * order::strip<T> >= end - begin) {
      // Short sequences leave many strips empty. Each barrier must end its phase all the same, and be waited for.
      if (exclusive && strip > 0) memory.last_known[at.stage][strip - 1].wait(at.phase);
      if (tells_next) memory.last_known[at.stage][strip].arrive();
      memory.free[at.stage].arrive();
      continue;
    }
    memory.wait_for_strip(at.stage, strip, at.phase);
    scanned_rows<T, typename ring::Op, typename ring::tile_elements, typename P::transformation, ring::rows> rows;
    rows.load(memory.tile(at.stage, problem), first, end - begin, true);
    W groups[ring::rows];
    rows.scan_groups(groups, lane, transform, op);
#pragma unroll
    for (int r = 0; r < ring::rows; ++r) rows.precede(r, *memory.before_rows[at.stage][strip][r], op);
    auto const to = memory.destination(at.stage, in_sequence, problem);
    // Computing the values before the carry arrives gains 0.9 % for floats, as trials of an earlier kernel found. If
    // any bracketing gives the same bits the carry joins the fold before each group instead, in fewer applications.
    constexpr bool exact = exactly_associative<typename ring::Op, T>;
    using results = typename decltype(rows)::results;
    constexpr int batch = batch_rows<results, ring::rows>;
    constexpr bool early = !exact && batch == ring::rows;
    results values[batch];
    auto const scan_batch = [&](int r) {
#pragma unroll
      for (int k = 0; k < batch; ++k) rows.scan(r + k, values[k], transform, op);
    };
    if constexpr (early) scan_batch(0);
    if (exclusive) {
      results last_row;
      if constexpr (early)
        last_row = values[batch - 1];
      else
        rows.scan(ring::rows - 1, last_row, transform, op);
      if (tells_next) {
        *memory.lasts[at.stage][strip] = last_row.last();
        memory.last_known[at.stage][strip].arrive();
      }
    }
    if constexpr (!early) rows.keep_packed();
    left const carry = wait_for_carry(memory, at);
    if constexpr (requires { problem.lasts; }) {
      if (problem.lasts != nullptr && end == problem.size && strip == 0 && lane == 0)
        problem.put_last(in_sequence.sequence, carry.before(*memory.totals[at.stage], op));
    }
    W left_neighbour = carry.value;  // arbitrary: not used by inclusive scans
    if (exclusive) left_neighbour = before_strip(memory, at, strip, op);
    memory.free[at.stage].arrive();  // all that is needed is in registers
#pragma unroll
    for (int r = 0; r < ring::rows; r += batch) {
      if constexpr (exact) {
#pragma unroll
        for (int k = 0; k < batch; ++k) rows.precede(r + k, carry, op);
      }
      if constexpr (!early) scan_batch(r);
      if constexpr (!exact) {
#pragma unroll
        for (int k = 0; k < batch; ++k) values[k].precede(carry, op);
      }
      W const next = to.last_of(values);
      to.store(begin + first + r * order::row<T>, values, left_neighbour, lane);
      left_neighbour = next;
      if constexpr (!early) rows.keep_packed();
    }
  }
}

/// The work of a block.
template <class P>
__device__ __forceinline__ void scan_by_ring(ring_memory<P>& memory, P const& given)
{
  using shape = typename ring_memory<P>::shape;
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes;
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  auto const& problem = at_its_turn(given);

  if (warp == 0) {
    if (threadIdx.x == 0) tile_loader<P>(memory, problem).load_all();
  } else if (warp <= shape::folders) {
    fold_carries(memory, problem, warp - 1);
  } else if (warp <= shape::folders + shape::reducers) {
    reduce_tiles(memory, problem, warp - 1 - shape::folders);
  } else {
    scan_strips(memory, problem, warp - 1 - shape::folders - shape::reducers);
  }

  __syncwarp();  // only one of the loader's lanes has worked: they meet again before they meet the block
  __syncthreads();
  if (threadIdx.x == 0) finish(*problem.shared, memory.epoch, gridDim.x, problem.words, problem.capacity);
}

template <class P>
__global__ void __launch_bounds__(ring_shape<typename P::element, typename P::operation>::threads, 1)
    ring_kernel(__grid_constant__ P const given)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw[];
  scan_by_ring(reinterpret_cast<ring_memory<P>&>(raw), given);
#endif
}

}  // namespace tally::cuda_backend
