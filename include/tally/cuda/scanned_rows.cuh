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

  /// Scans the groups' totals of row r. Every lane gets the row's total; what precedes the lane's group in the row is kept.
  __device__ __forceinline__ W scan_groups(int r, int lane, Transform& transform, Op& op)
  {
    W total = rows_.get(r, 0, transform);
#pragma unroll
    for (int j = 1; j < group; ++j) total = static_cast<W>(op(total, rows_.get(r, j, transform)));
    W const groups = kogge_stone_scan(total, lane, op);
    W const before = shuffle_up(groups, 1);
    before_[r] = lane == 0 ? left::absent(op, before) : left::present(before);
    return shuffle_from(groups, warp_lanes - 1);
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

/// Where a scan writes, and how far.
template <class T, class Out>
struct destination {
  Out out;
  std::size_t end;
  bool aligned;
  bool exclusive;

  /// Writes a row's results, of which those of the lane begin at `first`. In an exclusive scan each is written one place later, after
  /// `left_neighbour`, which becomes the row's last: rows are written in order.
  template <class W>
  __device__ __forceinline__ void store(std::size_t first, W (&results)[order::group<T>], W& left_neighbour,
                                        int lane) const
  {
    constexpr int group = static_cast<int>(order::group<T>);
    if (exclusive) {
      W const last = results[group - 1];
      W const neighbour = shuffle_up(last, 1);
#pragma unroll
      for (int j = group - 1; j > 0; --j) results[j] = results[j - 1];
      results[0] = lane == 0 ? left_neighbour : neighbour;
      left_neighbour = shuffle_from(last, warp_lanes - 1);
    }
    store_group<T>(out, first, end, aligned, results);
  }
};

}  // namespace tally::cuda_backend
