#pragma once

#include <cstddef>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/results.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// One warp's share of a scan: `Rows` rows, of which each lane has a group. They stay as they are stored; what the lane
/// keeps of the operator's values is what precedes each of its groups.
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

  /// Scans the groups' totals of each row: what precedes the lane's group in its row is kept. Lane 31 gets the rows'
  /// totals.
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

  /// `before_row` precedes row r.
  __device__ __forceinline__ void precede(int r, left const& before_row, Op& op)
  {
    before_[r] = before_row.before(before_[r], op);
  }

  /// The results of the lane's group in row r, on top of all that precedes it.
  __device__ __forceinline__ void scan(int r, results& group_of_row, Transform& transform, Op& op) const
  {
    group_of_row.scan(rows_.packed(r), before_[r], transform, op);
  }

  __device__ __forceinline__ void forget() { rows_.forget(); }

private:
  stored_rows<T, In, Rows> rows_;
  left before_[Rows];
};

/// How many of `Rows` rows of results a lane holds at a time: as many as 32 registers take.
template <class Results, int Rows>
inline constexpr int batch_rows = [] {
  int rows = Rows;
  while (rows > 1 && rows * Results::registers > 32) rows /= 2;
  return rows;
}();

}  // namespace tally::cuda_backend
