#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/batch/column_copy.cuh"
#include "tally/detail/cuda/batch/column_piece.cuh"
#include "tally/detail/cuda/batch/column_row.cuh"
#include "tally/detail/cuda/batch/columns_problem.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"

namespace tally::cuda_backend {

/// The shared memory of a block that scans columns.
template <class P>
struct columns_scan_shared {
  using T = typename P::element;
  using Op = typename P::operation;
  using W = working_type<T>;
  using wide_left = left_operand<carry_type<Op, T>, Op>;
  static constexpr int awaited_at_a_time = 1024;

  // Pairs are used in turn, piece by piece, so that no barrier is needed between the pieces.
  uninitialized<W> row_totals[2][column_threads];
  uninitialized<W> strip_totals[2][column_threads / rows_of_strip];
  uninitialized<W> lasts[column_threads];
  union {
    struct {
      uninitialized<column_state<T, Op>> state[2][most_tall_columns];
      uninitialized<wide_left> spans[most_tall_columns];
      uninitialized<wide_left> span_tiles[most_tall_columns];  // the earlier tiles of the span
    };
    uninitialized<W> awaited[awaited_at_a_time];  // totals of other blocks
  };
  drawing drawn;
};

/// Waits for the totals of `count` units, which other blocks publish, and calls take(total) with each in order.
/// `words(k)` is where unit k is. Each thread has several on their way at once: one takes some 700 cycles.
template <class P, class Words, class Take>
__device__ __forceinline__ void take_awaited(P const& p, column_share<P> const& at, std::uint32_t count,
                                             std::uint32_t epoch, columns_scan_shared<P>& memory,
                                             working_type<typename P::element> const& any, Words const& words,
                                             Take const& take)
{
  using W = working_type<typename P::element>;
  constexpr std::uint32_t of_a_thread = 8;
  auto const columns = static_cast<std::uint32_t>(p.piece.columns);
  auto const rows = static_cast<std::uint32_t>(p.piece.rows);
  std::uint32_t const fit = columns_scan_shared<P>::awaited_at_a_time / columns;
  std::uint32_t const at_a_time = fit < of_a_thread * rows ? fit : of_a_thread * rows;
#pragma unroll 1
  for (std::uint32_t first = 0; first < count; first += at_a_time) {
    std::uint32_t const end = count - first < at_a_time ? count : first + at_a_time;
    std::uint32_t const own = first + static_cast<std::uint32_t>(at.nominal_row(p));
    std::uint32_t const own_end = at.has_column ? end : 0;
    read_words<W> read[of_a_thread];
#pragma unroll
    for (std::uint32_t j = 0; j < of_a_thread; ++j)
      if (own + j * rows < own_end) read[j].load(p.words + words(own + j * rows));
    __syncthreads();
    await_all(
        read, epoch, [&](int j) { return own + static_cast<std::uint32_t>(j) * rows < own_end; },
        [&](int j) { read[j].load(p.words + words(own + static_cast<std::uint32_t>(j) * rows)); });
#pragma unroll
    for (std::uint32_t j = 0; j < of_a_thread; ++j) {
      std::uint32_t const k = own + j * rows;
      if (k < own_end) {
        W value = any;
        read[j].decode(value, epoch);
        *memory.awaited[(k - first) * columns + static_cast<std::uint32_t>(at.column)] = value;
      }
    }
    __syncthreads();
#pragma unroll 4
    for (std::uint32_t k = first; k < end; ++k)
      take(*memory.awaited[(k - first) * columns + static_cast<std::uint32_t>(at.column)]);
  }
}

/// The carry of a piece that other blocks' pieces come before. Publishes the totals of a tile and of a span that end
/// with the thread's row.
template <class P, class Row>
__device__ __forceinline__ auto awaited_carry(P const& p, column_share<P> const& at, Row const& elements,
                                              typename Row::left const& before_row, std::uint32_t epoch,
                                              columns_scan_shared<P>& memory, typename P::operation& op)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;
  std::uint32_t const tile = at.row_in_column / rows_of_tile;
  std::uint32_t const span = tile / tiles_of_span;
  std::uint32_t const before = tile % tiles_of_span;
  bool const publishes = at.is_own && at.ends_tile() && !at.ends_column(p);
  W total = elements.total();
  if (publishes) {
    total = elements.last(before_row, op);
    publish(p.words + p.at.tile(tile, at.sequence), total, epoch);
  }
  auto const init = initial_of_column(p, at.sequence);
  wide_left spans = init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide);
  std::uint64_t const* const span_words = p.words + p.at.span(span > 0 ? span - 1 : 0, at.sequence);
  read_words<C> span_read;
  if (span > 0) span_read.load(span_words);
  wide_left tiles = wide_left::absent(op, init.wide);
  take_awaited(
      p, at, before, epoch, memory, elements.total(),
      [&](std::uint32_t k) { return p.at.tile(span * tiles_of_span + k, at.sequence); },
      [&](W const& one) { tiles = wide_left::present(tiles.before(static_cast<C>(one), op)); });
  if (span > 0) {
    C value = init.wide;
    if (!span_read.decode(value, epoch)) value = awaited<C>(span_words, epoch, init.wide);
    spans = wide_left::present(value);
  }
  if (publishes && before == tiles_of_span - 1)
    publish(p.words + p.at.span(span, at.sequence),
            static_cast<C>(spans.before(tiles.before(static_cast<C>(total), op), op)), epoch);
  if (tile == 0) return carry_of_first_tile(init, op);
  return left::present(static_cast<W>(before > 0 ? spans.before(tiles, op).value : spans.value));
}

/// Scans columns. A block copies a piece to shared memory, each thread scans a row of a column there, and the block
/// copies the results out. The rows of a column exchange their totals in shared memory.
///
/// A block takes all pieces of its columns one after the other; or blocks draw pieces, and hand over the totals of rows
/// (if a piece is less than a strip), of strips and of tiles, and the folds of spans from the begin on. The totals wait
/// only for those of smaller units, so a block waits for at most 7 rows, 7 strips, 31 tiles and a fold.
template <class P, bool Stretches, int Groups, int Blocks>
__global__ void __launch_bounds__(column_threads, Blocks) scan_columns_kernel(P const p)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using In = typename P::input;
  using Out = typename P::output;
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using detail::batch::distances;
  using row_type = column_row<T, Op, In, Out, Groups, Stretches ? 0 : column_threads>;
  constexpr bool in_pieces = Groups == static_cast<int>(order::row_groups);
  bool const is_shared_out = in_pieces && p.is_shared_out;

  __shared__ columns_scan_shared<P> memory;
  __shared__ stretch_origins origins;
  extern __shared__ __align__(16) unsigned char piece_memory[];

  take_turn();
  Op op = p.op;
  auto const rows = static_cast<std::uint32_t>(p.piece.rows);
  bool const deep = rows > rows_of_strip;
  drawn_piece drawn{0, blockIdx.x, 0};
  if (is_shared_out) drawn = draw_piece(p, memory.drawn);
  origins.find(p, drawn.group);
  int parity = 0;
#pragma unroll 1
  for (std::uint32_t first_row = drawn.place * rows;; first_row += rows, parity ^= 1) {
    auto* const copied = reinterpret_cast<In*>(piece_memory);
    copy_piece_in<Stretches>(p, origins, copied, drawn.group, first_row);
    column_share<P> const at(p, drawn.group, first_row);
    row_place const in_piece = row_in_piece<Stretches, In>(p, at);
    row_type elements(copied + in_piece.first, in_piece.step, at.count);
    elements.fold(op);

    // The rows and strips before, within the piece and before it.
    left before_row = left::absent(op, elements.total());
    left carry = before_row;
    W previous = elements.total();
    bool const is_continued = in_pieces && !is_shared_out && first_row > 0;
    {
      auto& row_totals = memory.row_totals[parity];
      *row_totals[threadIdx.x] = elements.total();
      if (is_shared_out && rows < rows_of_strip && at.is_own && at.is_whole() &&
          at.row_in_column % rows_of_strip != rows_of_strip - 1)
        publish(p.words + p.at.row(at.row_in_column, at.sequence), elements.total(), drawn.epoch);
      __syncthreads();
      column_state<T, Op>& state = *memory.state[parity][is_continued ? at.column : 0];
      int const strip_in_piece = deep ? at.row / static_cast<int>(rows_of_strip) : 0;
      left rows_before = before_row;
      if (is_shared_out)
        take_awaited(
            p, at, first_row % rows_of_strip, drawn.epoch, memory, elements.total(),
            [&](std::uint32_t k) { return p.at.row(first_row - first_row % rows_of_strip + k, at.sequence); },
            [&](W const& one) { rows_before = left::present(rows_before.before(one, op)); });
      if (is_continued && first_row % rows_of_strip != 0) rows_before = state.rows_before;
#pragma unroll 1
      for (int r = strip_in_piece * static_cast<int>(rows_of_strip); r < at.row; ++r)
        rows_before = left::present(rows_before.before(*row_totals[r * p.piece.columns + at.column], op));
      left strips_before = before_row;
      std::uint32_t const first_strip = first_row / rows_of_strip % strips_of_tile;
      if (deep || is_shared_out) {
        auto& strip_totals = memory.strip_totals[parity];
        if (at.is_own && at.ends_strip()) {
          W const total = rows_before.before(elements.total(), op);
          // A piece of a few rows has more columns than there are places, and needs none.
          if (deep) *strip_totals[strip_in_piece * p.piece.columns + at.column] = total;
          if (is_shared_out && !at.ends_tile())
            publish(p.words + p.at.strip(at.row_in_column / rows_of_strip, at.sequence), total, drawn.epoch);
        }
        if (is_shared_out)
          take_awaited(
              p, at, first_strip, drawn.epoch, memory, elements.total(),
              [&](std::uint32_t k) { return p.at.strip(first_row / rows_of_strip - first_strip + k, at.sequence); },
              [&](W const& one) { strips_before = left::present(strips_before.before(one, op)); });
        else if (is_continued && first_strip != 0)
          strips_before = state.strips_before;
        if (deep) __syncthreads();
#pragma unroll 1
        for (int s = 0; s < strip_in_piece; ++s)
          strips_before = left::present(strips_before.before(*strip_totals[s * p.piece.columns + at.column], op));
      } else if (is_continued && first_strip != 0) {
        strips_before = state.strips_before;
      }
      before_row = strips_before.before(rows_before, op);

      if (is_shared_out)
        carry = awaited_carry(p, at, elements, before_row, drawn.epoch, memory, op);
      else
        carry = is_continued ? state.carry : carry_of_first_tile(initial_of_column(p, at.sequence), op);

      // The value before the row, which an exclusive scan writes first.
      if (p.what == work::exclusive_scan) {
        if (at.is_own && at.is_whole() && in_pieces) {
          W const last = carry.before(elements.last(before_row, op), op);
          *memory.lasts[threadIdx.x] = last;
          if (is_shared_out && at.row == p.piece.rows - 1)
            publish(p.words + p.at.last(drawn.place, at.sequence), last, drawn.epoch);
        }
        __syncthreads();
        if (at.row > 0)
          previous = *memory.lasts[at.index(p) - p.piece.columns];
        else if (first_row == 0)
          previous = carry.value;  // the initial value
        else if (is_shared_out)
          previous = awaited<W>(p.words + p.at.last(drawn.place - 1, at.sequence), drawn.epoch, previous);
        else
          previous = state.previous;
      }

      // The state after the piece.
      if (in_pieces && !is_shared_out && at.is_own && at.row == p.piece.rows - 1 && !at.ends_column(p)) {
        column_state<T, Op>& next = *memory.state[parity ^ 1][at.column];
        W const rows_total = rows_before.before(elements.total(), op);
        next.rows_before = left::present(rows_total);
        next.strips_before = at.ends_strip() ? left::present(strips_before.before(rows_total, op)) : strips_before;
        W const total = elements.last(before_row, op);
        next.previous = carry.before(total, op);
        if (at.ends_tile())
          next.push(at.row_in_column / rows_of_tile, total, *memory.spans[at.column], *memory.span_tiles[at.column],
                    initial_of_column(p, at.sequence), op);
        else
          next.carry = carry;
      }
    }

    if (at.is_own) {
      previous = elements.write(carry, before_row, p.what == work::exclusive_scan, previous, op);
      if (p.lasts != nullptr && at.ends_column(p))
        p.lasts[p.places.template in<&distances::last>(at.sequence)] = static_cast<T>(previous);
    }
    copy_piece_out<Stretches>(p, origins, reinterpret_cast<Out*>(piece_memory), drawn.group, first_row);
    if (is_shared_out || p.rows - first_row <= rows) break;
    __syncthreads();
  }
  if (is_shared_out) {
    __syncthreads();
    if (threadIdx.x == 0) finish(*p.shared, drawn.epoch, gridDim.x, p.words, p.capacity);
  }
}

}  // namespace tally::cuda_backend
