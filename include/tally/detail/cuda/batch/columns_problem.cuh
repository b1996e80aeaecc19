#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/batch/columns_choice.hpp"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/compiled.hpp"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The most columns of a block that takes more than one piece of a column.
inline constexpr int most_tall_columns = column_threads;

/// batch::layout for a kernel: the places of the sequences.
struct column_places {
  detail::batch::distances across;  ///< the innermost dimension's step
  int dimensions;
  std::size_t extents[detail::batch::most_dimensions];
  detail::batch::distances steps[detail::batch::most_dimensions];

  /// The distance of a sequence from sequence 0 in one of the arrays.
  template <std::ptrdiff_t detail::batch::distances::* Array>
  __device__ __forceinline__ std::ptrdiff_t in(std::size_t sequence) const
  {
    std::ptrdiff_t at = 0;
#pragma unroll 1
    for (int d = dimensions - 1; d >= 0; --d) {
      std::size_t rest = 0;
      std::size_t index = sequence;
      if (d > 0) {
        // A division of 64 bits takes some hundred cycles.
        if ((sequence | extents[d]) >> 32 == 0)
          rest = static_cast<std::uint32_t>(sequence) / static_cast<std::uint32_t>(extents[d]);
        else
          rest = sequence / extents[d];
        index = sequence - rest * extents[d];
      }
      at += static_cast<std::ptrdiff_t>(index) * (steps[d].*Array);
      sequence = rest;
    }
    return at;
  }
};

/// The words that blocks hand over to those that have later pieces of the same columns. All columns of a strip, a tile
/// or a span lie side by side.
template <class T, class Op>
struct column_words {
  using W = working_type<T>;
  using C = carry_type<Op, T>;

  std::size_t columns;               ///< all of them, rounded up to whole pieces
  std::size_t rows;                  ///< in a column, if blocks have less than a strip each; else 0
  std::size_t strips, tiles, spans;  ///< in a column, rounded up

  column_words(std::size_t size, std::size_t of_columns, column_piece const& piece)
      : columns(of_columns),
        rows(piece.rows < static_cast<int>(order::strip_rows) ? (size - 1) / order::row<T> + 1 : 0),
        strips((size - 1) / order::strip<T> + 1),
        tiles((size - 1) / order::tile<T> + 1),
        spans((size - 1) / order::span<T> + 1)
  {
  }
  /// The total of a strip.
  __host__ __device__ std::size_t strip(std::size_t k, std::size_t column) const
  {
    return (k * columns + column) * words_of<W>;
  }
  /// The total of a tile.
  __host__ __device__ std::size_t tile(std::size_t k, std::size_t column) const
  {
    return ((strips + k) * columns + column) * words_of<W>;
  }
  /// The total of a row.
  __host__ __device__ std::size_t row(std::size_t k, std::size_t column) const
  {
    return ((strips + tiles + k) * columns + column) * words_of<W>;
  }
  /// The inclusive value of the last element of piece k.
  __host__ __device__ std::size_t last(std::size_t k, std::size_t column) const
  {
    return ((strips + tiles + rows + k) * columns + column) * words_of<W>;
  }
  /// The fold of the initial value and the first k + 1 spans.
  __host__ __device__ std::size_t span(std::size_t k, std::size_t column) const
  {
    return (strips + tiles + 2 * rows + (rows > 0 ? 0 : strips)) * columns * words_of<W> +
           (k * columns + column) * words_of<C>;
  }
  __host__ __device__ std::size_t count() const { return span(spans, 0); }
};

/// The arguments of a kernel for columns.
template <class T, class Op, class In, class Out>
struct columns_problem {
  using element = T;
  using operation = Op;
  using input = In;
  using output = Out;

  In const* in;
  Out* out;                          ///< a reduction writes one result a sequence
  std::ptrdiff_t in_step, out_step;  ///< along the sequences
  std::size_t size;                  ///< elements of a sequence, one at least
  std::size_t sequences;             ///< one at least
  column_places places;
  initial_value<T, Op> init;
  T const* initials;  ///< or one initial value a sequence, if not null
  T* lasts;           ///< takes the value after each sequence's last element, if not null
  Op op;
  work what;
  column_piece piece;
  int stretch_length;  ///< elements of a row for which a block has room
  bool is_shared_out;  ///< blocks share the pieces of a column, and hand over totals
  control* shared;
  std::uint64_t* words;  ///< which they then hand over
  std::size_t capacity;
  column_words<T, Op> at;  ///< where in `words`
  std::uint32_t rows;      ///< in a column
  std::uint32_t groups;    ///< of `piece.columns` columns at most
  /// Of the columns that have the same indices but the innermost one; a group's columns are among these. If rows are
  /// stretches, all sequences.
  std::size_t neighbours;
  std::uint32_t groups_of_neighbours;
  std::uint32_t panel = 1;  ///< groups whose pieces warps take row by row

  __device__ __forceinline__ std::size_t first_sequence(std::uint32_t group) const
  {
    std::uint32_t const outer = group / groups_of_neighbours;
    return outer * neighbours +
           static_cast<std::size_t>(group - outer * groups_of_neighbours) * static_cast<std::size_t>(piece.columns);
  }
  /// The number of columns in a group.
  __device__ __forceinline__ int columns_of(std::uint32_t group) const
  {
    std::size_t const before =
        static_cast<std::size_t>(group % groups_of_neighbours) * static_cast<std::size_t>(piece.columns);
    std::size_t const rest = neighbours - before;
    return rest < static_cast<std::size_t>(piece.columns) ? static_cast<int>(rest) : piece.columns;
  }
};

}  // namespace tally::cuda_backend
