#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/ring_memory.cuh"
#include "tally/detail/cuda/row_totals.cuh"
#include "tally/detail/cuda/scanned_rows.cuh"

/// What each warp of ring_kernel does.
namespace tally::cuda_backend {

/// Draws tiles and copies them, for as long as there are any. One lane does it all.
template <class P>
__device__ __forceinline__ void load_tiles(ring_memory<P>& memory, P const& problem)
{
  using ring = ring_memory<P>;
  if (threadIdx.x % warp_lanes != 0) return;
  std::uint32_t const tiles = problem.tiles();
  ring_position<ring::stages> at, behind;  // behind: the part that must have arrived before the next one is asked for
  int ahead = 0, part_behind = 0;
  for (bool first = true;; first = false, at.step()) {
    memory.free[at.stage].wait(at.phase ^ 1);
    drawing const drawn = resolve(*problem.shared, draw_unseen(*problem.shared), tickets_of_scan(tiles, gridDim.x));
    if (first) memory.epoch = drawn.epoch;
    memory.drawn[at.stage] = drawn.tile;
    memory.draw_known[at.stage].arrive();
    if (drawn.tile >= tiles) {
      memory.arrived[at.stage][0].arrive();
      for (int folder = 1; folder < ring::shape::folders; ++folder) {  // the others wait for a place of their own
        at.step();
        memory.free[at.stage].wait(at.phase ^ 1);
        memory.drawn[at.stage] = drawn.tile;
        memory.draw_known[at.stage].arrive();
      }
      return;
    }
    auto const* const from = reinterpret_cast<unsigned char const*>(problem.in) + drawn.tile * ring::tile_bytes;
    std::size_t const bytes = problem.size * sizeof(typename ring::stored) - drawn.tile * ring::tile_bytes;
#pragma unroll 1
    for (int part = 0; part < ring_parts; ++part) {
      if (ahead == ring::parts_on_their_way) {
        memory.arrived[behind.stage][part_behind].wait(behind.phase);
        if (++part_behind == ring_parts) {
          part_behind = 0;
          behind.step();
        }
      } else {
        ++ahead;
      }
      std::size_t const begin = part * ring::part_bytes;
      std::size_t const rest = bytes > begin ? bytes - begin : 0;
      auto const here = static_cast<std::uint32_t>(rest < ring::part_bytes ? rest : ring::part_bytes);
      std::uint32_t const bulk = here / 16 * 16;  // bulk copies are of whole 16 bytes
      unsigned char* const to = memory.tiles[at.stage] + begin;
      for (std::uint32_t k = bulk; k < here; ++k) to[k] = from[begin + k];
      memory.arrived[at.stage][part].arrive_and_expect(bulk);
      if (bulk != 0) memory.arrived[at.stage][part].bulk_load(to, from + begin, bulk);
    }
  }
}

/// Finds what precedes tiles of the block: every one of which the place in the block's sequence is `folder`, modulo the
/// number of folders.
template <class P>
__device__ __forceinline__ void fold_carries(ring_memory<P>& memory, P const& problem, int folder)
{
  using ring = ring_memory<P>;
  typename ring::Op op = problem.op;
  typename ring::fold carries(problem.init, op);
  std::uint32_t const tiles = problem.tiles();
  // A warp waits at no place but its own: those of the other the loader may have filled again before it comes there.
  int turn = 0;
  for (ring_position<ring::stages> at;; at.step(), turn = turn + 1 == ring::shape::folders ? 0 : turn + 1) {
    if (turn != folder) continue;
    memory.draw_known[at.stage].wait(at.phase);
    std::uint32_t const tile = memory.drawn[at.stage];
    if (tile >= tiles) return;
    auto const found = carries.advance(tile, problem.words, memory.epoch, *memory.fold_memory[folder], op);
    if (threadIdx.x % warp_lanes == 0) *memory.before_tile[at.stage] = found;
    memory.carried[at.stage].arrive();
  }
}

/// Totals the rows of each tile; publishes the tile's total; leaves what precedes each row.
template <class P>
__device__ __forceinline__ void reduce_tiles(ring_memory<P>& memory, P const& problem, int reducer)
{
  using ring = ring_memory<P>;
  using T = typename ring::T;
  typename ring::Op op = problem.op;
  auto transform = problem.transform;
  std::uint32_t const tiles = problem.tiles();
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  for (ring_position<ring::stages> at;; at.step()) {
    memory.arrived[at.stage][0].wait(at.phase);
    std::uint32_t const tile = memory.drawn[at.stage];
    if (tile >= tiles) {
      if (reducer == 0 && lane < ring::strips) memory.reduced[at.stage].arrive();
      return;
    }
    std::size_t const size = problem.tile_end(tile) - static_cast<std::size_t>(tile) * order::tile<T>;
    int const last_strip = place<T>(size - 1).strip();
#pragma unroll 1
    for (int strip = reducer; strip < ring::strips; strip += ring::shape::reducers) {
      memory.arrived[at.stage][strip * ring_parts / ring::strips].wait(at.phase);
      stored_rows<T, typename ring::stored const*, ring::rows> rows;
      rows.load(memory.tile(at.stage), strip * order::strip<T> + lane * order::group<T>, size, true);
      total_rows(rows, memory.row_totals[at.stage][strip], transform, op);
      if (strip == last_strip) {
        rows.forget();
        total_last_row(rows, strip, size, memory.last_before[at.stage], memory.last_own[at.stage], transform, op);
      }
    }
    asm volatile("bar.sync 1, %0;" ::"n"(ring::shape::reducers * warp_lanes) : "memory");
    if (reducer != 0) continue;
    strip_prefix<T, typename ring::Op> const prefix(memory.row_totals[at.stage], size, op);
    if (lane == last_strip)
      publish(problem.words + tile * words_of<typename ring::W>,
              prefix.last(*memory.last_before[at.stage], *memory.last_own[at.stage], op), memory.epoch);
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

/// The value at the element before a strip, which exclusive scans begin with.
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
    std::size_t const begin = static_cast<std::size_t>(tile) * order::tile<T>;
    std::size_t const end = problem.tile_end(tile);
    std::size_t const first = strip * order::strip<T> + lane * order::group<T>;
    memory.arrived[at.stage][strip * ring_parts / ring::strips].wait(at.phase);
    scanned_rows<T, typename ring::Op, typename ring::stored const*, typename P::transformation, ring::rows> rows;
    rows.load(memory.tile(at.stage), first, end - begin, true);
    W groups[ring::rows];
    rows.scan_groups(groups, lane, transform, op);
#pragma unroll
    for (int r = 0; r < ring::rows; ++r) rows.precede(r, *memory.before_rows[at.stage][strip][r], op);
    auto const to = problem.destination(end);
    // Found in trials before this, for floats: values that are there before the carry is gain 0.9 %. Where any
    // bracketing will do the carry joins what precedes each group instead, which takes fewer applications.
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
    bool const exclusive = problem.what == work::exclusive_scan;
    if (exclusive) {
      results last_row;
      if constexpr (early)
        last_row = values[batch - 1];
      else
        rows.scan(ring::rows - 1, last_row, transform, op);
      if (lane == warp_lanes - 1) {
        *memory.lasts[at.stage][strip] = last_row.last();
        memory.last_known[at.stage][strip].arrive();
      }
    }
    if constexpr (!early) rows.forget();
    left const carry = wait_for_carry(memory, at);
    W left_neighbour = carry.value;  // means nothing
    if (exclusive) left_neighbour = before_strip(memory, at, strip, op);
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
      if constexpr (!early) rows.forget();
    }
    memory.free[at.stage].arrive();
  }
}

}  // namespace tally::cuda_backend
