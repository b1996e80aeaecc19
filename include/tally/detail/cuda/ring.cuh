#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/ring_position.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The scan of large aligned arrays on sm_90 and later. Each multiprocessor has one block, whose warps divide the work
/// and pass tiles along a ring of buffers in shared memory. docs/cuda.md draws it.
///
///   1 loader    draws tiles and starts their copies into the ring
///   folders     (1, or 2: ring_shape) fold the totals of all tiles into the carries of their block's tiles
///   reducers    (4, or 2) total the rows of a tile, publish its total, and store the fold before each row
///   8 scanners  a strip each: scan it, wait for the carry, write the results
namespace tally::cuda_backend {

// The memory that the warps of ring_kernel share.

/// The warps of a block: a loader, and these. Threads of sixteen warps have 128 registers each; wide operators need the
/// 168 of twelve warps. Found in trials: one folder is slower than the memory if operators are wide; 8 reducers are no
/// faster than 4; 4 scanners cost 0.5 % at 2^28.
template <class T, class Op>
struct ring_shape {
  static constexpr bool wide = sizeof(carry_type<Op, T>) > 16;
  static constexpr int folders =
      wide || std::is_arithmetic_v<working_type<T>> ? 1 : 2;  ///< each for its share of the block's tiles
  static constexpr int reducers = wide ? 2 : 4;               ///< four strips each, or two
  static constexpr int scanners = 8;                          ///< a strip each
  static constexpr int threads = (1 + folders + reducers + scanners) * warp_lanes;
};
inline constexpr int ring_parts = 4;  ///< copies for each tile

/// A tile of a batch's sequence, as the loader finds it for the other warps.
template <class P>
struct drawn_tile {
  tile_place place;
  typename P::output out;  ///< of the sequence
  int gap;                 ///< elements before the tile's first one in the aligned word that this lies in
};

/// The shared memory of a block.
template <class P>
struct ring_memory {
  using T = typename P::element;
  using Op = typename P::operation;
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using stored = std::remove_cv_t<std::iter_value_t<typename P::input>>;
  using shape = ring_shape<T, Op>;
  using fold = scan_fold<T, Op, shape::folders>;
  static_assert(shape::scanners == order::tile_strips);

  static constexpr std::size_t tile_bytes = order::tile<T> * sizeof(stored);
  static constexpr std::size_t part_bytes = tile_bytes / ring_parts;
  /// Found in trials of an earlier kernel, for tiles of 32 KiB: 6 tiles, and at most 6 parts of them on their way (in
  /// this kernel 5, 6 and 7 parts are alike). 4 tiles were 3.5 % slower and 7 gained nothing; 4, 5 and 8 parts gave
  /// .89, .963 and .973 of the copy, where 6 gave .973.
  static constexpr int stages = static_cast<int>(std::clamp<std::size_t>(196608 / tile_bytes, 2, 12));
  /// Batches have 8 parts on their way: rows of 65536 floats gain .02 of the copy, rows of 2^20 .01.
  static constexpr std::size_t bytes_on_their_way = P::is_batch ? 65536 : 49152;
  static constexpr int parts_on_their_way =
      static_cast<int>(std::clamp<std::size_t>(bytes_on_their_way / part_bytes, 2, stages* ring_parts));
  static constexpr int strips = static_cast<int>(order::tile_strips);
  static constexpr int rows = static_cast<int>(order::strip_rows);

  static constexpr bool shifted = is_shifted<typename P::input>;
  static constexpr std::size_t word_bytes = shifted ? 16 : 0;  // a tile that is not aligned takes a word more

  alignas(128) unsigned char tiles[stages][tile_bytes + word_bytes];
  uninitialized<W> row_totals[stages][strips][rows];
  uninitialized<left> before_rows[stages][strips][rows];
  uninitialized<left> last_before[stages];            // the fold before the last element's group, in its row
  uninitialized<W> last_own[stages];                  // the fold of that group up to the element
  uninitialized<W> totals[P::is_batch ? stages : 1];  // of the tiles, for the values after sequences
  uninitialized<W> lasts[stages][strips];  // the tile-local values of the strips' last elements, for exclusive scans
  uninitialized<typename fold::before> before_tile[stages];
  uninitialized<typename fold::shared> fold_memory[shape::folders];
  std::uint32_t drawn[stages];
  std::conditional_t<P::is_batch, uninitialized<drawn_tile<P>>, char> found[P::is_batch ? stages : 1];
  std::uint32_t epoch;

  /// The place of the tile in a stage.
  __device__ tile_place place(int stage, std::uint32_t tile, P const& problem)
  {
    if constexpr (P::is_batch)
      return found[stage]->place;
    else
      return problem.place_of(tile);
  }
  __device__ auto destination(int stage, tile_place const& at, P const& problem)
  {
    if constexpr (P::is_batch)
      return cuda_backend::destination<T, typename P::output>{found[stage]->out, at.end, problem.aligned_out,
                                                              problem.what == work::exclusive_scan};
    else
      return problem.destination_of(at);
  }

  /// Waits until the elements of a strip are there.
  __device__ __forceinline__ void wait_for_strip(int stage, int strip, std::uint32_t phase)
  {
    int const part = strip * ring_parts / strips;
    // Copies may end in any order. A part that is not aligned ends with the first word of the strip behind it.
    if (shifted && part > 0) arrived[stage][part - 1].wait(phase);
    arrived[stage][part].wait(phase);
  }

  arrival draw_known[stages];  // for the folder
  arrival arrived[stages][ring_parts];
  arrival reduced[stages];  // the fold before each row is known
  arrival carried[stages];  // the values before the tile are known
  arrival last_known[stages][strips];
  arrival free[stages];

  /// The elements of the tile in a stage. A sequence that runs backwards through memory does so here: its tile's first
  /// element is the last of the stage.
  __device__ auto tile(int stage, P const& problem)
  {
    auto const* const first = reinterpret_cast<stored const*>(tiles[stage]);
    if constexpr (shifted)
      return unaligned<stored const>{first + found[stage]->gap};
    else if constexpr (is_strided<typename P::input>)
      return problem.in_step > 0 ? strided<stored const>{first, 1}
                                 : strided<stored const>{first + order::tile<T> - 1, -1};
    else
      return first;
  }
  using tile_elements =
      std::conditional_t<shifted, unaligned<stored const>,
                         std::conditional_t<is_strided<typename P::input>, strided<stored const>, stored const*>>;

  /// Begins all barriers. Where a whole warp has read memory that will be overwritten, each lane arrives: that takes no
  /// longer than one arrival after a __syncwarp.
  __device__ void begin()
  {
    for (int s = 0; s < stages; ++s) {
      draw_known[s].begin(1);
      for (arrival& part : arrived[s]) part.begin(1);
      for (arrival& last : last_known[s]) last.begin(1);
      reduced[s].begin(strips);
      carried[s].begin(warp_lanes);
      free[s].begin(shape::scanners * warp_lanes);
    }
    fence_asynchronous();
  }
};

/// The input and the output of the sequence of a tile. Some places know where its elements begin.
template <class P, class Place>
__device__ __forceinline__ decltype(auto) input_at(P const& problem, Place const& place)
{
  if constexpr (requires { place.first; })
    return problem.input_from(place.first);
  else
    return problem.input_of(place.sequence);
}
template <class P, class Place>
__device__ __forceinline__ auto output_at(P const& problem, Place const& place)
{
  if constexpr (requires { place.first; })
    return problem.output_from(place.first);
  else
    return problem.output_of(place.sequence);
}

// The work of each warp of ring_kernel.

/// Draws tiles and copies them, until there are no more. One lane does all of this.
template <class P>
__device__ __forceinline__ void load_tiles(ring_memory<P>& memory, P const& problem)
{
  using ring = ring_memory<P>;
  if (threadIdx.x % warp_lanes != 0) return;
  std::uint32_t const tiles = problem.tiles();
  ring_position<ring::stages> at, behind;  // behind: the part that must have arrived before the next copy starts
  int ahead = 0, part_behind = 0;
  for (bool first = true;; first = false, at.step()) {
    memory.free[at.stage].wait(at.phase ^ 1);
    drawing const drawn = resolve(*problem.shared, draw_unseen(*problem.shared), tickets_of_scan(tiles, gridDim.x));
    if (first) memory.epoch = drawn.epoch;
    memory.drawn[at.stage] = drawn.tile;
    std::remove_cvref_t<decltype(problem.place_of(0))> place{};
    if (drawn.tile < tiles) {
      place = problem.place_of(drawn.tile);
      if constexpr (P::is_batch) *memory.found[at.stage] = {place, output_at(problem, place), 0};
    }
    memory.draw_known[at.stage].arrive();
    if (drawn.tile >= tiles) {
      memory.arrived[at.stage][0].arrive();
      for (int folder = 1; folder < ring::shape::folders; ++folder) {  // each other folder waits at its own stage
        at.step();
        memory.free[at.stage].wait(at.phase ^ 1);
        memory.drawn[at.stage] = drawn.tile;
        memory.draw_known[at.stage].arrive();
      }
      return;
    }
    auto const& in = input_at(problem, place);
    bool backwards = false;
    unsigned char const* from;
    std::size_t bytes = (place.end - place.begin) * sizeof(typename ring::stored);
    if constexpr (ring::shifted) {
      // Copies are of aligned words: the first one may have elements before the tile too, and the last one behind it.
      from = reinterpret_cast<unsigned char const*>(in.first + place.begin);
      auto const before = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) % 16);
      memory.found[at.stage]->gap = static_cast<int>(before / sizeof(typename ring::stored));
      from -= before;
      bytes = (bytes < ring::tile_bytes ? bytes : ring::tile_bytes) + before;
      std::size_t const padded = (bytes + 15) / 16 * 16;
      if (problem.has_in(from + padded - 1)) bytes = padded;
    } else if constexpr (P::is_batch && std::is_pointer_v<typename P::input>) {
      from = reinterpret_cast<unsigned char const*>(in + place.begin);
    } else if constexpr (P::is_batch) {
      backwards = in.step < 0;
      from = reinterpret_cast<unsigned char const*>(backwards ? in.first - place.begin + 1 : in.first + place.begin);
    } else {
      from = reinterpret_cast<unsigned char const*>(in) + drawn.tile * ring::tile_bytes;
    }
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
      std::size_t begin = part * ring::part_bytes, length = ring::part_bytes;
      if constexpr (ring::shifted) {
        // The first part is a word longer, and the others begin a word later: a strip may end there.
        if (part == 0)
          length += ring::word_bytes;
        else
          begin += ring::word_bytes;
        if (part == 0 && !problem.has_in(from)) {
          // The first word begins before the whole input: its elements are copied one by one.
          for (std::size_t k = memory.found[at.stage]->gap * sizeof(typename ring::stored); k < 16 && k < bytes; ++k)
            memory.tiles[at.stage][k] = from[k];
          begin += 16;
          length -= 16;
        }
      }
      std::size_t const rest = bytes > begin ? bytes - begin : 0;
      auto const here = static_cast<std::uint32_t>(rest < length ? rest : length);
      std::uint32_t const bulk = here / 16 * 16;  // bulk copies are of whole 16 bytes
      unsigned char* to = memory.tiles[at.stage] + begin;
      unsigned char const* here_from = from + begin;
      if (backwards) {
        to = memory.tiles[at.stage] + ring::tile_bytes - begin - bulk;
        here_from = from - begin - bulk;
        for (std::uint32_t k = 1; k <= here - bulk; ++k) *(to - k) = *(here_from - k);
      } else {
        for (std::uint32_t k = bulk; k < here; ++k) to[k] = here_from[k];
      }
      memory.arrived[at.stage][part].arrive_and_expect(bulk);
      if (bulk != 0) memory.arrived[at.stage][part].bulk_load(to, here_from, bulk);
    }
  }
}

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

/// Totals the rows of each tile, publishes the tile's total, and stores the fold before each row.
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
    meet_at_barrier<1, ring::shape::reducers * warp_lanes>();
    if (reducer != 0) continue;
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
    memory.free[at.stage].arrive();
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

  if (warp == 0)
    load_tiles(memory, problem);
  else if (warp <= shape::folders)
    fold_carries(memory, problem, warp - 1);
  else if (warp <= shape::folders + shape::reducers)
    reduce_tiles(memory, problem, warp - 1 - shape::folders);
  else
    scan_strips(memory, problem, warp - 1 - shape::folders - shape::reducers);

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
