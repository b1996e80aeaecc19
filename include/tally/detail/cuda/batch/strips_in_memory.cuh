#pragma once

#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The elements of a group, straight from memory.
template <class T>
struct group_in_memory {
  static constexpr int group = static_cast<int>(order::group<T>);

  T elements[group];

  __device__ __forceinline__ void load(T const* from)
  {
#pragma unroll
    for (int j = 0; j < group; ++j) elements[j] = from[j];
  }
  /// Loads the group if it is there. Else the elements are `none`.
  __device__ __forceinline__ void load_if(bool is_there, T const* from, working_type<T> const& none)
  {
#pragma unroll
    for (int j = 0; j < group; ++j) elements[j] = static_cast<T>(none);
    if (is_there) load(from);
  }
  /// Loads the first `there` elements. The first one can be read in any case.
  __device__ __forceinline__ void load_first(int there, T const* from)
  {
    elements[0] = from[0];
#pragma unroll
    for (int j = 1; j < group; ++j)
      if (j < there) elements[j] = from[j];
  }
  template <class Op>
  __device__ __forceinline__ working_type<T> total(Op& op) const
  {
    auto result = static_cast<working_type<T>>(elements[0]);
#pragma unroll
    for (int j = 1; j < group; ++j)
      result = static_cast<working_type<T>>(op(result, static_cast<working_type<T>>(elements[j])));
    return result;
  }
  template <class Op>
  __device__ __forceinline__ working_type<T> total_of_first(int there, Op& op) const
  {
    auto result = static_cast<working_type<T>>(elements[0]);
#pragma unroll
    for (int j = 1; j < group; ++j)
      if (j < there) result = static_cast<working_type<T>>(op(result, static_cast<working_type<T>>(elements[j])));
    return result;
  }
};

/// Reductions of strips that begin anywhere in memory, by a warp, for a commutative operator with an identity. A lane
/// has a group of each row, which it reads element by element: the cache makes lines of that.
template <class T, class Op>
class strips_in_memory {
public:
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  static constexpr int group = static_cast<int>(order::group<T>), row = static_cast<int>(order::row<T>);
  static constexpr int rows = static_cast<int>(order::strip_rows);

  __device__ __forceinline__ strips_in_memory(int lane, Op& op) : lane_(lane), op_(op) {}

  /// The total of a strip. An element follows it, and the word that its first element lies in can be read.
  __device__ __forceinline__ W total(T const* from) const
  {
    W total;
    int const into = elements_into_word(from);
    T const* const own = from - into + lane_ * group;
    with_constant(into, [&](auto known) {
      constexpr int skipped = decltype(known)::value % group, more = skipped == 0 ? 1 : skipped == 3 ? 4 : skipped;
      packed_group<T, group> first[rows];
      packed_group<T, more> second[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        first[r].load_aligned(own + r * row);
        if constexpr (skipped > 0) second[r].load_aligned(own + r * row + group);
      }
      W totals[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        totals[r] = static_cast<W>(first[r].get(skipped));
#pragma unroll
        for (int j = skipped + 1; j < group + skipped; ++j)
          totals[r] =
              static_cast<W>(op_(totals[r], static_cast<W>(j < group ? first[r].get(j < group ? j : 0)
                                                                     : second[r].get(j < group ? 0 : j - group))));
      }
      total = row_trees(totals, lane_, op_);
    });
    W all = shuffle_from(total, value_of_lane(0));
#pragma unroll
    for (int r = 1; r < rows; ++r) all = static_cast<W>(op_(all, shuffle_from(total, value_of_lane(r))));
    return all;
  }

  /// The value at the last one of `size` elements, a strip's at most, behind other strips: the fold of those, of the
  /// rows before its own, of the groups before its own, and of its own up to it.
  __device__ __forceinline__ W value_at_end(T const* from, int size, left const& strips) const
  {
    // The groups before the last one end in the last lane of their row. So a balanced tree is that of the order.
    int const last = (size - 1) / group, last_row = last / warp_lanes, before = last % warp_lanes;
    W const none = left::absent(op_, W()).value;
    group_in_memory<T> groups[rows], last_group;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      int const missing = r < last_row ? 0 : r == last_row ? warp_lanes - before : warp_lanes;
      groups[r].load_if(lane_ >= missing, from + (r * row + (lane_ - missing) * group), none);
    }
    last_group.load_first(size - last * group, from + last * group);
    W totals[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) totals[r] = groups[r].total(op_);
    W const total = row_trees(totals, lane_, op_);
    W before_row = none, own_row = shuffle_from(total, value_of_lane(0));
#pragma unroll
    for (int r = 1; r < rows; ++r) {
      W const next = shuffle_from(total, value_of_lane(r));
      if (r <= last_row) {
        before_row = r == 1 ? own_row : static_cast<W>(op_(before_row, own_row));
        own_row = next;
      }
    }
    W const fold = static_cast<W>(op_(strips.before(before_row, op_), own_row));
    return static_cast<W>(op_(fold, last_group.total_of_first(size - last * group, op_)));
  }

private:
  int lane_;
  Op& op_;
};

}  // namespace tally::cuda_backend
