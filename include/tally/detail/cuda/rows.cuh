#pragma once

#include <cstddef>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/results.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The totals of a tile's rows and strips, the values at its last elements, and the rows of a scan.
namespace tally::cuda_backend {

/// The position of an element in its tile.
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

/// Combines eight or four values of each lane over the 32 lanes, or over each `Lanes` that are neighbours, by the
/// balanced trees that the last lanes of as many Kogge-Stone scans have. Lane k of these gets the total of value
/// `value_of_lane(k)`. Eight take 9 shuffles instead of 40: with each step half of the values stay in half of the
/// lanes.
__device__ constexpr int value_of_lane(int lane, int count = 8)
{
  return count == 4 ? (lane & 1) << 1 | (lane >> 1 & 1) : (lane & 1) << 2 | (lane & 2) | (lane >> 2 & 1);
}

template <int Lanes = warp_lanes, int Count, class W, class Op>
__device__ __forceinline__ W row_trees(W const (&values)[Count], int lane, Op& op)
{
  static_assert((Count == 8 || Count == 4) && Count <= Lanes && Lanes <= warp_lanes);
  // This lane keeps `kept` and sends `sent` to the lane across bit `stride`; lower lanes are left operands.
  auto const meet = [&](W const& kept, W const& sent, int stride) {
    W const received = shuffle_xor(sent, stride);
    if constexpr (commutative<Op, W>)
      return static_cast<W>(op(kept, received));
    else
      return static_cast<W>((lane & stride) != 0 ? op(received, kept) : op(kept, received));
  };
  W four[4] = {values[0], values[1], values[2], values[3]};
  int stride = 1;
  if constexpr (Count == 8) {
    bool const upper = (lane & stride) != 0;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      four[k] = meet(select(upper, values[k + 4], values[k]), select(upper, values[k], values[k + 4]), stride);
    stride = 2;
  }
  W two[2] = {four[0], four[1]};
  bool upper = (lane & stride) != 0;
#pragma unroll
  for (int k = 0; k < 2; ++k)
    two[k] = meet(select(upper, four[k + 2], four[k]), select(upper, four[k], four[k + 2]), stride);
  stride *= 2;
  upper = (lane & stride) != 0;
  W one = meet(select(upper, two[1], two[0]), select(upper, two[0], two[1]), stride);
#pragma unroll
  for (stride *= 2; stride < Lanes; stride *= 2) one = meet(one, one, stride);
  return one;
}

/// Totals the rows of a warp: a strip, or half of one.
template <class Rows, class W, class Transform, class Op>
__device__ __forceinline__ void total_rows(Rows const& rows, uninitialized<W>* row_totals, Transform& transform, Op& op)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  W totals[Rows::count];
#pragma unroll
  for (int r = 0; r < Rows::count; ++r) totals[r] = rows.total(r, transform, op);
  W const total = row_trees(totals, lane, op);
  if (lane < Rows::count) *row_totals[value_of_lane(lane, Rows::count)] = total;
}

/// Finds the two parts of the value at the last element of a warp's rows: the fold of the groups before its group in
/// its row, and the fold of its group up to it. `part` counts such rows through the tile, of which `size` is the size.
/// If the rows do not begin before `size`, the values mean nothing.
template <class Rows, class W, class Left, class Transform, class Op>
__device__ __forceinline__ void total_last_row(Rows const& rows, int part, std::size_t size,
                                               uninitialized<Left>& last_before, uninitialized<W>& last_own,
                                               Transform& transform, Op& op)
{
  using T = typename Rows::element;
  constexpr int group = static_cast<int>(order::group<T>);
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::size_t const end = (part + 1) * (Rows::count * order::row<T>);
  place<T> const last((end < size ? end : size) - 1);
  auto selected = rows.last();
  if (end > size) selected = rows.select(last.row % Rows::count);
  W total[1] = {element_of<T>(selected.get(0), transform)};
  W own = total[0];
#pragma unroll
  for (int j = 1; j < group; ++j) {
    total[0] = static_cast<W>(op(total[0], element_of<T>(selected.get(j), transform)));
    own = select(j <= last.in_group, total[0], own);
  }
  kogge_stone_scan(total, lane, op);
  W const before = shuffle_up(total[0], 1);
  if (lane == last.lane) {
    *last_before = lane == 0 ? Left::absent(op, before) : Left::present(before);
    *last_own = own;
  }
}

/// The fold before each row of a strip, found by one warp from the totals of all rows of a tile. Lane s has strip s %
/// 8, or the tile's last strip if that comes before. The operator is only ever called with elements and what they
/// combine to. Values on which nothing depends may be made of any of these, but never of memory that was not written.
template <class T, class Op>
class strip_prefix {
public:
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  static constexpr int rows = static_cast<int>(order::strip_rows);
  static constexpr int strips = static_cast<int>(order::tile_strips);

  int strip;

  /// `size` is that of the tile.
  __device__ __forceinline__ strip_prefix(uninitialized<W> (&row_totals)[order::tile_strips][order::strip_rows],
                                          std::size_t size, Op& op)
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    int const last_strip = place<T>(size - 1).strip();
    strip = lane % strips < last_strip ? lane % strips : last_strip;
#pragma unroll
    for (int r = 0; r < rows; ++r) totals_[r] = *row_totals[strip][r];
    W strip_total = totals_[0];
#pragma unroll
    for (int r = 1; r < rows; ++r) strip_total = static_cast<W>(op(strip_total, totals_[r]));
    W others[strips - 1];
#pragma unroll
    for (int s = 0; s < strips - 1; ++s) others[s] = shuffle_from(strip_total, s);
    strips_before_ = left::absent(op, strip_total);
#pragma unroll
    for (int s = 0; s < strips - 1; ++s)
      strips_before_ = select(s < strip, left::present(strips_before_.before(others[s], op)), strips_before_);
    std::size_t const end = (strip + 1) * order::strip<T>;
    last_row_ = place<T>((end < size ? end : size) - 1).row_in_strip();
  }

  /// The tile-local value of the strip's last element.
  __device__ __forceinline__ W last(left const& before_group, W const& own, Op& op) const
  {
    left rows_before = left::absent(op, own);
#pragma unroll
    for (int r = 0; r < rows - 1; ++r)
      rows_before = select(r < last_row_, left::present(rows_before.before(totals_[r], op)), rows_before);
    return strips_before_.before(rows_before, op).before(before_group, op).before(own, op);
  }

  /// The fold of the strips before the lane's strip.
  __device__ __forceinline__ left strips_before() const { return strips_before_; }

  /// Writes the fold before each row.
  __device__ __forceinline__ void store(uninitialized<left> (&before_rows)[order::strip_rows], Op& op) const
  {
    left rows_before = left::absent(op, totals_[0]);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      *before_rows[r] = strips_before_.before(rows_before, op);
      rows_before = left::present(rows_before.before(totals_[r], op));
    }
  }

private:
  W totals_[rows];
  left strips_before_;
  int last_row_;
};

/// One warp's share of a scan: `Rows` rows, of which each lane has a group. Elements stay as they are stored. Of the
/// operator's values a lane keeps only the fold before each of its groups.
template <class T, class Op, class In, class Transform, int Rows>
class scanned_rows {
public:
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using results = group_results<T, std::remove_cv_t<std::iter_value_t<In>>, Op, Transform>;

  /// See stored_rows.
  __device__ __forceinline__ void load(In const& in, std::size_t first, std::size_t end, bool aligned)
  {
    rows_.load(in, first, end, aligned);
  }

  /// Scans the groups' totals of each row, and keeps the fold before the lane's group in its row. Lane 31 gets the
  /// rows' totals.
  __device__ __forceinline__ void scan_groups(W (&groups)[Rows], int lane, Transform& transform, Op& op)
  {
#pragma unroll
    for (int r = 0; r < Rows; ++r) groups[r] = rows_.total(r, transform, op);
    kogge_stone_scan(groups, lane, op);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      W const before = shuffle_up(groups[r], 1);
      before_[r] = lane == 0 ? left::absent(op, before) : left::present(before);
    }
  }

  /// Puts `before_row` before the fold of row r.
  __device__ __forceinline__ void precede(int r, left const& before_row, Op& op)
  {
    before_[r] = before_row.before(before_[r], op);
  }

  /// The results of the lane's group in row r, on top of the fold before it.
  __device__ __forceinline__ void scan(int r, results& group_of_row, Transform& transform, Op& op) const
  {
    group_of_row.scan(rows_.packed(r), before_[r], transform, op);
  }

  __device__ __forceinline__ void keep_packed() { rows_.keep_packed(); }

private:
  stored_rows<T, In, Rows> rows_;
  left before_[Rows];
};

/// The number of rows of results, out of `Rows`, that a lane holds at a time: as many as 32 registers take.
template <class Results, int Rows>
inline constexpr int batch_rows = [] {
  int rows = Rows;
  while (rows > 1 && rows * Results::registers > 32) rows /= 2;
  return rows;
}();

}  // namespace tally::cuda_backend
