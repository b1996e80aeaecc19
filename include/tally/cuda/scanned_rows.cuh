#pragma once

#include <cstddef>

#include "tally/cuda/elements.cuh"
#include "tally/cuda/left_operand.cuh"
#include "tally/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// One warp's share of a scan: `Rows` rows, of which each lane has a group. They stay as they are stored; what the lane keeps of the
/// operator's values is what precedes each of its groups.
template <class T, class Op, class In, class Transform, int Rows>
class scanned_rows {
public:
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  static constexpr int group = static_cast<int>(order::group<T>);

  /// See stored_rows.
  __device__ __forceinline__ void load(In const& in, std::size_t first, std::size_t end, bool aligned)
  {
    rows_.load(in, first, end, aligned);
  }

  /// Scans the groups' totals of each row: what precedes the lane's group in its row is kept. Lane 31 gets the rows' totals.
  __device__ __forceinline__ void scan_groups(W (&groups)[Rows], int lane, Transform& transform, Op& op)
  {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      groups[r] = rows_.get(r, 0, transform);
#pragma unroll
      for (int j = 1; j < group; ++j) groups[r] = static_cast<W>(op(groups[r], rows_.get(r, j, transform)));
    }
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

  /// The values of the lane's group in row r, on top of all that precedes it.
  __device__ __forceinline__ void values(int r, W (&results)[order::group<T>], Transform& transform, Op& op) const
  {
    results[0] = rows_.get(r, 0, transform);
#pragma unroll
    for (int j = 1; j < group; ++j) results[j] = static_cast<W>(op(results[j - 1], rows_.get(r, j, transform)));
#pragma unroll
    for (int j = 0; j < group; ++j) results[j] = before_[r].before(results[j], op);
  }

  __device__ __forceinline__ void forget() { rows_.forget(); }

private:
  stored_rows<T, In, Rows> rows_;
  left before_[Rows];
};

/// How many of `Rows` rows a lane holds as the operator's values at a time: as many as 32 registers take, and of bytes, which
/// are many to a group, a row.
template <class W, int Rows, int Group>
inline constexpr int batch_rows = [] {
  int rows = Rows;
  while (rows > 1 && rows * Group * static_cast<int>((sizeof(W) + 3) / 4) > (Group > 8 ? 16 : 32)) rows /= 2;
  return rows;
}();

/// Where a scan writes, and how far.
template <class T, class Out>
struct destination {
  Out out;
  std::size_t end;
  bool aligned;
  bool exclusive;

  /// Writes `Rows` rows of results, of which those of the lane begin at `first`. In an exclusive scan each is written one place later,
  /// after `left_neighbour`.
  template <int Rows, class W>
  __device__ __forceinline__ void store(std::size_t first, W (&results)[Rows][order::group<T>], W left_neighbour,
                                        int lane) const
  {
    constexpr int group = static_cast<int>(order::group<T>);
    if (exclusive) {
      // One lane to the right, and from the last lane to the first of the next row.
      W neighbours[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) neighbours[r] = shuffle_from(results[r][group - 1], (lane + 31) % warp_lanes);
#pragma unroll
      for (int r = Rows - 1; r >= 0; --r) {
#pragma unroll
        for (int j = group - 1; j > 0; --j) results[r][j] = results[r][j - 1];
        results[r][0] = select(lane == 0, r > 0 ? neighbours[r > 0 ? r - 1 : 0] : left_neighbour, neighbours[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) store_group<T>(out, first + r * order::row<T>, end, aligned, results[r]);
  }

  /// What `store` needs as the left neighbour of the rows after these.
  template <int Rows, class W>
  __device__ __forceinline__ W last_of(W const (&results)[Rows][order::group<T>]) const
  {
    return exclusive ? shuffle_from(results[Rows - 1][order::group<T> - 1], warp_lanes - 1)
                     : results[Rows - 1][order::group<T> - 1];
  }
};

}  // namespace tally::cuda_backend
