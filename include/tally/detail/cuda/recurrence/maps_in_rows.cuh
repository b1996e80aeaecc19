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

/// to = x + y, if `is_there` is not 0. Predicated: the compiler would compute the sum and select. A bool would become a
/// number first.
template <class W>
__device__ __forceinline__ void put_sum(unsigned is_there, W& to, W const& x, W const& y)
{
#ifdef __CUDACC__
  if constexpr (std::is_same_v<W, float>) {
    asm("{\n"
        ".reg .pred there;\n"
        "setp.ne.u32 there, %3, 0;\n"
        "@there add.rn.f32 %0, %1, %2;\n"
        "}"
        : "+f"(to)
        : "f"(x), "f"(y), "r"(is_there));
  } else if constexpr (std::is_same_v<W, double>) {
    asm("{\n"
        ".reg .pred there;\n"
        "setp.ne.u32 there, %3, 0;\n"
        "@there add.rn.f64 %0, %1, %2;\n"
        "}"
        : "+d"(to)
        : "d"(x), "d"(y), "r"(is_there));
  } else
#endif
  {
    if (is_there != 0) to = x + y;
  }
}
/// to = x * y, likewise.
template <class W>
__device__ __forceinline__ void put_product(unsigned is_there, W& to, W const& x, W const& y)
{
#ifdef __CUDACC__
  if constexpr (std::is_same_v<W, float>) {
    asm("{\n"
        ".reg .pred there;\n"
        "setp.ne.u32 there, %3, 0;\n"
        "@there mul.rn.f32 %0, %1, %2;\n"
        "}"
        : "+f"(to)
        : "f"(x), "f"(y), "r"(is_there));
  } else if constexpr (std::is_same_v<W, double>) {
    asm("{\n"
        ".reg .pred there;\n"
        "setp.ne.u32 there, %3, 0;\n"
        "@there mul.rn.f64 %0, %1, %2;\n"
        "}"
        : "+d"(to)
        : "d"(x), "d"(y), "r"(is_there));
  } else
#endif
  {
    if (is_there != 0) to = detail::elementary::rounded_product(x, y);
  }
}

/// `left` before `value`, if `is_there` is not 0.
template <class W>
__device__ __forceinline__ void compose_from_left(affine<W>& value, affine<W> const& left, unsigned is_there)
{
  W const product = detail::elementary::rounded_product(value.scale, left.offset);
  put_sum(is_there, value.offset, product, value.offset);
  put_product(is_there, value.scale, value.scale, left.scale);
}

/// The trees of the rows in `Slots` lines of a warp, which has a group of each in every lane: totals go up, and the
/// state before a row goes down. Sequences have `Lines` lines each, or lie side by side in a line, `width` lanes each;
/// those of up to two rows have one tree, whose highest level joins the rows.
template <class W, int Slots, int Lines>
class trees_of_lines {
public:
  /// `totals`: of the lane's groups.
  __device__ __forceinline__ trees_of_lines(affine<W> const (&totals)[Slots], int width) : width_(width)
  {
#pragma unroll
    for (int r = 0; r < Slots; ++r) totals_[r] = totals[r];
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      if (Lines == 1 && 1 << level >= width) break;
      // A right half has the left one's total of its last lane. In other lanes than the last one of both, and so in
      // left halves, totals are not those of a subtree, and are never used.
#pragma unroll
      for (int r = 0; r < Slots; ++r) lefts_[level][r] = from_subtree(totals_[r], level);
#pragma unroll
      for (int r = 0; r < Slots; ++r) totals_[r] = composed(lefts_[level][r], totals_[r]);
    }
  }

  /// That of row r % 2 of line r / 2.
  __device__ __forceinline__ affine<W> total_of_row(int r) const
  {
    return shuffle_map_from(totals_[r / 2], (r % 2 + 1) * row_lanes - 1);
  }

  /// The state before the lane's group of line r, of the one before its row, or before its sequence if it has one tree.
  __device__ __forceinline__ W before_group(int r, W state) const
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
    for (int level = levels - 1; level >= 0; --level) {
      if (Lines == 1 && 1 << level >= width_) continue;
      W const right = lefts_[level][r](state);
      state = (lane >> level & 1) != 0 ? right : state;
    }
    return state;
  }

private:
  static constexpr int row_lanes = static_cast<int>(order::recurrence::row_groups);
  static constexpr int levels = Lines == 1 ? 5 : 4;
  static_assert(2 * row_lanes == warp_lanes && row_lanes == 1 << 4);

  /// Of the two subtrees of 2^level lanes around a lane, the last lane's map of the left one.
  __device__ __forceinline__ static affine<W> from_subtree(affine<W> const& map, int level)
  {
    int const lanes = 1 << level;
    return {__shfl_sync(whole_warp, map.scale, lanes - 1, 2 * lanes),
            __shfl_sync(whole_warp, map.offset, lanes - 1, 2 * lanes)};
  }

  affine<W> totals_[Slots];
  affine<W> lefts_[levels][Slots];  // of level j: the total of 2^j groups on the left, where the lane's bit j is set
  int width_;
};

}  // namespace tally::cuda_backend
