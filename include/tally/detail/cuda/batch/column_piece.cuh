#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/columns_problem.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The parts that scans and reductions of columns share.
namespace tally::cuda_backend {

/// The rows of the order's units.
inline constexpr std::uint32_t rows_of_strip = static_cast<std::uint32_t>(order::strip_rows);
inline constexpr std::uint32_t strips_of_tile = static_cast<std::uint32_t>(order::tile_strips);
inline constexpr std::uint32_t rows_of_tile = rows_of_strip * strips_of_tile;
inline constexpr std::uint32_t tiles_of_span = static_cast<std::uint32_t>(order::span_tiles);

/// The share of a thread in a block's piece: one row of one column. A thread beyond the piece, the last column or the
/// last row has the row of another thread, and writes nothing.
template <class P>
struct column_share {
  using T = typename P::element;

  int row;          ///< in the piece
  int column;       ///< in the piece
  bool has_column;  ///< no thread before it has this row of the thread's own column
  bool is_own;      ///< this is the thread's own row
  int count;        ///< elements of the row that exist
  std::uint32_t row_in_column;
  std::size_t sequence;

  __device__ __forceinline__ column_share(P const& p, std::uint32_t group, std::uint32_t first_row)
  {
    int const columns = p.piece.columns;
    row = nominal_row(p);
    column = static_cast<int>(threadIdx.x) - row * columns;
    std::uint32_t const rest = p.rows - first_row;
    int const last_row =
        rest < static_cast<std::uint32_t>(p.piece.rows) ? static_cast<int>(rest) - 1 : p.piece.rows - 1;
    int const there = p.columns_of(group);
    has_column = row < p.piece.rows && column < there;
    is_own = has_column && row <= last_row;
    if (row > last_row) row = last_row;
    if (column >= there) column = there - 1;
    row_in_column = first_row + static_cast<std::uint32_t>(row);
    sequence = p.first_sequence(group) + static_cast<std::size_t>(column);
    std::size_t const size = p.size - first_element();
    count = static_cast<int>(size < order::row<T> ? size : order::row<T>);
  }
  /// The row that the thread would have in a whole piece.
  __device__ __forceinline__ static int nominal_row(P const& p)
  {
    return static_cast<int>(threadIdx.x) / p.piece.columns;
  }
  __device__ __forceinline__ std::size_t first_element() const
  {
    return static_cast<std::size_t>(row_in_column) * order::row<T>;
  }
  __device__ __forceinline__ bool is_whole() const { return count == static_cast<int>(order::row<T>); }
  __device__ __forceinline__ bool ends_strip() const
  {
    return row_in_column % rows_of_strip == rows_of_strip - 1 && is_whole();
  }
  __device__ __forceinline__ bool ends_tile() const
  {
    return row_in_column % rows_of_tile == rows_of_tile - 1 && is_whole();
  }
  __device__ __forceinline__ bool ends_column(P const& p) const { return row_in_column + 1 == p.rows; }
  /// The place of the row's values in the block's arrays.
  __device__ __forceinline__ int index(P const& p) const { return row * p.piece.columns + column; }
};

/// The initial value of a column.
template <class P>
__device__ __forceinline__ auto initial_of_column(P const& p, std::size_t sequence)
{
  using T = typename P::element;
  auto init = p.init;
  if (p.initials != nullptr) {
    init.is_present = true;
    init.value =
        static_cast<working_type<T>>(p.initials[p.places.template in<&detail::batch::distances::initial>(sequence)]);
    init.wide = static_cast<carry_type<typename P::operation, T>>(init.value);
  }
  return init;
}

/// Waits for a published value. `any` is any value of the type.
template <class V>
__device__ __forceinline__ V awaited(std::uint64_t const* words, std::uint32_t epoch, V const& any)
{
  V value = any;
  read_words<V> read;
  for (unsigned sleep = 16;; sleep = sleep < 128 ? 2 * sleep : sleep) {
    read.load(words);
    if (read.decode(value, epoch)) return value;
    __nanosleep(sleep);
  }
}

/// Reads words again until each of those for which is_awaited(k) has been published. load(k) reads words k. All that
/// are missing are on their way at once: they were published at about the same time, and each round takes some 1500
/// cycles.
template <class W, int Most, class IsAwaited, class Load>
__device__ __forceinline__ void await_all(read_words<W> (&read)[Most], std::uint32_t epoch, IsAwaited const& is_awaited,
                                          Load const& load)
{
  for (unsigned sleep = 16;; sleep = sleep < 128 ? 2 * sleep : sleep) {
    bool is_missing = false;
#pragma unroll
    for (int k = 0; k < Most; ++k) is_missing = is_missing || (is_awaited(k) && !read[k].has(epoch));
    if (!is_missing) return;
    __nanosleep(sleep);
#pragma unroll
    for (int k = 0; k < Most; ++k)
      if (is_awaited(k) && !read[k].has(epoch)) load(k);
  }
}

/// The totals that a warp reads: of the units of one kind before its own, `Most` of them at most, all on their way at
/// once.
template <class W, int Most>
struct awaited_units {
  read_words<W> read[Most];

  __device__ __forceinline__ void load(std::uint64_t const* first, std::size_t distance, int count)
  {
#pragma unroll
    for (int k = 0; k < Most; ++k)
      if (k < count) read[k].load(first + static_cast<std::size_t>(k) * distance);
  }
  template <class Take>
  __device__ __forceinline__ void take(std::uint64_t const* first, std::size_t distance, int count, std::uint32_t epoch,
                                       W const& any, Take const& take)
  {
    await_all(
        read, epoch, [&](int k) { return k < count; },
        [&](int k) { read[k].load(first + static_cast<std::size_t>(k) * distance); });
#pragma unroll
    for (int k = 0; k < Most; ++k) {
      if (k < count) {
        W value = any;
        read[k].decode(value, epoch);
        take(value);
      }
    }
  }
};

/// The values before a piece that follows others in the same block.
template <class T, class Op>
struct column_state {
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<carry_type<Op, T>, Op>;

  left rows_before;    ///< the earlier rows of the strip; meaningless at its begin
  left strips_before;  ///< the earlier strips of the tile; likewise
  left carry;          ///< of the tile
  W previous;          ///< the inclusive value of the last element

  /// Takes the total of a tile. `spans` and `tiles` are the fold of the earlier spans, and of the earlier tiles of the
  /// span; before the first tile they mean nothing.
  template <class Init>
  __device__ __forceinline__ void push(std::uint32_t tile, W const& total, wide_left& spans, wide_left& tiles,
                                       Init const& init, Op& op)
  {
    using C = carry_type<Op, T>;
    if (tile == 0) spans = init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide);
    C const wide = static_cast<C>(total);
    tiles = wide_left::present(tile % tiles_of_span == 0 ? wide : static_cast<C>(tiles.before(wide, op)));
    C const all = static_cast<C>(spans.before(tiles.value, op));
    if (tile % tiles_of_span == tiles_of_span - 1) spans = wide_left::present(all);
    carry = left::present(static_cast<W>(all));
  }
};

/// An initial value as the carry of a first tile.
template <class Init, class Op>
__device__ __forceinline__ auto carry_of_first_tile(Init const& init, Op const& op)
{
  using left = left_operand<decltype(init.value), Op>;
  return init.is_present ? left::present(init.value) : left::absent(op, init.value);
}

/// The share of a block that draws its pieces: a group of columns, and a place along them.
struct drawn_piece {
  std::uint32_t epoch;
  std::uint32_t group;
  std::uint32_t place;
};
/// Draws the next piece, for the whole block. Every block of the launch draws once.
template <class P>
__device__ __forceinline__ drawn_piece draw_piece(P const& p, drawing& memory)
{
  if (threadIdx.x == 0) memory = resolve(*p.shared, draw_unseen(*p.shared), gridDim.x);
  __syncthreads();
  drawing const mine = memory;
  std::uint32_t const place = mine.tile / p.groups;
  return {mine.epoch, mine.tile - place * p.groups, place};
}

}  // namespace tally::cuda_backend
