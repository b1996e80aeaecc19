#pragma once

#include <cstddef>

#include "tally/cuda/elements.cuh"
#include "tally/cuda/left_operand.cuh"
#include "tally/cuda/warp.cuh"
#include "tally/order.hpp"

/// Totals without results: what a tile's rows, strips and last elements add up to.
namespace tally::cuda_backend {

/// Where an element stands in its tile.
template <class T>
struct place {
  int row, lane, in_group;
  __device__ explicit place(std::size_t k)
      : row(static_cast<int>(k / order::row<T>)),
        lane(static_cast<int>(k % order::row<T> / order::group<T>)),
        in_group(static_cast<int>(k % order::group<T>))
  {
  }
  __device__ int strip() const { return row / static_cast<int>(order::strip_rows); }
  __device__ int row_in_strip() const { return row % static_cast<int>(order::strip_rows); }
};

/// The balanced trees over the 32 lanes of eight values a lane, as the last lanes of eight Kogge-Stone scans would have them. Lane k
/// gets that of value `value_of_lane(k)`. 9 shuffles instead of 40: with each step half of the values stay in half of the lanes.
__device__ inline int value_of_lane(int lane)
{
  return (lane & 1) << 2 | (lane & 2) | (lane >> 2 & 1);
}

template <class W, class Op>
__device__ __forceinline__ W eight_trees(W const (&values)[8], int lane, Op& op)
{
  // This lane keeps `kept` and sends `sent` to the lane across bit `stride`; lower lanes are left operands.
  auto const meet = [&](W const& kept, W const& sent, int stride) {
    W const received = shuffle_xor(sent, stride);
    if constexpr (commutative<Op, W>)
      return static_cast<W>(op(kept, received));
    else
      return static_cast<W>((lane & stride) != 0 ? op(received, kept) : op(kept, received));
  };
  W four[4] = {values[0], values[1], values[2], values[3]};
  bool upper = (lane & 1) != 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    four[k] = meet(select(upper, values[k + 4], values[k]), select(upper, values[k], values[k + 4]), 1);
  W two[2] = {four[0], four[1]};
  upper = (lane & 2) != 0;
#pragma unroll
  for (int k = 0; k < 2; ++k) two[k] = meet(select(upper, four[k + 2], four[k]), select(upper, four[k], four[k + 2]), 2);
  upper = (lane & 4) != 0;
  W one = meet(select(upper, two[1], two[0]), select(upper, two[0], two[1]), 4);
  one = meet(one, one, 8);
  return meet(one, one, 16);
}

/// One warp totals the rows of a strip, and finds what its last element's value is made of: what precedes its group in its row, and
/// its group up to it. `size` is that of the tile; a strip that begins beyond it leaves values that nothing depends on.
template <class Rows, class W, class Left, class Transform, class Op>
__device__ __forceinline__ void total_strip(Rows const& rows, int strip, std::size_t size,
                                            uninitialized<W> (&row_totals)[order::strip_rows],
                                            uninitialized<Left>& last_before, uninitialized<W>& last_own,
                                            Transform& transform, Op& op)
{
  using T = typename Rows::element;
  constexpr int group = static_cast<int>(order::group<T>);
  constexpr int count = static_cast<int>(order::strip_rows);
  static_assert(count == 8);
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  W const any = rows.get(0, 0, transform);
  W totals[count];
#pragma unroll
  for (int r = 0; r < count; ++r) {
    totals[r] = rows.get(r, 0, transform);
#pragma unroll
    for (int j = 1; j < group; ++j) totals[r] = static_cast<W>(op(totals[r], rows.get(r, j, transform)));
  }
  W const total = eight_trees(totals, lane, op);
  if (lane < count) *row_totals[value_of_lane(lane)] = total;

  place<T> last((strip + 1) * order::strip<T> - 1);
  W in_last_row = totals[count - 1];
  W own = in_last_row;
  if ((strip + 1) * order::strip<T> > size) {
    last = place<T>(size - 1);
    auto const chosen = rows.choose(last.row_in_strip());
    in_last_row = own = element_of<T>(chosen.get(0), transform);
#pragma unroll
    for (int j = 1; j < group; ++j) {
      in_last_row = static_cast<W>(op(in_last_row, element_of<T>(chosen.get(j), transform)));
      if (j <= last.in_group) own = in_last_row;
    }
  }
  W const groups_before = shuffle_up(kogge_stone_scan(in_last_row, lane, op), 1);
  if (lane == last.lane) {
    *last_before = last.lane == 0 ? Left::absent(op, any) : Left::present(groups_before);
    *last_own = own;
  }
}

/// One warp finds, from the totals of all rows of a tile, what precedes each row, and the tile-local value at the last element of each
/// strip. Lane s, for each strip s, returns the latter.
template <class T, class Op, class W, class Left>
__device__ __forceinline__ W precede_rows(uninitialized<W> (&row_totals)[order::tile_strips][order::strip_rows],
                                          uninitialized<Left> (&before_rows)[order::tile_strips][order::strip_rows],
                                          uninitialized<Left> (&last_before)[order::tile_strips],
                                          uninitialized<W> (&last_own)[order::tile_strips],
                                          uninitialized<W> (&lasts)[order::tile_strips], std::size_t size, Op& op)
{
  constexpr int rows = static_cast<int>(order::strip_rows);
  constexpr int strips = static_cast<int>(order::tile_strips);
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const strip = lane % strips;
  W totals[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) totals[r] = *row_totals[strip][r];
  W strip_total = totals[0];
#pragma unroll
  for (int r = 1; r < rows; ++r) strip_total = static_cast<W>(op(strip_total, totals[r]));
  Left strips_before = Left::absent(op, strip_total);
#pragma unroll
  for (int s = 0; s < strips - 1; ++s) {
    W const total = shuffle_from(strip_total, s);
    if (s < strip) strips_before = Left::present(strips_before.before(total, op));
  }
  bool const partial = (strip + 1) * order::strip<T> > size;
  int const last_row = partial ? place<T>(size - 1).row_in_strip() : rows - 1;
  Left rows_before = Left::absent(op, strip_total);
  Left before_last = rows_before;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    Left const before = strips_before.before(rows_before, op);
    if (lane < strips) *before_rows[strip][r] = before;
    if (r == last_row) before_last = before;
    rows_before = Left::present(rows_before.before(totals[r], op));
  }
  Left const before_own = before_last.before(*last_before[strip], op);
  W const last = before_own.before(*last_own[strip], op);
  if (lane < strips) *lasts[strip] = last;
  return last;
}

}  // namespace tally::cuda_backend
