#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/operators/affine.hpp"
#include "tally/order.hpp"

/// The rows of a recurrence in the registers of a warp: a group of steps a lane (docs/order.md, "Recurrences").
namespace tally::cuda_backend {

// Shuffles and selections of maps by their numbers. With those by words of four bytes (warp.cuh) the compiler moves the
// words of doubles to pairs of registers before each operation: 40 of 214 instructions for a row. In columns these are
// worse: what is spilled there with them costs .1 of a copy.
template <class W>
__device__ __forceinline__ affine<W> shuffle_map_up(affine<W> const& map, int lanes)
{
  return {__shfl_up_sync(whole_warp, map.scale, lanes), __shfl_up_sync(whole_warp, map.offset, lanes)};
}
template <class W>
__device__ __forceinline__ affine<W> shuffle_map_xor(affine<W> const& map, int mask)
{
  return {__shfl_xor_sync(whole_warp, map.scale, mask), __shfl_xor_sync(whole_warp, map.offset, mask)};
}
template <class W>
__device__ __forceinline__ affine<W> shuffle_map_from(affine<W> const& map, int lane)
{
  return {__shfl_sync(whole_warp, map.scale, lane), __shfl_sync(whole_warp, map.offset, lane)};
}
template <class W>
__device__ __forceinline__ affine<W> select_map(bool first, affine<W> a, affine<W> b)
{
  return {first ? a.scale : b.scale, first ? a.offset : b.offset};
}

template <class W>
__device__ __forceinline__ affine<W> composed(affine<W> const& earlier, affine<W> const& later)
{
  return detail::recurrence::steps_in_turn{}(earlier, later);
}

/// `earlier` before `later`, where `earlier` may be absent.
template <class W>
__device__ __forceinline__ affine<W> composed_if(bool is_present, affine<W> const& earlier, affine<W> const& later)
{
  return select(is_present, composed(earlier, later), later);
}

/// One step of Kogge and Stone's scan over the lanes: `left` before `value` in lanes that have a lane so far to the
/// left.
template <class W>
__device__ __forceinline__ void compose_from_left(affine<W>& value, affine<W> const& left, bool is_there)
{
  W const product = detail::elementary::rounded_product(value.scale, left.offset);
#ifdef __CUDACC__
  // Predicated: the compiler would compute both and select.
  if constexpr (std::is_same_v<W, float>) {
    asm("{\n"
        ".reg .pred there;\n"
        "setp.ne.u32 there, %4, 0;\n"
        "@there add.rn.f32 %1, %2, %1;\n"
        "@there mul.rn.f32 %0, %0, %3;\n"
        "}"
        : "+f"(value.scale), "+f"(value.offset)
        : "f"(product), "f"(left.scale), "r"(static_cast<std::uint32_t>(is_there)));
  } else if constexpr (std::is_same_v<W, double>) {
    asm("{\n"
        ".reg .pred there;\n"
        "setp.ne.u32 there, %4, 0;\n"
        "@there add.rn.f64 %1, %2, %1;\n"
        "@there mul.rn.f64 %0, %0, %3;\n"
        "}"
        : "+d"(value.scale), "+d"(value.offset)
        : "d"(product), "d"(left.scale), "r"(static_cast<std::uint32_t>(is_there)));
  } else
#endif
  {
    W const offset = product + value.offset, scale = detail::elementary::rounded_product(value.scale, left.scale);
    value = select(is_there, affine<W>{scale, offset}, value);
  }
}

/// `earlier` becomes the map of both, if `is_there`.
template <class W>
__device__ __forceinline__ void compose_onto(affine<W>& earlier, affine<W> const& later, bool is_there)
{
#ifdef __CUDACC__
  // Predicated, as above.
  if constexpr (std::is_same_v<W, float>) {
    W const product = detail::elementary::rounded_product(later.scale, earlier.offset);
    asm("{\n"
        ".reg .pred there;\n"
        "setp.ne.u32 there, %4, 0;\n"
        "@there add.rn.f32 %1, %2, %5;\n"
        "@there mul.rn.f32 %0, %0, %3;\n"
        "}"
        : "+f"(earlier.scale), "+f"(earlier.offset)
        : "f"(product), "f"(later.scale), "r"(static_cast<std::uint32_t>(is_there)), "f"(later.offset));
  } else
#endif
  {
    earlier = select_map(is_there, composed(earlier, later), earlier);
  }
}

/// Kogge and Stone's scans of some rows over the lanes.
template <class W, int Rows>
__device__ __forceinline__ void scan_lanes(affine<W> (&folds)[Rows])
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
  for (int stride = 1; stride < warp_lanes; stride *= 2) {
    affine<W> left[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) left[r] = shuffle_map_up(folds[r], stride);
    if constexpr (std::is_same_v<W, double>) {
      // A branch: predicated operations of doubles become selections, of two words each.
      if (stride <= lane) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) folds[r] = composed(left[r], folds[r]);
      }
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) compose_from_left(folds[r], left[r], stride <= lane);
    }
  }
}

/// The folds before each group of `Slots` rows of a warp. Sequences have `Rows` rows each, or lie side by side in a
/// row, `width` lanes each.
template <class W, int Group, int Slots, int Rows>
class folds_before {
public:
  affine<W> fold[Slots];  ///< before the lane's group; for the first group of all there is none, and any value

  /// Folds within rows. `steps(r, j)` is step j of the lane's group in row r.
  template <class Steps>
  __device__ __forceinline__ folds_before(Steps const& steps, int width)
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes, in_sequence = lane & (width - 1);
    affine<W> totals[Slots];
#pragma unroll
    for (int r = 0; r < Slots; ++r) {
      totals[r] = steps(r, 0);
#pragma unroll
      for (int j = 1; j < Group; ++j) totals[r] = composed(totals[r], steps(r, j));
    }
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      if (Rows == 1 && stride >= width) break;
      affine<W> left[Slots];
#pragma unroll
      for (int r = 0; r < Slots; ++r) left[r] = shuffle_up(totals[r], stride);
#pragma unroll
      for (int r = 0; r < Slots; ++r) compose_from_left(totals[r], left[r], stride <= in_sequence);
    }
#pragma unroll
    for (int r = 0; r < Slots; ++r) fold[r] = shuffle_up(totals[r], 1);
    if constexpr (Rows > 1) {
#pragma unroll
      for (int r = 0; r < Slots; ++r) rows_[r] = shuffle_from(totals[r], warp_lanes - 1);
    }
  }

  /// The fold of all rows, if they are one sequence.
  __device__ __forceinline__ affine<W> total() const
  {
    affine<W> all = rows_[0];
#pragma unroll
    for (int r = 1; r < Slots; ++r) all = composed(all, rows_[r]);
    return all;
  }

  /// Puts before each row what comes before it: the strips before, and within the strip the rows before the first one
  /// here, if there are any. Returns the fold of the strip's rows up to the last one here.
  __device__ __forceinline__ affine<W> precede(bool has_strips, affine<W> const& strips, bool has_rows,
                                               affine<W> const& rows_before)
  {
    affine<W> rows = rows_before;
    if constexpr (Rows > 1) {
      bool const is_first = threadIdx.x % warp_lanes == 0;
#pragma unroll
      for (int s = 0; s < Slots; s += Rows) {
        affine<W> base = select(has_rows, composed_if(has_strips, strips, rows), strips);
        fold[s] = select(is_first, base, composed_if(has_strips || has_rows, base, fold[s]));
        rows = composed_if(has_rows, rows, rows_[s]);
#pragma unroll
        for (int r = s + 1; r < s + Rows; ++r) {
          base = composed_if(has_strips, strips, rows);
          fold[r] = select(is_first, base, composed(base, fold[r]));
          rows = composed(rows, rows_[r]);
        }
      }
    }
    return rows;
  }

private:
  affine<W> rows_[Slots];
};

}  // namespace tally::cuda_backend
