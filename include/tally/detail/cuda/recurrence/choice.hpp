#pragma once

#include <cstddef>

#include "tally/detail/cuda/tuning.hpp"

namespace tally::cuda_backend {

/// The kernels of recurrences.
enum class recurrence_kernel {
  rows,     ///< a warp goes through a sequence, or has some short ones at a time
  tiles,    ///< blocks share out the tiles of a sequence
  columns,  ///< a lane goes through a sequence
};

/// The properties of a batch of recurrences that decide its kernel.
struct recurrences_shape {
  std::size_t size;  ///< steps of a sequence
  std::size_t tile;
  std::size_t sequences;
  bool are_rows;          ///< neighbouring steps are neighbours in memory, or the coefficients are one number
  bool are_short_gapped;  ///< several sequences share a row of registers, and are not neighbours in memory
};

struct recurrence_choice {
  recurrence_kernel which;
  char const* path;
  char const* because;
};

/// Chooses the kernel on a device of `processors` multiprocessors.
constexpr recurrence_choice choose(recurrences_shape const& shape, int processors, tuning const& by)
{
  if (!shape.are_rows)
    return {recurrence_kernel::columns, "cuda: recurrences in columns", "steps are not neighbours in memory"};
  if (shape.are_short_gapped)
    return {recurrence_kernel::columns, "cuda: recurrences in columns", "few steps with gaps between sequences"};
  if (shape.size > shape.tile && shape.sequences < by.recurrences_by_warps * static_cast<std::size_t>(processors))
    return {recurrence_kernel::tiles, "cuda: recurrences by tiles", "too few sequences for all warps"};
  return {recurrence_kernel::rows, "cuda: recurrences in rows", "a warp for each sequence or several"};
}

}  // namespace tally::cuda_backend
