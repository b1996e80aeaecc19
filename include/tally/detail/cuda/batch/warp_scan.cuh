#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/batch/lone_fold.cuh"
#include "tally/detail/cuda/batch/segment_trees.cuh"
#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The shared memory of a warp that scans.
template <class P>
struct warp_scan_memory {
  struct alignas(8) segment {
    std::int16_t first;  ///< number of its first group, of all
    std::int16_t begin;  ///< place of its first element
    std::int16_t size;
  };

  warp_room<P> room;
  segment segments[warp_lanes];
  uninitialized<lone_fold<typename P::element, typename P::operation>> lone;
};

/// The scan of the segments of parts, in place in shared memory, 32 at a time. Long ones are the work of the warp, row
/// by row. Short ones are the work of a lane each. The groups of others are numbered through, and a lane has one of
/// each 32 groups, whatever the lengths: Kogge and Stone's scan goes over them and stops where a segment begins.
template <class P>
class warp_scan {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using shape = warp_shape<P>;
  using memory = warp_scan_memory<P>;
  using left = left_operand<W, Op>;
  using place = shared_place<T>;

  __device__ warp_scan(P const& problem, memory& own, Op& op)
      : problem_(problem),
        own_(own),
        op_(op),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        none_(left::absent(op, W()).value),
        start_(problem.init.is_present ? problem.init.value : none_),
        strips_(none_),
        previous_(none_)
  {
  }

  __device__ __forceinline__ void work_on(warp_part const& now, place elements)
  {
    if (!now.continues) strips_ = none_;
    carry_ = start_;
    if (now.has_tiles) carry_ = own_.lone->carry(op_).value;
    bool const is_strip = now.segments == 0 || now.ends_tile;
    int const segments = is_strip ? 1 : now.segments;
#pragma unroll 1
    for (int k = 0; k < segments; k += warp_lanes) scan_32(now, is_strip, k, elements);
    __syncwarp();
    write(now, elements);
  }

private:
  static constexpr int group = shape::group, row = shape::row;
  static constexpr int most_of_groups = 24 * group;  // elements of a segment that is no longer one of rows
  static constexpr int rounds = 5;                   // of Kogge and Stone's scan
  static constexpr int most_by_lanes = 8;            // groups of a segment

  __device__ __forceinline__ void scan_32(warp_part const& now, bool is_strip, int k, place elements)
  {
    std::uint32_t const* const offsets = own_.room.offsets[now.block] + now.begin;
    int const own = k + lane_;
    int begin, size;
    if (is_strip) {
      begin = now.place;
      size = lane_ == 0 ? shape::room : 0;
    } else {
      begin = max(static_cast<int>(offsets[min(own, static_cast<int>(now.segments))] - now.from), 0);
      size = static_cast<int>(offsets[min(own + 1, static_cast<int>(now.segments))] - now.from) - begin;
      begin += now.place;
    }
    // Long segments, and one that goes on, are the work of the warp together.
    bool const goes_on = k == 0 && (is_strip || now.continues || now.has_tiles);
    bool const is_long = size > most_of_groups || (goes_on && lane_ == 0);
    unsigned const longer = __ballot_sync(whole_warp, is_long);
#pragma unroll 1
    for (unsigned left = longer; left != 0; left &= left - 1) {
      int const of = __ffs(static_cast<int>(left)) - 1;
      scan_rows(now, is_strip, goes_on && of == 0, elements + __shfl_sync(whole_warp, begin, of),
                __shfl_sync(whole_warp, size, of));
    }
    if (is_long) size = 0;
    int const most = static_cast<int>(most_of_lanes(static_cast<unsigned>(size)));
    if (most == 0) return;
    if (most <= group) return scan_group(begin, size, elements);
    // Lanes whose segments are equally long would meet in few banks of shared memory.
    if (most <= most_by_lanes * group && !__all_sync(whole_warp, size == most))
      return scan_lanes(begin, size, most, elements);

    int const count = (size + group - 1) / group;
    int end = count;
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      int const before = __shfl_up_sync(whole_warp, end, stride);
      if (lane_ >= stride) end += before;
    }
    int const all = __shfl_sync(whole_warp, end, warp_lanes - 1), first = end - count;
    unsigned const have = __ballot_sync(whole_warp, count > 0);
    if (count > 0)
      own_.segments[__popc(have & below())] = {static_cast<std::int16_t>(first), static_cast<std::int16_t>(begin),
                                               static_cast<std::int16_t>(size)};
    __syncwarp();
    scan_groups(first, count, all, (most + group - 1) / group, elements);
    __syncwarp();
  }

  /// Segments of a group at most, a lane each.
  __device__ __forceinline__ void scan_group(int begin, int size, place elements)
  {
    place const at = elements + begin;
    W values[group];
#pragma unroll
    for (int j = 0; j < group; ++j) values[j] = at[j];
#pragma unroll
    for (int j = 1; j < group; ++j) values[j] = static_cast<W>(op_(values[j - 1], values[j]));
#pragma unroll
    for (int j = 0; j < group; ++j) values[j] = static_cast<W>(op_(start_, values[j]));
    if (problem_.exclusive) {
#pragma unroll
      for (int j = group - 1; j > 0; --j) values[j] = values[j - 1];
      values[0] = start_;
    }
#pragma unroll
    for (int j = 0; j < group; ++j)
      if (j < size) at.put(j, values[j]);
  }

  /// Segments of `most_by_lanes` groups at most, a lane each, step by step as Kogge and Stone's scan. `most` is the
  /// longest one's size. The results of an exclusive scan lie one place further on, so the next group is read before
  /// those of one are written.
  __device__ __forceinline__ void scan_lanes(int begin, int size, int most, place elements)
  {
    place const at = elements + begin, to = at + (problem_.exclusive ? 1 : 0);
    int const stored = size - (problem_.exclusive ? 1 : 0);
    W upto[rounds - 1][most_by_lanes];  // of 1, 2, 4 and 8 groups
    W before = none_;
    W next[group];
#pragma unroll
    for (int j = 0; j < group; ++j) next[j] = at[j];
#pragma unroll
    for (int g = 0; g < most_by_lanes; ++g) {
      if (g > 0 && g * group >= most) break;
      W values[group];
      values[0] = next[0];
#pragma unroll
      for (int j = 1; j < group; ++j) values[j] = static_cast<W>(op_(values[j - 1], next[j]));
      if (g + 1 < most_by_lanes && (g + 1) * group < size) {
#pragma unroll
        for (int j = 0; j < group; ++j) next[j] = at[(g + 1) * group + j];
      }
      upto[0][g] = values[group - 1];
#pragma unroll
      for (int j = 0; j < group; ++j) {
        W const local = g == 0 ? values[j] : static_cast<W>(op_(before, values[j]));
        if (g * group + j < stored) to.put(g * group + j, static_cast<W>(op_(start_, local)));
      }
      before = upto[0][g];
#pragma unroll
      for (int round = 0; round < rounds - 1; ++round) {
        int const stride = 1 << round;
        if (g >= stride) before = static_cast<W>(op_(upto[round][g - stride], before));
        if (round + 1 < rounds - 1) upto[round + 1][g] = before;
      }
    }
    if (problem_.exclusive && size > 0) at.put(0, start_);
  }

  /// All groups of 32 segments of a row at most, and of `most` groups at most.
  __device__ __forceinline__ void scan_groups(int first, int count, int all, int most, place elements)
  {
    W older[rounds];        // of the 32 groups before, as they are before each round
    W last = none_;         // of the group before
    W last_result = none_;  // of the element before
    int begun = 0;          // segments
#pragma unroll
    for (int round = 0; round < rounds; ++round) older[round] = none_;
    auto const scan = [&]<int Count>(std::integral_constant<int, Count>, int number) {
      int in_segment[Count], there[Count], places[Count];
      W values[Count][group], upto[Count];
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        // A group belongs to the last segment whose first group is not behind it.
        int const own = number + k * warp_lanes, to = first - own;
        bool const begins = count > 0 && to >= 0 && to < warp_lanes;
        unsigned const here = bits_of_lanes(begins ? 1u << to : 0u);
        auto const segment = own_.segments[begun + __popc(here & (below() << 1 | 1u)) - 1];
        begun += __popc(here);
        in_segment[k] = own + lane_ - segment.first;
        there[k] = segment.size - in_segment[k] * group;
        places[k] = segment.begin + (there[k] > 0 ? in_segment[k] * group : 0);
      }
#pragma unroll
      for (int k = 0; k < Count; ++k) {
#pragma unroll
        for (int j = 0; j < group; ++j) values[k][j] = (elements + places[k])[j];
      }
#pragma unroll
      for (int k = 0; k < Count; ++k) {
#pragma unroll
        for (int j = 1; j < group; ++j) values[k][j] = static_cast<W>(op_(values[k][j - 1], values[k][j]));
        upto[k] = values[k][group - 1];
      }
#pragma unroll
      for (int round = 0; round < rounds; ++round) {
        int const stride = 1 << round;
        W const newest = upto[Count - 1];
        if (stride < most) {
          W before[Count];
#pragma unroll
          for (int k = 0; k < Count; ++k)
            before[k] = shuffle_from(select(lane_ >= warp_lanes - stride, k > 0 ? upto[k - 1] : older[round], upto[k]),
                                     (lane_ - stride) & (warp_lanes - 1));
#pragma unroll
          for (int k = 0; k < Count; ++k)
            upto[k] = select(in_segment[k] >= stride, static_cast<W>(op_(before[k], upto[k])), upto[k]);
        }
        older[round] = newest;
      }
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        W const neighbour = shuffle_from(select(lane_ == warp_lanes - 1, k > 0 ? upto[k - 1] : last, upto[k]),
                                         (lane_ - 1) & (warp_lanes - 1));
        W const before = select(in_segment[k] == 0, none_, neighbour);
        W results[group];
#pragma unroll
        for (int j = 0; j < group; ++j)
          results[j] = static_cast<W>(op_(start_, static_cast<W>(op_(before, values[k][j]))));
        if (problem_.exclusive) {
          W const newest = results[group - 1];
          W const value =
              shuffle_from(select(lane_ == warp_lanes - 1, last_result, newest), (lane_ - 1) & (warp_lanes - 1));
          last_result = newest;
#pragma unroll
          for (int j = group - 1; j > 0; --j) results[j] = results[j - 1];
          results[0] = select(in_segment[k] == 0, start_, value);
        }
        place const to = elements + places[k];
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (j < there[k]) to.put(j, results[j]);
      }
      last = upto[Count - 1];
    };
    int number = 0;
#pragma unroll 1
    for (; number + warp_lanes < all; number += 2 * warp_lanes) scan(std::integral_constant<int, 2>{}, number);
    if (number < all) scan(std::integral_constant<int, 1>{}, number);
  }

  /// A segment, or the strip of one, row by row. `goes_on`: it begins in another part, or ends there.
  __device__ __forceinline__ void scan_rows(warp_part const& now, bool is_strip, bool goes_on, place from, int size)
  {
    W const strips = goes_on ? strips_ : none_, carry = goes_on ? carry_ : start_;
    W previous = goes_on && (now.continues || now.has_tiles) ? previous_ : start_;
    W rows = none_, last_local = none_, last_result = none_;
    auto const scan = [&]<int Count, bool Whole>(std::integral_constant<int, Count>, std::bool_constant<Whole>,
                                                 int first) {
      W values[Count][group], upto[Count];
      int const there = size - first - lane_ * group;  // elements from the lane's first group on
      place const at = from + (first + lane_ * group);
#pragma unroll
      for (int r = 0; r < Count; ++r) {
        place const own = Whole || there > r * row ? at + r * row : from;
#pragma unroll
        for (int j = 0; j < group; ++j) values[r][j] = own[j];
      }
#pragma unroll
      for (int r = 0; r < Count; ++r) {
#pragma unroll
        for (int j = 1; j < group; ++j) values[r][j] = static_cast<W>(op_(values[r][j - 1], values[r][j]));
        upto[r] = values[r][group - 1];
      }
      kogge_stone_scan(upto, lane_, op_);
#pragma unroll
      for (int r = 0; r < Count; ++r) {
        W const base = static_cast<W>(op_(strips, rows));
        rows = static_cast<W>(op_(rows, shuffle_from(upto[r], warp_lanes - 1)));
        W const neighbour = shuffle_up(upto[r], 1);
        W const before = select(lane_ == 0, base, static_cast<W>(op_(base, neighbour)));
        W results[group];
#pragma unroll
        for (int j = 0; j < group; ++j) values[r][j] = static_cast<W>(op_(before, values[r][j]));
#pragma unroll
        for (int j = 0; j < group; ++j) results[j] = static_cast<W>(op_(carry, values[r][j]));
        if (r == Count - 1) {
          last_local = values[r][group - 1];
          last_result = results[group - 1];
        }
        if (problem_.exclusive) {
          W const left_value = shuffle_up(results[group - 1], 1);
          W const last = shuffle_from(results[group - 1], warp_lanes - 1);
#pragma unroll
          for (int j = group - 1; j > 0; --j) results[j] = results[j - 1];
          results[0] = select(lane_ == 0, previous, left_value);
          previous = last;
        }
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (Whole || r * row + j < there) at.put(r * row + j, results[j]);
      }
    };
    constexpr std::integral_constant<int, 4> four{};
    int first = 0;
#pragma unroll 1
    for (; first + 4 * row <= size; first += 4 * row) scan(four, std::true_type{}, first);
    if (first + 2 * row < size)
      scan(four, std::false_type{}, first);
    else if (first + row < size)
      scan(std::integral_constant<int, 2>{}, std::false_type{}, first);
    else if (first < size)
      scan(std::integral_constant<int, 1>{}, std::false_type{}, first);
    if (!is_strip) return;
    previous_ = shuffle_from(last_result, warp_lanes - 1);
    if (!now.ends_tile) {
      strips_ = static_cast<W>(op_(strips_, rows));
      return;
    }
    if (lane_ == warp_lanes - 1) {
      if (!now.has_tiles) own_.lone->begin(problem_.init, op_);
      own_.lone->append(own_.lone->carry(op_), last_local, op_);
    }
  }

  /// Writes the elements of a part.
  __device__ __forceinline__ void write(warp_part const& now, place elements)
  {
    constexpr int words = shape::room / group / warp_lanes;
    T* const out = problem_.out + now.at;
    int const begin = now.place, end = begin + now.count;
    if (reinterpret_cast<std::uintptr_t>(out - begin) % 16 == 0) {
      T* const to = out - begin + lane_ * group;
      place const from = elements + lane_ * group;
      int const first = (begin + group - 1) / group - lane_, last = end / group - lane_;  // whole words
      struct alignas(16) vector {
        T elements[group];
      };
#pragma unroll
      for (int w = 0; w < words; ++w)
        if (w * warp_lanes >= first && w * warp_lanes < last) {
          vector some;
          (from + w * warp_lanes * group).load(some.elements);
          *reinterpret_cast<vector*>(to + w * warp_lanes * group) = some;
        }
      // The rest of the first word, and the elements behind the others.
      if (lane_ < group && lane_ >= begin && lane_ < end) {
        if (begin > 0) to[lane_ - lane_ * group] = elements[lane_];
      }
      if (int const k = max(end / group, begin > 0 ? 1 : 0) * group + lane_; lane_ < 2 * group && k < end)
        to[k - lane_ * group] = elements[k];
    } else {
#pragma unroll 4
      for (int k = lane_; k < now.count; k += warp_lanes) out[k] = elements[begin + k];
    }
  }

  __device__ __forceinline__ unsigned below() const { return (1u << lane_) - 1; }

  P const& problem_;
  memory& own_;
  Op& op_;
  int lane_;
  W none_, start_;  // without an initial value, the identity
  // Of a segment that goes on in the next part: the fold of the strips before in the tile, the carry of the tile, and
  // the result before.
  W strips_, carry_, previous_;
};

}  // namespace tally::cuda_backend
