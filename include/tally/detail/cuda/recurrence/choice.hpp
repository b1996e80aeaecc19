#pragma once

#include <cstddef>

#include "tally/detail/cuda/tuning.hpp"

namespace tally::cuda_backend {

/// The kernels of recurrences.
enum class recurrence_kernel {
  rows,            ///< a warp goes through a sequence, or has some short ones at a time
  tiles,           ///< blocks share out the tiles of a sequence
  columns,         ///< a lane goes through a sequence, 32 in a block
  narrow_columns,  ///< likewise, 16 in a block
  wide_columns,    ///< likewise, 64 in a block
};

/// The properties of a batch of recurrences that decide its kernel.
struct recurrences_shape {
  std::size_t size;  ///< steps of a sequence
  std::size_t tile;
  std::size_t sequences;
  std::size_t neighbours;  ///< sequences side by side
  std::size_t bytes;       ///< of a state as stored
  bool are_rows;           ///< neighbouring steps are neighbours in memory, or the coefficients are one number
  bool are_short_gapped;   ///< several sequences share a row of registers, and are not neighbours in memory
};

struct recurrence_choice {
  recurrence_kernel which;
  char const* path;
  char const* because;
};

/// Chooses the kernel on a device of `processors` multiprocessors.
constexpr recurrence_choice choose(recurrences_shape const& shape, int processors, tuning const& by)
{
  auto const multiprocessors = static_cast<std::size_t>(processors);
  if (!shape.are_rows || shape.are_short_gapped) {
    char const* const because =
        shape.are_rows ? "few steps with gaps between sequences" : "steps are not neighbours in memory";
    auto const blocks = [&](std::size_t columns) {
      return shape.sequences / shape.neighbours * ((shape.neighbours - 1) / columns + 1);
    };
    if (shape.neighbours > 1 && blocks(16) <= by.narrow_recurrence_columns * multiprocessors)
      return {recurrence_kernel::narrow_columns, "cuda: recurrences in narrow columns", because};
    std::size_t const middle = shape.bytes == 2 ? by.middle_recurrence_columns_of_2 : by.middle_recurrence_columns_of_4;
    if (shape.bytes <= 4 && shape.neighbours > 32 && blocks(32) > middle * multiprocessors)
      return {recurrence_kernel::wide_columns, "cuda: recurrences in wide columns", because};
    return {recurrence_kernel::columns, "cuda: recurrences in columns", because};
  }
  if (shape.size > shape.tile && shape.sequences / multiprocessors < by.recurrences_by_warps)
    return {recurrence_kernel::tiles, "cuda: recurrences by tiles", "too few sequences for all warps"};
  return {recurrence_kernel::rows, "cuda: recurrences in rows", "a warp for each sequence or several"};
}

}  // namespace tally::cuda_backend
