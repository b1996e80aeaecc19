#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/lone_fold.cuh"
#include "tally/detail/cuda/batch/strips_in_memory.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Reductions of segments by trees, straight from memory.
///
/// A tree has eight groups, and eight lanes make it: a lane reads a group, wherever it begins. A row of a segment is
/// four trees. In a segment's last row the groups before the last one are trees that end at the right. The trees of 32
/// segments are numbered through, and a warp makes 32 of them at a time. Then a lane has a segment, and folds its
/// trees. Of a longer segment than a strip whole strips are folded before that.
namespace tally::cuda_backend {

/// The reduction of some segments by a warp, for a commutative operator with an identity.
template <class P>
class tree_reduction {
  struct trees_of_segment;

public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  static constexpr int group = static_cast<int>(order::group<T>), strip = static_cast<int>(order::strip<T>);
  static constexpr int tile = static_cast<int>(order::tile<T>);
  static constexpr int leaves = 8, tree = leaves * group, trees_of_row = warp_lanes / leaves;

  /// The shared memory of a warp.
  struct memory {
    trees_of_segment segments[warp_lanes];  ///< of those that have trees
    W totals[warp_lanes * static_cast<int>(order::strip_rows) * trees_of_row];
    uninitialized<lone_fold<T, Op>> lone;
  };

  __device__ __forceinline__ tree_reduction(P const& problem, memory& own, Op& op)
      : problem_(problem),
        own_(own),
        op_(op),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        tree_(trees_of_row * value_of_lane(lane_ % leaves) + lane_ / leaves),
        none_(left::absent(op, W()).value)
  {
  }

  /// Reduces the segments [first, first + count), 32 at most.
  __device__ __forceinline__ void reduce(std::size_t first, int count)
  {
    std::size_t const base = problem_.offset(first), own = first + static_cast<std::size_t>(min(lane_, count - 1));
    bool const mine = lane_ < count;
    int begin = static_cast<int>(problem_.offset(own) - base);
    int size = mine ? static_cast<int>(problem_.offset(own + 1) - base) - begin : 0;
    auto const init = problem_.init_of(own);
    left start = init.is_present ? left::present(init.value) : left::absent(op_, init.value);
    left strips = left::absent(op_, W());
    T const* const elements = problem_.in + base;
    for (unsigned longer = __ballot_sync(whole_warp, size > strip); longer != 0; longer &= longer - 1)
      leave_a_strip(elements, __ffs(static_cast<int>(longer)) - 1, init, begin, size, start, strips);
    W value = none_;
    if (__any_sync(whole_warp, size > 0)) value = value_at_end(elements, begin, size, strips);
    if (mine) problem_.put_result(own, size > 0 ? static_cast<T>(start.before(value, op_)) : problem_.of_nothing(init));
  }

private:
  /// The trees of a segment: those of whole rows begin at the first element, those of its last row end at its last
  /// group.
  struct trees_of_segment {
    int begin, right;                    ///< places of tree 0, by the one and by the other
    int first;                           ///< number of its first tree, of all
    std::uint32_t count_whole_and_last;  ///< trees, trees of whole rows, groups before the last one in its row
  };

  /// Folds the elements of a lane's segment but for a strip at most, whose place remains.
  __device__ __forceinline__ void leave_a_strip(T const* elements, int of, initial_value<T, Op> const& init, int& begin,
                                                int& size, left& start, left& strips)
  {
    strips_in_memory<T, Op> const in_memory(lane_, op_);
    T const* from = elements + shuffle_from(begin, of);
    int const all = shuffle_from(size, of);
    left before = left::absent(op_, W());
    int rest = all;
#pragma unroll 1
    for (; rest > strip; rest -= strip, from += strip) {
      int const end = all - rest + strip;
      if (end % tile != 0) {
        before = left::present(before.before(in_memory.total(from), op_));
      } else {
        W const total = in_memory.value_at_end(from, strip, before);
        before = left::absent(op_, W());
        if (lane_ == of) {
          if (end == tile) own_.lone->begin(init, op_);
          own_.lone->append(start, total, op_);
          start = own_.lone->carry(op_);
        }
        __syncwarp();
      }
    }
    if (lane_ != of) return;
    strips = before;
    begin += all - rest;
    size = rest;
  }

  /// The value at the last element of each lane's segment of a strip at most, if it has one. Some lane's has.
  __device__ __forceinline__ W value_at_end(T const* elements, int begin, int size, left const& strips)
  {
    int const before_last = max(size - 1, 0) / group, there = size - before_last * group;
    group_in_memory<T> last;
    last.load_first(there, elements + (size > 0 ? begin + before_last * group : 0));
    // Whole rows before the last one, and groups before the last one in its row.
    int const rows = before_last / warp_lanes, groups = before_last % warp_lanes;
    int const whole = trees_of_row * rows, count = whole + (groups + leaves - 1) / leaves;
    int const end = scan_of_lanes(count);
    int const all = shuffle_from(end, warp_lanes - 1), first = end - count;
    unsigned const have = __ballot_sync(whole_warp, count > 0);
    if (count > 0)
      own_.segments[__popc(have & ((1u << lane_) - 1))] = {
          begin, begin + before_last * group - count * tree, first,
          static_cast<std::uint32_t>(count | whole << 8 | groups << 16)};
    __syncwarp();
#pragma unroll 1
    for (int number = 0; number < all; number += warp_lanes) make_trees(elements, number, all, first, count);
    __syncwarp();
    W const* const totals = own_.totals + first;
    W row_totals = none_;
#pragma unroll 1
    for (int e = 0; e < whole; e += trees_of_row) row_totals = combine(row_totals, row_of(totals + e, 0));
    W const fold =
        combine(strips.before(row_totals, op_), row_of(totals + count - trees_of_row, whole - count + trees_of_row));
    W const value = combine(fold, last.total_of_first(there, op_));
    __syncwarp();
    return value;
  }

  /// Makes the trees of numbers [number, number + 32), of all.
  __device__ __forceinline__ void make_trees(T const* elements, int number, int all, int first, int count)
  {
    // Each lane finds one of them. It is of the last segment whose first tree is not behind it.
    bool const begins = count > 0 && first >= number && first < number + warp_lanes;
    unsigned const begun = bits_of_lanes(begins ? 1u << (first - number) : 0u);
    int const before = __popc(__ballot_sync(whole_warp, count > 0 && first < number));
    trees_of_segment const own = own_.segments[before + __popc(begun & (((1u << tree_) - 1) << 1 | 1u)) - 1];
    int const e = number + tree_ - own.first;
    int const own_count = own.count_whole_and_last & 255, whole = own.count_whole_and_last >> 8 & 255;
    int const groups = static_cast<int>(own.count_whole_and_last >> 16);
    bool const is_whole = e < whole;
    int const begin = (is_whole ? own.begin : own.right) + e * tree;
    int const absent = number + tree_ >= all ? leaves : is_whole ? 0 : leaves * (own_count - e) - groups;
    // Then eight neighbouring lanes take the same one, four neighbouring trees at a time.
    group_in_memory<T> in_tree[leaves];
#pragma unroll
    for (int i = 0; i < leaves; ++i) {
      int const of_lane = value_of_lane(i);
      int const at = __shfl_sync(whole_warp, begin, of_lane, leaves);
      int const missing = __shfl_sync(whole_warp, absent, of_lane, leaves);
      in_tree[i].load_if(lane_ % leaves >= missing, elements + (at + lane_ % leaves * group), none_);
    }
    W totals[leaves];
#pragma unroll
    for (int i = 0; i < leaves; ++i) totals[i] = in_tree[i].total(op_);
    own_.totals[number + tree_] = row_trees<leaves>(totals, lane_, op_);
  }

  /// The total of a row, whose first trees are absent.
  __device__ __forceinline__ W row_of(W const* totals, int absent) const
  {
    W trees[trees_of_row];
#pragma unroll
    for (int e = 0; e < trees_of_row; ++e) {
      trees[e] = none_;
      if (e >= absent) trees[e] = totals[e];
    }
    return combine(combine(trees[0], trees[1]), combine(trees[2], trees[3]));
  }
  __device__ __forceinline__ W combine(W const& a, W const& b) const { return static_cast<W>(op_(a, b)); }

  P const& problem_;
  memory& own_;
  Op& op_;
  int lane_, tree_;
  W none_;
};

}  // namespace tally::cuda_backend
