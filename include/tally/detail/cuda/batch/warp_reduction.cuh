#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/lone_fold.cuh"
#include "tally/detail/cuda/batch/segment_trees.cuh"
#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The shared memory of a warp that reduces.
template <class P>
struct warp_reduction_memory {
  using shape = warp_shape<P>;
  using T = typename P::element;
  static constexpr int most_trees = 2 * warp_lanes;  ///< of 32 segments of a part

  /// The trees of a segment: those of whole rows begin at the first element, those of its last row end at its last
  /// group.
  struct trees {
    int begin, right;                    ///< places of tree 0, by the one and by the other
    int first;                           ///< number of its first tree, of all
    std::uint32_t count_whole_and_last;  ///< trees, trees of whole rows, groups before the last one in its row
  };

  warp_room<P> room;
  trees of_segment[warp_lanes];
  T totals[most_trees];
  uninitialized<lone_fold<T, typename P::operation>> lone;
};

/// The reduction of the segments of parts, by trees that a lane each makes.
template <class P>
class warp_reduction {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using shape = warp_shape<P>;
  using memory = warp_reduction_memory<P>;
  using left = left_operand<W, Op>;
  using trees = segment_trees<T, Op>;

  __device__ warp_reduction(P const& problem, memory& own, Op& op)
      : problem_(problem),
        own_(own),
        op_(op),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        start_(problem.init.is_present ? left::present(problem.init.value) : left::absent(op, W())),
        nothing_(problem.of_nothing(problem.init)),
        strips_(left::absent(op, W()))
  {
  }

  __device__ __forceinline__ void work_on(warp_part const& now, shared_place<T> elements)
  {
    if (!now.continues) strips_ = left::absent(op_, W());
    if (now.segments == 0) return append_strip(elements + now.place);
#pragma unroll 1
    for (int k = 0; k < now.segments; k += warp_lanes) reduce_32(now, k, elements);
  }

private:
  /// Appends the total of a strip to the fold of those before.
  __device__ __forceinline__ void append_strip(shared_place<T> strip)
  {
    W total = trees{strip, left::absent(op_, W()).value}.template tree<8, false>(strip + lane_ * shape::tree, 0,
                                                                                 lane_ & 7, op_);
    total = static_cast<W>(op_(total, shuffle_xor(total, 1)));
    total = static_cast<W>(op_(total, shuffle_xor(total, 2)));
    W rows = shuffle_from(total, 0);
#pragma unroll
    for (int r = 1; r < static_cast<int>(order::strip_rows); ++r)
      rows = static_cast<W>(op_(rows, shuffle_from(total, 4 * r)));
    strips_ = left::present(strips_.before(rows, op_));
  }

  /// Reduces segments k to k + 31 of a part, a lane each.
  __device__ __forceinline__ void reduce_32(warp_part const& now, int k, shared_place<T> elements)
  {
    constexpr int group = shape::group;
    W const none = left::absent(op_, W()).value;
    trees const folds{elements, none};
    std::uint32_t const* const offsets = own_.room.offsets[now.block] + now.begin;
    int const own = k + lane_;
    bool const mine = own < now.segments;
    int begin, size;
    if (now.ends_tile) {
      begin = now.place;
      size = mine ? shape::room : 0;
    } else {
      begin = max(static_cast<int>(offsets[min(own, static_cast<int>(now.segments))] - now.from), 0);
      size = static_cast<int>(offsets[min(own + 1, static_cast<int>(now.segments))] - now.from) - begin;
      begin += now.place;
    }
    int const most = static_cast<int>(most_of_lanes(static_cast<unsigned>(size)));
    int const before_last = max(size - 1, 0) / group;  // groups
    shared_place<T> const last = elements + begin + before_last * group;
    bool const aligned = __all_sync(whole_warp, size == 0 || begin % group == 0);
    W fold;
    if (most <= 9 * group) {
      if (!aligned)
        fold = folds.tree_before(last, before_last, (most - 1) / group, op_);
      else if (most <= group)
        fold = none;
      else if (most <= 5 * group)
        fold = folds.template tree<4, true>(last + -4 * group, 4 - before_last, lane_ / 2 & 3, op_);
      else
        fold = folds.template tree<8, true>(last + -8 * group, 8 - before_last, lane_ & 7, op_);
      if (k == 0 && now.continues) fold = lane_ == 0 ? strips_.before(fold, op_) : fold;
    } else {
      // Whole rows before the last one, and groups before the last one in its row.
      int const rows = before_last / 32, groups = before_last % 32;
      int const whole = 4 * rows, count = whole + (groups + 7) / 8;
      int end = count;
#pragma unroll
      for (int stride = 1; stride < warp_lanes; stride *= 2) {
        int const before = __shfl_up_sync(whole_warp, end, stride);
        if (lane_ >= stride) end += before;
      }
      int const all = __shfl_sync(whole_warp, end, warp_lanes - 1), first = end - count;
      unsigned const have = __ballot_sync(whole_warp, count > 0);
      if (count > 0)
        own_.of_segment[__popc(have & below())] = {begin, begin + before_last * group - count * shape::tree, first,
                                                   static_cast<std::uint32_t>(count | whole << 8 | groups << 16)};
      __syncwarp();
      for (int number = 0; number < all; number += warp_lanes) {
        W const total = aligned ? tree_of<true>(folds, elements, number, all, first, count)
                                : tree_of<false>(folds, elements, number, all, first, count);
        own_.totals[number + lane_] = total;
      }
      __syncwarp();
      T const* const totals = own_.totals + first;
      W row_totals = none;
      for (int e = 0; e < whole; e += 4)
        row_totals =
            static_cast<W>(op_(row_totals, static_cast<W>(op_(static_cast<W>(op_(totals[e], totals[e + 1])),
                                                              static_cast<W>(op_(totals[e + 2], totals[e + 3]))))));
      W last_trees[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        last_trees[e] = none;
        if (count - 4 + e >= whole) last_trees[e] = totals[count - 4 + e];
      }
      W const last_row = static_cast<W>(
          op_(static_cast<W>(op_(last_trees[0], last_trees[1])), static_cast<W>(op_(last_trees[2], last_trees[3]))));
      if (k == 0 && now.continues) row_totals = lane_ == 0 ? strips_.before(row_totals, op_) : row_totals;
      fold = static_cast<W>(op_(row_totals, last_row));
      __syncwarp();
    }
    W value = none;
    if (size > 0) {
      int const there = size - before_last * group;
      value = aligned ? trees::template total_of_first<true>(last, there, op_)
                      : trees::template total_of_first<false>(last, there, op_);
    }
    value = static_cast<W>(op_(fold, value));
    finish(now, own, mine, size, value);
  }

  template <bool Aligned>
  __device__ __forceinline__ W tree_of(trees const& folds, shared_place<T> elements, int number, int all, int first,
                                       int count)
  {
    // Tree `number` + lane belongs to the last segment whose first tree is not behind it.
    bool const begins = count > 0 && first >= number && first < number + warp_lanes;
    unsigned const begun = bits_of_lanes(begins ? 1u << (first - number) : 0u);
    int const before = __popc(__ballot_sync(whole_warp, count > 0 && first < number));
    int const at = before + __popc(begun & (below() << 1 | 1u)) - 1;
    typename memory::trees const own = own_.of_segment[at];
    int const e = number + lane_ - own.first;
    int const own_count = own.count_whole_and_last & 255, whole = own.count_whole_and_last >> 8 & 255;
    int const groups = static_cast<int>(own.count_whole_and_last >> 16);
    bool const is_whole = e < whole;
    int const begin = (is_whole ? own.begin : own.right) + e * shape::tree;
    int const absent = number + lane_ >= all ? 8 : is_whole ? 0 : 8 * (own_count - e) - groups;
    return folds.template tree<8, Aligned>(elements + begin, absent, lane_ & 7, op_);
  }

  __device__ __forceinline__ void finish(warp_part const& now, int k, bool mine, int size, W const& value)
  {
    std::size_t const segment = now.first + static_cast<std::size_t>(k);
    if (!now.has_tiles && !now.ends_tile && problem_.initials == nullptr) {
      if (mine) problem_.put_result(segment, size > 0 ? static_cast<T>(start_.before(value, op_)) : nothing_);
      return;
    }
    if (!mine) return;
    auto const init = problem_.init_of(segment);
    left start = init.is_present ? left::present(init.value) : left::absent(op_, init.value);
    if (k == 0 && (now.has_tiles || now.ends_tile)) {
      if (!now.has_tiles) own_.lone->begin(init, op_);
      start = own_.lone->carry(op_);
      if (now.ends_tile) return own_.lone->append(start, value, op_);
    }
    problem_.put_result(segment, size > 0 ? static_cast<T>(start.before(value, op_)) : problem_.of_nothing(init));
  }

  __device__ __forceinline__ unsigned below() const { return (1u << lane_) - 1; }

  P const& problem_;
  memory& own_;
  Op& op_;
  int lane_;
  left start_;
  T nothing_;
  left strips_;  // the fold of the strips before in the tile
};

}  // namespace tally::cuda_backend
