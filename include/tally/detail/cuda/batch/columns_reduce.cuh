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

/// The shared memory of a block that reduces columns.
template <class P>
struct columns_reduce_shared {
  using T = typename P::element;
  using Op = typename P::operation;
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using wide_left = left_operand<C, Op>;

  uninitialized<W> row_totals[2][column_threads];  // used in turn, piece by piece
  uninitialized<column_state<T, Op>> state[most_tall_columns];
  uninitialized<wide_left> spans[most_tall_columns];
  uninitialized<wide_left> span_tiles[most_tall_columns];  // the earlier tiles of the span
  // Of the block that folds the totals of all tiles.
  uninitialized<C> folds[column_threads];
  uninitialized<wide_left> all_but_the_last[most_tall_columns];
  uninitialized<W> last_total[most_tall_columns];
  drawing drawn;
};

/// Folds the totals of all tiles of a group of columns, by one block: each thread those of a span, and one thread of
/// each column those of the spans.
template <class P>
__device__ __forceinline__ void fold_column_tiles(P const& p, drawn_piece const& drawn,
                                                  columns_reduce_shared<P>& memory, typename P::operation& op)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using Out = typename P::output;
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;
  column_share<P> const at(p, drawn.group, 0);
  int const row = at.nominal_row(p);
  auto const rows = static_cast<std::size_t>(p.piece.rows);
  std::size_t const tiles = p.at.tiles;
  std::size_t const spans = p.at.spans;
  auto const init = initial_of_column(p, at.sequence);
  wide_left before = init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide);
#pragma unroll 1
  for (std::size_t first = 0; first < spans; first += rows) {
    std::size_t const span = first + static_cast<std::size_t>(row);
    if (at.has_column && span < spans) {
      std::size_t const begin = span * tiles_of_span;
      std::size_t const end = begin + tiles_of_span < tiles ? begin + tiles_of_span : tiles;
      wide_left fold = wide_left::absent(op, init.wide);
      constexpr std::size_t at_a_time = 8;  // on their way at once: one takes some 700 cycles
#pragma unroll 1
      for (std::size_t k = begin; k < end; k += at_a_time) {
        read_words<W> read[at_a_time];
#pragma unroll
        for (std::size_t j = 0; j < at_a_time; ++j)
          if (k + j < end) read[j].load(p.words + p.at.tile(k + j, at.sequence));
#pragma unroll
        for (std::size_t j = 0; j < at_a_time; ++j) {
          if (k + j < end) {
            W total = init.value;
            if (!read[j].decode(total, drawn.epoch))
              total = awaited<W>(p.words + p.at.tile(k + j, at.sequence), drawn.epoch, init.value);
            if (k + j + 1 == tiles) {
              *memory.all_but_the_last[at.column] = fold;
              *memory.last_total[at.column] = total;
            }
            fold = wide_left::present(fold.before(static_cast<C>(total), op));
          }
        }
      }
      *memory.folds[threadIdx.x] = fold.value;
    }
    __syncthreads();
    if (at.has_column && row == 0) {
      for (std::size_t r = 0; r < rows && first + r + 1 < spans; ++r)
        before = wide_left::present(
            before.before(*memory.folds[r * static_cast<std::size_t>(p.piece.columns) + at.column], op));
    }
    __syncthreads();
  }
  if (at.has_column && row == 0) {
    W const total = *memory.last_total[at.column];
    left carry = carry_of_first_tile(init, op);
    if (tiles > 1) {
      // In the first tile of a span there is nothing of the span before.
      bool const begins_span = (tiles - 1) % tiles_of_span == 0;
      wide_left const all = begins_span ? before : before.before(*memory.all_but_the_last[at.column], op);
      carry = left::present(static_cast<W>(all.value));
    }
    p.out[p.places.template in<&detail::batch::distances::out>(at.sequence)] =
        static_cast<Out>(static_cast<T>(carry.before(total, op)));
  }
}

/// Reduces columns. A block takes all pieces of its columns one after the other; or the blocks draw tiles, and those
/// that draw last fold the tiles' totals.
template <class P, bool Stretches, int Groups, int Blocks>
__global__ void __launch_bounds__(column_threads, Blocks) reduce_columns_kernel(P const p)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using In = typename P::input;
  using Out = typename P::output;
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using detail::batch::distances;
  using row_type = column_row_totals<T, Op, In, Groups>;
  constexpr bool in_pieces = Groups == static_cast<int>(order::row_groups);
  bool const is_shared_out = in_pieces && p.is_shared_out;

  __shared__ columns_reduce_shared<P> memory;
  [[maybe_unused]] __shared__ stretch_origins origins;
  extern __shared__ __align__(16) unsigned char piece_memory[];

  take_turn();
  Op op = p.op;
  auto const rows = static_cast<std::uint32_t>(p.piece.rows);
  drawn_piece drawn{0, blockIdx.x, 0};
  if (is_shared_out) drawn = draw_piece(p, memory.drawn);
  if (is_shared_out && drawn.place == p.at.tiles) {
    fold_column_tiles(p, drawn, memory, op);
  } else {
    std::uint32_t const begin = drawn.place * rows_of_tile;
    std::uint32_t const end = is_shared_out && p.rows - begin > rows_of_tile ? begin + rows_of_tile : p.rows;
    if constexpr (Stretches) origins.find(p, drawn.group);
    int parity = 0;
#pragma unroll 1
    for (std::uint32_t first_row = begin; first_row < end; first_row += rows, parity ^= 1) {
      column_share<P> const at(p, drawn.group, first_row);
      row_type elements;
      if constexpr (Stretches) {
        auto* const copied = reinterpret_cast<In*>(piece_memory);
        copy_piece_in<true>(p, origins, copied, drawn.group, first_row);
        row_place const in_piece = row_in_piece<true, In>(p, at);
        elements.load(copied + in_piece.first, in_piece.step, at.count, op);
      } else {
        In const* const from = p.in + (p.places.template in<&distances::in>(at.sequence) +
                                       static_cast<std::ptrdiff_t>(at.first_element()) * p.in_step);
        elements.load(from, p.in_step, at.count, op);
      }
      *memory.row_totals[parity][threadIdx.x] = elements.total();
      __syncthreads();

      // The last row of the piece adds up the others, and keeps the state of the column.
      bool const is_last = at.row_in_column + 1 == p.rows || static_cast<std::uint32_t>(at.row) + 1 == rows;
      if (at.is_own && is_last) {
        bool const is_continued = first_row > begin;
        column_state<T, Op>& state = *memory.state[is_continued || rows < p.rows ? at.column : 0];
        left rows_before = left::absent(op, elements.total());
        left strips_before = rows_before;
        left carry = rows_before;
        if (is_continued) {
          if (first_row % rows_of_strip != 0) rows_before = state.rows_before;
          if (first_row % rows_of_tile >= rows_of_strip) strips_before = state.strips_before;
          carry = state.carry;
        } else if (!is_shared_out) {
          carry = carry_of_first_tile(initial_of_column(p, at.sequence), op);
        }
#pragma unroll 1
        for (int r = 0; r < at.row; ++r) {
          rows_before =
              left::present(rows_before.before(*memory.row_totals[parity][r * p.piece.columns + at.column], op));
          if ((first_row + static_cast<std::uint32_t>(r)) % rows_of_strip == rows_of_strip - 1) {
            strips_before = left::present(strips_before.before(rows_before.value, op));
            rows_before = left::absent(op, elements.total());
          }
        }
        W total = elements.total();
        if (at.ends_tile() || at.ends_column(p))
          total = elements.last(strips_before.before(rows_before, op), at.count, op);
        if (is_shared_out && (at.ends_tile() || at.ends_column(p))) {
          publish(p.words + p.at.tile(at.row_in_column / rows_of_tile, at.sequence), total, drawn.epoch);
        } else if (at.ends_column(p)) {
          p.out[p.places.template in<&distances::out>(at.sequence)] =
              static_cast<Out>(static_cast<T>(carry.before(total, op)));
        } else {
          W const rows_total = rows_before.before(elements.total(), op);
          state.rows_before = left::present(rows_total);
          state.strips_before = at.ends_strip() ? left::present(strips_before.before(rows_total, op)) : strips_before;
          if (at.ends_tile())
            state.push(at.row_in_column / rows_of_tile, total, *memory.spans[at.column], *memory.span_tiles[at.column],
                       initial_of_column(p, at.sequence), op);
          else
            state.carry = carry;
        }
      }
      if constexpr (Stretches) __syncthreads();
    }
  }
  if (is_shared_out) {
    __syncthreads();
    if (threadIdx.x == 0) finish(*p.shared, drawn.epoch, gridDim.x, p.words, p.capacity);
  }
}

}  // namespace tally::cuda_backend
