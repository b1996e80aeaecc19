#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

/// Copies of boxes between global and shared memory on sm_90 and later, one instruction each (CUDA's tensor maps).
namespace tally::cuda_backend {

/// Matrices of one shape in global memory, and the box that is copied at a time. A row's elements lie side by side.
struct box_array {
  void* first;                          ///< aligned to 16 bytes
  std::size_t element_bytes;            ///< 4 or 8
  std::size_t columns, rows, matrices;  ///< columns in whole 16 bytes: a device writes these whole
  std::size_t row_bytes, matrix_bytes;  ///< from one to the next, multiples of 16
  unsigned box_columns, box_rows;       ///< 256 each at most; a row of the box takes a multiple of 16 bytes
};

/// A description of these for a kernel, in a parameter that is a `__grid_constant__`.
struct alignas(128) box_map {
  std::uint64_t opaque[16];
};

/// Whether a box_map can tell a distance: 40 bits.
constexpr bool fits_box_map(std::size_t distance_in_bytes)
{
  return distance_in_bytes % 16 == 0 && distance_in_bytes > 0 && distance_in_bytes >> 40 == 0;
}

/// Nothing if CUDA's driver refuses the array.
std::optional<box_map> make_box_map(box_array const& array);

}  // namespace tally::cuda_backend
