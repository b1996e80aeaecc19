#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/column_piece.cuh"
#include "tally/detail/cuda/batch/column_row.cuh"
#include "tally/detail/cuda/batch/columns_problem.cuh"
#include "tally/detail/cuda/boxes.hpp"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The scan of aligned columns on sm_90 and later. A piece is a row of the order of 32 columns side by side, which one
/// warp does alone, a lane each column. It draws the piece, copies it as one box to its own part of shared memory,
/// totals the rows, publishes the totals, folds those of the rows, strips and tiles before, writes the results in the
/// elements' places, and copies the box back. (The lanes store the last row of backward columns themselves: its box
/// begins before the matrix.)
///
/// Few copies are on their way to a multiprocessor at a time: a warp whose turn it is not has no piece yet. So pieces
/// arrive nearly in the order in which they were drawn, and those behind wait less for their totals.
namespace tally::cuda_backend {

/// The warps of a block that has its multiprocessor for itself. Shared memory has room for 12 boxes. Registers have
/// room for 12 warps, or for eight whose totals take two words: columns of doubles reach .93 of a copy with eight, .90
/// with 12.
template <class W>
inline constexpr int warps_of_columns = words_of<W> == 1 ? 12 : 8;
static_assert(box_columns == warp_lanes);

/// Whether the kernel takes such elements.
template <class P>
inline constexpr bool fits_columns_by_warps = sizeof(typename P::input) == 4 || sizeof(typename P::input) == 8;

template <class P>
struct columns_by_warps_problem : P {
  box_map in_boxes, out_boxes;
  std::uint32_t copies;    ///< on their way to a block at a time, one at least
  std::uint32_t last_row;  ///< of memory: the place of a backward column's element 0
};

template <class P>
struct columns_by_warps_memory {
  using In = typename P::input;
  static constexpr int warps = warps_of_columns<working_type<typename P::element>>;
  static constexpr int row = static_cast<int>(order::row<typename P::element>);

  static_assert(row <= 256, "a box has no more rows");

  alignas(128) In elements[warps][row][box_columns];
  arrival arrived[warps];
  std::uint32_t begun, ended;  ///< turns to copy that were asked for, and that are over

  __device__ void begin()
  {
    for (arrival& each : arrived) each.begin(1);
    begun = ended = 0;
    fence_asynchronous();
  }
};

/// The place of a row of the order.
struct row_place_in_column {
  std::uint32_t row, strip, tile, span;
  std::uint32_t in_strip, in_tile, in_span;  ///< rows of the strip, strips of the tile, tiles of the span before it
  int count;                                 ///< elements
  bool is_last, ends_strip, ends_tile;       ///< the last row ends nothing: no later row needs totals

  template <class P>
  __device__ __forceinline__ row_place_in_column(P const& p, std::uint32_t at)
      : row(at),
        strip(at / rows_of_strip),
        tile(at / rows_of_tile),
        span(tile / tiles_of_span),
        in_strip(at % rows_of_strip),
        in_tile(strip % strips_of_tile),
        in_span(tile % tiles_of_span)
  {
    constexpr auto length = static_cast<std::size_t>(order::row<typename P::element>);
    std::size_t const rest = p.size - static_cast<std::size_t>(row) * length;
    count = static_cast<int>(rest < length ? rest : length);
    is_last = row + 1 == p.rows;
    ends_strip = in_strip == rows_of_strip - 1 && !is_last;
    ends_tile = ends_strip && in_tile == strips_of_tile - 1;
  }
};

/// The piece of a ticket: its row, and where its columns are.
struct piece_in_boxes {
  std::uint32_t row;
  std::uint32_t matrix;
  int column;  ///< in its matrix
  int columns;
  std::size_t sequence;  ///< of its first column

  template <class P>
  __device__ __forceinline__ piece_in_boxes(P const& p, std::uint32_t ticket)
  {
    std::uint32_t const in_panel = p.panel * p.rows;
    std::uint32_t const panel = ticket / in_panel;
    std::uint32_t const before = panel * p.panel;
    std::uint32_t const wide = p.groups - before < p.panel ? p.groups - before : p.panel;
    std::uint32_t const rest = ticket - panel * in_panel;
    row = rest / wide;
    std::uint32_t const group = before + (rest - row * wide);
    matrix = group / p.groups_of_neighbours;
    column = static_cast<int>((group - matrix * p.groups_of_neighbours) * box_columns);
    columns = p.columns_of(group);
    sequence = p.first_sequence(group);
  }
};

/// Waits for a turn to copy: at most `copies` of the block are on their way at a time. One lane calls this.
template <class P>
__device__ __forceinline__ void take_turn_to_copy(columns_by_warps_memory<P>& memory, std::uint32_t copies)
{
  std::uint32_t const own = atomicAdd(&memory.begun, 1u);
  while (static_cast<std::int32_t>(own - atomicAdd(&memory.ended, 0u) - copies) >= 0) __nanosleep(20);
}
/// Ends it.
template <class P>
__device__ __forceinline__ void end_turn_to_copy(columns_by_warps_memory<P>& memory)
{
  atomicAdd(&memory.ended, 1u);
}

/// The whole block calls this, with barriers that have begun.
template <bool Backward, class P>
__device__ __forceinline__ void scan_columns_by_warps(columns_by_warps_memory<P>& memory,
                                                      columns_by_warps_problem<P> const& p)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using In = typename P::input;
  using Out = typename P::output;
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;
  using memory_type = columns_by_warps_memory<P>;
  constexpr int row_length = memory_type::row;
  constexpr int step = Backward ? -box_columns : box_columns;
  using row_type = column_row<T, Op, In, Out, static_cast<int>(order::row_groups), step>;
  constexpr int tiles_at_once = words_of<W> == 1 ? 16 : 4;  // as registers allow

  auto const warp = static_cast<int>(threadIdx.x) / warp_lanes;
  auto const lane = static_cast<int>(threadIdx.x) % warp_lanes;

  Op op = p.op;
  auto& box = memory.elements[warp];
  In* const first = &box[Backward ? row_length - 1 : 0][lane];
  bool const exclusive = p.what == work::exclusive_scan;
  std::uint32_t const pieces = p.groups * p.rows;
  std::uint32_t const tickets = tickets_of_scan(pieces, gridDim.x * (blockDim.x / warp_lanes));
  drawing drawn{};
  if (lane == 0) {
    take_turn_to_copy(memory, p.copies);
    drawn = resolve(*p.shared, draw_unseen(*p.shared), tickets);
  }
  std::uint32_t epoch = 0;
#pragma unroll 1
  for (std::uint32_t phase = 0;; phase ^= 1) {
    epoch = __shfl_sync(whole_warp, drawn.epoch, 0);
    std::uint32_t const ticket = __shfl_sync(whole_warp, drawn.tile, 0);
    if (ticket >= pieces) break;
    piece_in_boxes const piece(p, ticket);
    row_place_in_column const place(p, piece.row);
    // A backward row is found from the end of the columns, and may begin before the matrix.
    auto const begin = static_cast<int>(piece.row * row_length);
    int const box_row = Backward ? static_cast<int>(p.last_row) - begin - (row_length - 1) : begin;
    if (lane == 0) {
      memory.arrived[warp].arrive_and_expect(sizeof box);
      memory.arrived[warp].box_load(&box, p.in_boxes, piece.column, box_row, static_cast<int>(piece.matrix));
    }
    bool const is_own = lane < piece.columns;
    std::size_t const sequence = piece.sequence + static_cast<std::size_t>(is_own ? lane : piece.columns - 1);
    auto const init = initial_of_column(p, sequence);
    memory.arrived[warp].wait(phase);
    if (lane == 0) end_turn_to_copy(memory);

    // Lanes without a column get the last one, and places without an element the last one: the operator meets elements
    // alone, and no conditions are needed below.
    if (piece.columns < box_columns) {
      In const* const last_column = first - (lane - (piece.columns - 1));
      for (int k = 0; k < row_length && !is_own; ++k) first[k * step] = last_column[k * step];
      __syncwarp();
    }
    if (place.count < row_length) {
      In const filler = first[(place.count - 1) * step];
      for (int k = place.count; k < row_length; ++k) first[k * step] = filler;
    }
    W const total = row_type::total_of(first, op);
    if (!place.is_last && !place.ends_strip && is_own) publish(p.words + p.at.row(place.row, sequence), total, epoch);

    // All totals before are on their way at once.
    std::size_t const distance = p.at.columns * words_of<W>;
    std::uint64_t const* const row_words = p.words + p.at.row(place.row - place.in_strip, sequence);
    std::uint64_t const* const strip_words = p.words + p.at.strip(place.strip - place.in_tile, sequence);
    std::uint64_t const* tile_words = p.words + p.at.tile(place.span * tiles_of_span, sequence);
    std::uint64_t const* const span_words = p.words + p.at.span(place.span > 0 ? place.span - 1 : 0, sequence);
    auto const rows_there = static_cast<int>(place.in_strip), strips_there = static_cast<int>(place.in_tile);
    auto tiles_there = static_cast<int>(place.in_span);
    awaited_units<W, rows_of_strip - 1> rows;
    awaited_units<W, strips_of_tile - 1> strips;
    awaited_units<W, tiles_at_once> some_tiles;
    read_words<C> span_read;
    rows.load(row_words, distance, rows_there);
    strips.load(strip_words, distance, strips_there);
    some_tiles.load(tile_words, distance, tiles_there);
    if (place.span > 0) span_read.load(span_words);

    left rows_before = left::absent(op, total);
    left strips_before = rows_before;
    rows.take(row_words, distance, rows_there, epoch, total,
              [&](W const& one) { rows_before = left::present(rows_before.before(one, op)); });
    if (place.ends_strip && !place.ends_tile && is_own)
      publish(p.words + p.at.strip(place.strip, sequence), rows_before.before(total, op), epoch);
    strips.take(strip_words, distance, strips_there, epoch, total,
                [&](W const& one) { strips_before = left::present(strips_before.before(one, op)); });
    left const before_row = strips_before.before(rows_before, op);
    W last = total;
    if (place.ends_tile || (place.is_last && p.lasts != nullptr)) {
      row_type elements(first, step, place.count);
      elements.fold(op);
      last = elements.end(op).last(before_row, op);
      if (place.ends_tile && is_own) publish(p.words + p.at.tile(place.tile, sequence), last, epoch);
    }

    wide_left tiles = wide_left::absent(op, init.wide);
    wide_left spans = init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide);
#pragma unroll 1
    while (tiles_there > 0) {
      some_tiles.take(tile_words, distance, tiles_there, epoch, total,
                      [&](W const& one) { tiles = wide_left::present(tiles.before(static_cast<C>(one), op)); });
      tiles_there -= tiles_at_once;
      tile_words += tiles_at_once * distance;
      some_tiles.load(tile_words, distance, tiles_there);
    }
    if (place.span > 0) {
      C value = init.wide;
      if (!span_read.decode(value, epoch)) value = awaited<C>(span_words, epoch, init.wide);
      spans = wide_left::present(value);
    }
    if (place.ends_tile && place.in_span == tiles_of_span - 1 && is_own)
      publish(p.words + p.at.span(place.span, sequence),
              static_cast<C>(spans.before(tiles.before(static_cast<C>(last), op), op)), epoch);
    left const carry = place.tile == 0     ? carry_of_first_tile(init, op)
                       : place.in_span > 0 ? left::present(static_cast<W>(spans.before(tiles, op).value))
                                           : left::present(static_cast<W>(spans.value));
    if (place.is_last && p.lasts != nullptr && is_own)
      p.lasts[p.places.template in<&detail::batch::distances::last>(sequence)] = static_cast<T>(carry.before(last, op));
    // An exclusive scan is an inclusive one whose box goes one place further along, and the initial value.
    if (exclusive && piece.row == 0 && is_own)
      p.out[p.places.template in<&detail::batch::distances::out>(sequence)] =
          static_cast<Out>(static_cast<T>(carry.value));

    row_type::write_whole(first, carry, before_row, op);
    int const to_row = box_row + (exclusive ? (Backward ? -1 : 1) : 0);
    // A box that begins before the matrix can be read, but not written.
    bool const is_box = !Backward || to_row >= 0;
    if (!is_box && is_own) {
      Out* const column = p.out + p.places.template in<&detail::batch::distances::out>(sequence);
      for (int k = -to_row; k < row_length; ++k)
        column[(static_cast<std::ptrdiff_t>(p.last_row) - (to_row + k)) * p.out_step] =
            reinterpret_cast<Out const&>(box[k][lane]);
    }
    fence_asynchronous();
    __syncwarp();
    if (lane == 0) {
      if (is_box) box_store(p.out_boxes, &box, piece.column, to_row, static_cast<int>(piece.matrix));
      await_box_reads();
      take_turn_to_copy(memory, p.copies);
      drawn = resolve(*p.shared, draw_unseen(*p.shared), tickets);
    }
  }
  if (lane == 0) end_turn_to_copy(memory);
  __syncthreads();
  if (threadIdx.x == 0) finish(*p.shared, epoch, gridDim.x, p.words, p.capacity);
}

#ifdef __CUDACC__
template <class P, bool Backward>
__global__ void __launch_bounds__(columns_by_warps_memory<P>::warps* warp_lanes, 1)
    scan_columns_by_warps_kernel(__grid_constant__ columns_by_warps_problem<P> const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw_boxes[];
  auto& memory = *reinterpret_cast<columns_by_warps_memory<P>*>(raw_boxes);
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  take_turn();
  scan_columns_by_warps<Backward>(memory, p);
#endif
}
#endif

}  // namespace tally::cuda_backend
