#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/boxes.hpp"
#include "tally/detail/cuda/tuning.hpp"

/// The choice of the kernel for columns: sequences whose neighbours in memory are elements of other sequences. A
/// function of the batch, the device and the tuning, as choice.hpp has for one sequence.
namespace tally::cuda_backend {

/// Threads of a block of the kernels for columns.
inline constexpr int column_threads = 128;

/// The share of a block in an array: `columns` neighbouring sequences, and `rows` rows of each at a time, a tile's at
/// most. There are at most `column_threads` rows of columns. `rows` is a power of two.
struct column_piece {
  int columns;
  int rows;
  int inner;  ///< columns whose rows are one stretch of memory, of which `columns` is a multiple; else 1
};

/// The kernels. The short ones take sequences of part of a row, in fewer registers.
enum class columns_kernel {
  scan,
  short_scan,
  shortest_scan,
  scan_of_stretches,
  short_planes,  ///< scans and reductions
  shortest_planes,
  reduction,
  short_reduction,
  shortest_reduction,
  reduction_of_stretches,
  scan_by_warps,  ///< a row of 32 aligned columns at a time, on sm_90
};
/// The number of kernels of blocks, which are all but the last one.
inline constexpr std::size_t columns_kernels = static_cast<std::size_t>(columns_kernel::reduction_of_stretches) + 1;

/// The columns of a piece of a warp.
inline constexpr int box_columns = 32;

/// Whether box maps can tell where the columns lie: as one matrix or several, one behind the other, read and written in
/// the same direction.
inline bool fits_boxes(detail::batch::layout const& where, std::size_t element_bytes)
{
  detail::batch::dimension const& innermost = where.across[static_cast<std::size_t>(where.dimensions - 1)];
  detail::batch::distances const& along = where.along.step;
  constexpr std::size_t most = 0x7fffffff;
  if (where.dimensions > 2 || where.along.extent >= most || innermost.extent >= most || innermost.step.in != 1 ||
      innermost.step.out != 1 || (along.in < 0) != (along.out < 0))
    return false;
  // A stored box writes whole 16 bytes, and so over what lies behind a row that ends within them.
  if (innermost.extent * element_bytes % 16 != 0) return false;
  // Rows do not overlap, and matrices do not either.
  auto const fits = [&](std::ptrdiff_t distance, std::size_t least) {
    auto const magnitude = static_cast<std::size_t>(distance);
    return distance > 0 && magnitude >= least && fits_box_map(magnitude * element_bytes);
  };
  auto const rows_fit = [&](std::ptrdiff_t distance) {
    return fits(distance < 0 ? -distance : distance, innermost.extent);
  };
  if (!rows_fit(along.in) || !rows_fit(along.out)) return false;
  auto const matrices_fit = [&](std::ptrdiff_t distance, std::ptrdiff_t of_rows) {
    auto const row = static_cast<std::size_t>(of_rows < 0 ? -of_rows : of_rows);
    return fits(distance, (where.along.extent - 1) * row + innermost.extent);
  };
  return where.dimensions == 1 || (where.across[0].extent < most && matrices_fit(where.across[0].step.in, along.in) &&
                                   matrices_fit(where.across[0].step.out, along.out));
}

/// The shared memory of a block that has planes: all elements of columns without a gap, of less than a row each.
inline constexpr std::size_t planes_bytes = 32 * 1024;

/// The distance of planes of `length` elements in shared memory, where each has `inner` columns of elements of `bytes`
/// bytes. It is `inner` in whole 16 bytes beyond a multiple of 32 words: the columns of neighbouring planes lie in
/// different banks then, if they take a multiple of 16 bytes.
TALLY_HD constexpr int plane_pitch(int length, int inner, int bytes)
{
  int const unit = bytes < 16 && 16 % bytes == 0 ? 16 / bytes : 1;
  int const banks = bytes < 128 ? 128 / bytes / unit * unit : unit;
  int const gap = (inner + unit - 1) / unit * unit % banks;
  int const beyond = length > gap ? (length - gap + banks - 1) / banks * banks : 0;
  return beyond + gap;
}

/// The properties of a batch of columns that decide its kernel.
struct columns_shape {
  std::size_t size;        ///< elements of a sequence, one at least
  std::size_t row;         ///< elements in a row of the order
  std::size_t short_size;  ///< the most elements of a sequence that the short kernels take
  std::size_t shortest_size;
  std::size_t neighbours;  ///< columns side by side, two at least
  std::size_t sequences;
  bool are_aligned;    ///< to 16 bytes, the elements at each place of the first of the neighbours
  bool are_stretches;  ///< rows of all neighbours are one stretch of memory each, in input and output alike
  bool reduces;
  std::size_t bytes;  ///< of a stored element
  bool fits_boxes;    ///< the kernel by warps can take the batch
};

struct columns_choice {
  columns_kernel which;
  column_piece piece;
  std::size_t groups;  ///< of `piece.columns` columns
  bool is_shared_out;  ///< blocks share the pieces of a column, and hand over totals
  char const* because;
};

constexpr char const* path_of(columns_choice const& selected)
{
  bool const shared = selected.is_shared_out;
  switch (selected.which) {
    case columns_kernel::scan: return shared ? "cuda: columns, shared out" : "cuda: columns, walked";
    case columns_kernel::short_scan: return "cuda: columns, short";
    case columns_kernel::shortest_scan: return "cuda: columns, shortest";
    case columns_kernel::scan_of_stretches:
      return shared ? "cuda: columns in stretches, shared out" : "cuda: columns in stretches, walked";
    case columns_kernel::scan_by_warps: return "cuda: columns, by warps";
    case columns_kernel::short_planes: return "cuda: planes of columns, short";
    case columns_kernel::shortest_planes: return "cuda: planes of columns, shortest";
    case columns_kernel::reduction:
      return shared ? "cuda: reduction of columns, shared out" : "cuda: reduction of columns, walked";
    case columns_kernel::short_reduction: return "cuda: reduction of columns, short";
    case columns_kernel::shortest_reduction: return "cuda: reduction of columns, shortest";
    case columns_kernel::reduction_of_stretches:
      return shared ? "cuda: reduction of columns in stretches, shared out"
                    : "cuda: reduction of columns in stretches, walked";
  }
  return "";
}

/// Chooses the kernel on a device of `processors` multiprocessors.
constexpr columns_choice choose(columns_shape const& shape, int processors, tuning const& by)
{
  std::size_t const rows = (shape.size - 1) / shape.row + 1;
  constexpr int tile_rows = 64;
  bool const stretches =
      shape.are_stretches && shape.neighbours <= std::min<std::size_t>(by.stretch_columns, column_threads);
  // A piece has all rows of its columns if there are few.
  auto const rows_of = [&](int most) {
    int const fit = std::min<int>(static_cast<int>(std::bit_floor(static_cast<unsigned>(most))), tile_rows);
    return rows < static_cast<std::size_t>(fit) ? static_cast<int>(std::bit_ceil(rows)) : fit;
  };
  // The columns of groups of neighbours: of one size, `most` at most. First columns are aligned to 16 bytes if the
  // neighbours are.
  auto const even_columns = [&](std::size_t most) {
    std::size_t const each = (shape.neighbours - 1) / most + 1;
    std::size_t const unit = std::min<std::size_t>(8, std::bit_ceil(shape.neighbours));
    std::size_t const even = ((shape.neighbours - 1) / each / unit + 1) * unit;
    return std::min(most, even);
  };
  auto const groups_of = [&](std::size_t columns) {
    return (shape.sequences / shape.neighbours) * ((shape.neighbours - 1) / columns + 1);
  };
  std::size_t const walked = static_cast<std::size_t>(processors) * by.column_groups_walked;
  if (shape.fits_boxes && !stretches && shape.size >= by.box_elements) {
    std::size_t const groups_of_boxes = groups_of(box_columns);
    bool const are_filled = shape.sequences * 100 >= groups_of_boxes * box_columns * by.box_percent;
    bool const are_walked = groups_of(static_cast<std::size_t>(by.many_columns_width)) >= walked;
    if (are_filled && (!are_walked || rows >= by.box_rows_of_many))
      return {columns_kernel::scan_by_warps, {box_columns, 1, 1}, groups_of_boxes, true, "aligned columns"};
  }
  column_piece piece{0, 0, 1};
  std::size_t groups;
  if (stretches && shape.size <= std::min(shape.short_size, by.plane_elements)) {
    int const pitch = plane_pitch(static_cast<int>(shape.size * shape.neighbours), static_cast<int>(shape.neighbours),
                                  static_cast<int>(shape.bytes));
    std::size_t const columns = planes_bytes / (static_cast<std::size_t>(pitch) * shape.bytes) * shape.neighbours;
    if (columns > 0)
      return {shape.size <= shape.shortest_size ? columns_kernel::shortest_planes : columns_kernel::short_planes,
              {static_cast<int>(columns), 1, static_cast<int>(shape.neighbours)},
              (shape.sequences - 1) / columns + 1,
              false,
              "short columns without gaps"};
  }
  if (stretches) {
    piece.inner = static_cast<int>(shape.neighbours);
    piece.rows = rows_of(column_threads / piece.inner);
    piece.columns = column_threads / piece.rows / piece.inner * piece.inner;
    groups = (shape.sequences - 1) / static_cast<std::size_t>(piece.columns) + 1;
  } else {
    auto const columns_of = [&](std::size_t width) {
      return even_columns(
          std::max<std::size_t>(column_threads / std::bit_ceil(std::min<std::size_t>(rows, column_threads)), width));
    };
    std::size_t columns =
        columns_of(static_cast<std::size_t>(shape.are_aligned ? by.column_width : by.unaligned_column_width));
    std::size_t const many = columns_of(static_cast<std::size_t>(by.many_columns_width));
    if (many > columns && groups_of(many) >= walked) columns = many;
    piece.columns = static_cast<int>(columns);
    piece.rows = rows_of(column_threads / piece.columns);
    groups = groups_of(columns);
  }
  bool const one_piece = rows <= static_cast<std::size_t>(shape.reduces ? tile_rows : piece.rows);
  bool const few = groups < walked;
  bool const shared = !one_piece && few;
  auto const kernel_of = [&](columns_kernel whole, columns_kernel part, columns_kernel least, columns_kernel stretch) {
    return stretches                           ? stretch
           : shape.size <= shape.shortest_size ? least
           : shape.size <= shape.short_size    ? part
                                               : whole;
  };
  using enum columns_kernel;
  columns_kernel const which = shape.reduces
                                   ? kernel_of(reduction, short_reduction, shortest_reduction, reduction_of_stretches)
                                   : kernel_of(scan, short_scan, shortest_scan, scan_of_stretches);
  return {which, piece, groups, shared,
          one_piece ? "a piece each at most"
          : few     ? "too few columns for all multiprocessors"
                    : "enough columns for all multiprocessors"};
}

}  // namespace tally::cuda_backend
