#pragma once

#include <cstddef>

#include "tally/detail/cuda/batch/segment_staging.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// Segments of a strip at most, and strips of longer ones, each by one warp.
template <class T, class Op>
struct segment_rows {
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using slots = segment_slots<T>;
  static constexpr int group = static_cast<int>(order::group<T>);
  static constexpr int row = static_cast<int>(order::row<T>);
  static constexpr int strip = static_cast<int>(order::strip<T>);
  static constexpr int strip_rows = static_cast<int>(order::strip_rows);
  static constexpr int group_words = group * static_cast<int>((sizeof(W) + 3) / 4);
  /// Rows whose steps go together, so that the shuffles of one hide those of the others.
  static constexpr int rows_at_once = group_words <= 4 ? 4 : group_words <= 8 ? 2 : 1;

  /// The values of a group of `there` elements, from its first one on; one element is there at least. The last one
  /// there stands for the others.
  __device__ __forceinline__ static void scan_group(slots const& at, int first, int remaining, W (&values)[group],
                                                    Op& op)
  {
    values[0] = static_cast<W>(at[first]);
#pragma unroll
    for (int j = 1; j < group; ++j) {
      values[j] = values[j - 1];
      if (j < remaining) values[j] = static_cast<W>(op(values[j - 1], static_cast<W>(at[first + j])));
    }
  }

  static_assert(!slots::padded || row % static_cast<int>(slots::every) == 0);
  static constexpr int row_step = static_cast<int>(slots::place(row));  ///< slots from a row to the next one

  /// The lane's elements in the first of some whole rows: the addresses in the others follow.
  struct in_row {
    T* element[group];
    __device__ __forceinline__ in_row(slots const& at, int first)
    {
#pragma unroll
      for (int j = 0; j < group; ++j) element[j] = &at[first + j];
    }
    /// The values of the group in a row.
    __device__ __forceinline__ void scan(int row_number, W (&values)[group], Op& op) const
    {
      values[0] = static_cast<W>(element[0][row_number * row_step]);
#pragma unroll
      for (int j = 1; j < group; ++j)
        values[j] = static_cast<W>(op(values[j - 1], static_cast<W>(element[j][row_number * row_step])));
    }
  };

  /// Calls each(there, before, values, is_last, slot) for the lane's group in each row of [begin, begin + size), a
  /// strip at most: `there` is its number of elements (0 and less if it does not exist, a group and more if it is
  /// whole), `before` the fold of `strips` and of the groups before it, `is_last` whether it has the last element, and
  /// slot(j) the place of its element j.
  template <class Each>
  __device__ __forceinline__ static void for_each_group(slots const& at, int begin, int size, left const& strips,
                                                        int lane, Op& op, Each const& each)
  {
    left rows = left::absent(op, static_cast<W>(at[begin]));
    int first = lane * group;
#pragma unroll 1
    for (; first - lane * group + rows_at_once * row <= size; first += rows_at_once * row) {
      in_row const elements(at, begin + first);
      W values[rows_at_once][group], upto[rows_at_once];
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        elements.scan(r, values[r], op);
        upto[r] = values[r][group - 1];
      }
      kogge_stone_scan(upto, lane, op);
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        W const neighbour = shuffle_up(upto[r], 1);
        left const groups = lane == 0 ? left::absent(op, neighbour) : left::present(neighbour);
        each(group, strips.before(rows, op).before(groups, op), values[r],
             first - lane * group + (r + 1) * row == size && lane == warp_lanes - 1,
             [&](int j) -> T& { return elements.element[j][r * row_step]; });
        rows = left::present(rows.before(shuffle_from(upto[r], warp_lanes - 1), op));
      }
    }
#pragma unroll 1
    for (; first - lane * group < size; first += row) {
      W values[group];
      int const remaining = size - first;
      scan_group(at, begin + (remaining > 0 ? first : 0), remaining, values, op);
      W upto[1] = {values[group - 1]};
      kogge_stone_scan(upto, lane, op);
      W const neighbour = shuffle_up(upto[0], 1);
      left const groups = lane == 0 ? left::absent(op, neighbour) : left::present(neighbour);
      each(remaining, strips.before(rows, op).before(groups, op), values, remaining > 0 && remaining <= group,
           [&](int j) -> T& { return at[begin + first + j]; });
      rows = left::present(rows.before(shuffle_from(upto[0], warp_lanes - 1), op));
    }
  }

  /// Scans a strip in place, on top of the fold of the strips before it and of the carry. `previous` is the value
  /// before its first element, for an exclusive scan. Calls at_end(inclusive value of the last element) in one lane.
  template <class AtEnd>
  __device__ __forceinline__ static void scan_strip(slots const& at, int begin, int size, left const& strips,
                                                    left const& carry, W previous, bool exclusive, int lane, Op& op,
                                                    AtEnd const& at_end)
  {
    for_each_group(at, begin, size, strips, lane, op,
                   [&](int remaining, left const& before, W(&values)[group], bool is_last, auto const& slot) {
#pragma unroll
                     for (int j = 0; j < group; ++j) values[j] = carry.before(before.before(values[j], op), op);
                     if (is_last) at_end(values[group - 1]);
                     if (exclusive) {
                       W const neighbour = shuffle_up(values[group - 1], 1);
                       W const left_value = lane == 0 ? previous : neighbour;
                       previous = shuffle_from(values[group - 1], warp_lanes - 1);
#pragma unroll
                       for (int j = group - 1; j > 0; --j) values[j] = values[j - 1];
                       values[0] = left_value;
                     }
#pragma unroll
                     for (int j = 0; j < group; ++j)
                       if (j < remaining) slot(j) = static_cast<T>(values[j]);
                   });
  }

  /// The totals of the rows of strip `number` of the piece [begin, begin + size). Those of rows that are not whole mean
  /// nothing.
  __device__ __forceinline__ static void total_strip(slots const& at, int begin, int size, int number,
                                                     uninitialized<W> (&row_totals)[order::strip_rows], int lane,
                                                     Op& op)
  {
    W totals[strip_rows];
    int const first = number * strip + lane * group;
    if ((number + 1) * strip <= size) {
      in_row const elements(at, begin + first);
#pragma unroll
      for (int r = 0; r < strip_rows; ++r) {
        W values[group];
        elements.scan(r, values, op);
        totals[r] = values[group - 1];
      }
    } else {
#pragma unroll
      for (int r = 0; r < strip_rows; ++r) {
        int const k = first + r * row;
        W values[group];
        scan_group(at, begin + (k < size ? k : 0), size - k, values, op);
        totals[r] = values[group - 1];
      }
    }
    W const total = row_trees(totals, lane, op);
    if (lane < strip_rows) *row_totals[value_of_lane(lane)] = total;
  }

  /// The two parts of the value at a piece's last element: the fold of the groups before its group in its row, and that
  /// of its group up to it.
  __device__ __forceinline__ static void total_last_row(slots const& at, int begin, int size,
                                                        uninitialized<left>& last_before, uninitialized<W>& last_own,
                                                        int lane, Op& op)
  {
    int const k = (size - 1) / row * row + lane * group;
    W values[group];
    scan_group(at, begin + (k < size ? k : 0), size - k, values, op);
    W upto[1] = {values[group - 1]};
    kogge_stone_scan(upto, lane, op);
    W const before = shuffle_up(upto[0], 1);
    if (k < size && size - k <= group) {
      *last_before = lane == 0 ? left::absent(op, before) : left::present(before);
      *last_own = values[group - 1];
    }
  }

  /// Whether a lane may have several groups of a segment in its registers.
  static constexpr bool by_lanes = group_words <= 4;
  /// The groups of the segments that a lane can have in a reduction, a power of two, and in a scan. A scan keeps the
  /// steps of Kogge and Stone's scan for each group.
  static constexpr int most_groups_reduced = by_lanes ? 32 : 4, most_groups_scanned = by_lanes ? 8 : 4;

  /// A segment of a group at most, perhaps empty, by one lane.
  template <class P>
  __device__ __forceinline__ static void do_group(P const& problem, slots const& at, int begin, int size,
                                                  std::size_t segment, Op& op)
  {
    if constexpr (P::reduces) {
      auto const init = problem.init_of(segment);
      T result = problem.of_nothing(init);
      if (size > 0) {
        W value = static_cast<W>(at[begin]);
#pragma unroll
        for (int j = 1; j < group; ++j)
          if (j < size) value = static_cast<W>(op(value, static_cast<W>(at[begin + j])));
        result = static_cast<T>(start_of(init, op).before(value, op));
      }
      problem.put_result(segment, result);
    } else {
      if (size > 0) do_lane<1, 1>(problem, at, begin, size, segment, op);
      if (problem.lasts != nullptr && size == 0) problem.put_empty(segment);
    }
  }

  /// A segment of `First` to `Most` groups by one lane, step by step as Kogge and Stone's scan.
  template <int First, int Most, class P>
  __device__ __forceinline__ static void do_lane(P const& problem, slots const& at, int begin, int size,
                                                 std::size_t segment, Op& op)
  {
    static_assert(Most <= 8);
    auto const init = problem.init_of(segment);
    left const start = start_of(init, op);
    W totals[Most], twos[Most], fours[Most];  // of one, two and four groups up to each
    W before, previous = init.value;
#pragma unroll
    for (int g = 0; g < Most; ++g) {
      int const remaining = size - g * group, k = begin + g * group;
      if (g >= First && remaining <= 0) break;
      auto const is_there = [&](int j) { return j == 0 || g + 1 < First || j < remaining; };
      if constexpr (P::reduces) {
        totals[g] = static_cast<W>(at[k]);
#pragma unroll
        for (int j = 1; j < group; ++j)
          if (is_there(j)) totals[g] = static_cast<W>(op(totals[g], static_cast<W>(at[k + j])));
        if (g == 0)
          previous = totals[0];
        else
          previous = static_cast<W>(op(before, totals[g]));
      } else {
        W values[group];
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (is_there(j)) {
            W const own = static_cast<W>(at[k + j]);
            if (j == 0)
              values[j] = own;
            else
              values[j] = static_cast<W>(op(values[j - 1], own));
          }
        totals[g] = values[group - 1];
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (is_there(j)) {
            W local = values[j];
            if (g > 0) local = static_cast<W>(op(before, local));
            W const result = start.before(local, op);
            at[k + j] = static_cast<T>(problem.exclusive ? previous : result);
            previous = result;
          }
      }
      if (g + 1 < Most && (g + 1 < First || remaining > group)) {
        twos[g] = totals[g];
        if (g >= 1) twos[g] = static_cast<W>(op(totals[g - 1], totals[g]));
        fours[g] = twos[g];
        if (g >= 2) fours[g] = static_cast<W>(op(twos[g - 2], twos[g]));
        before = fours[g];
        if (g >= 4) before = static_cast<W>(op(fours[g - 4], fours[g]));
      }
    }
    if constexpr (P::reduces)
      problem.put_reduced(segment, start.before(previous, op));
    else
      problem.put_last(segment, previous);
  }

  /// The reduction of a segment of more than `Groups` / 2 and at most `Groups` groups by one lane, `eights` times 8.
  /// The groups before the last one are the rightmost leaves of a balanced tree with `Groups` leaves: absent leaves on
  /// the left make of it the brackets of Kogge and Stone's scan.
  template <class P>
  __device__ __forceinline__ static void reduce_lane(P const& problem, slots const& at, int begin, int size, int eights,
                                                     std::size_t segment, Op& op)
  {
    auto const init = problem.init_of(segment);
    left const none = left::absent(op, init.value);
    int const last = (size - 1) / group * group, place_of_last = begin + last;  // of the last group
    left fold = none, right = none;
#pragma unroll 1
    for (int e = 0; e < eights; ++e) {
      int const first = place_of_last + (e - eights) * 8 * group;
      left leaves[8];
#pragma unroll
      for (int g = 0; g < 8; ++g) {
        int const k = first + g * group;
        leaves[g] = none;
        if (k >= begin) {
          W total = static_cast<W>(at[k]);
#pragma unroll
          for (int j = 1; j < group; ++j) total = static_cast<W>(op(total, static_cast<W>(at[k + j])));
          leaves[g] = left::present(total);
        }
      }
#pragma unroll
      for (int stride = 1; stride < 8; stride *= 2)
#pragma unroll
        for (int g = 0; g < 8; g += 2 * stride) leaves[g] = leaves[g].before(leaves[g + stride], op);
      if (e == 0) fold = leaves[0];
      if (e == 1) fold = fold.before(leaves[0], op);
      if (e == 2) right = leaves[0];
      if (e == 3) fold = fold.before(right.before(leaves[0], op), op);
    }
    W value = static_cast<W>(at[place_of_last]);
#pragma unroll
    for (int j = 1; j < group; ++j)
      if (last + j < size) value = static_cast<W>(op(value, static_cast<W>(at[place_of_last + j])));
    problem.put_reduced(segment, start_of(init, op).before(fold.before(value, op), op));
  }

  /// Segments of a row at most, side by side in a warp: each has `width` lanes, a power of two, and each lane a group,
  /// or none if `size` is 0.
  template <class P>
  __device__ __forceinline__ static void do_row(P const& problem, slots const& at, int begin, int size, int width,
                                                std::size_t segment, int lane, Op& op)
  {
    int const place = lane & (width - 1);  // of the lane's group in its segment
    int const remaining = size - place * group;
    int const k = begin + (remaining > 0 ? place * group : 0);
    W values[group];
    scan_group(at, k, remaining, values, op);
    W upto = values[group - 1];
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      if (stride >= width) break;
      W const before = shuffle_up(upto, stride);
      upto = select(place >= stride, static_cast<W>(op(before, upto)), upto);
    }
    W const neighbour = shuffle_up(upto, 1);
    left const before = place == 0 ? left::absent(op, neighbour) : left::present(neighbour);
    auto const init = problem.init_of(segment);
    left const start = init.is_present ? left::present(init.value) : left::absent(op, init.value);
    if constexpr (P::reduces) {
      if (remaining > 0 && remaining <= group)
        problem.put_reduced(segment, start.before(before.before(values[group - 1], op), op));
    } else {
#pragma unroll
      for (int j = 0; j < group; ++j) values[j] = start.before(before.before(values[j], op), op);
      if (remaining > 0 && remaining <= group) problem.put_last(segment, values[group - 1]);
      if (problem.exclusive) {
        W const last = shuffle_up(values[group - 1], 1);
#pragma unroll
        for (int j = group - 1; j > 0; --j) values[j] = values[j - 1];
        values[0] = place == 0 ? start.value : last;
      }
#pragma unroll
      for (int j = 0; j < group; ++j)
        if (j < remaining) at[k + j] = static_cast<T>(values[j]);
    }
  }

  /// A segment of a strip at most by a warp.
  template <class P>
  __device__ __forceinline__ static void do_strip(P const& problem, slots const& at, int begin, int size,
                                                  std::size_t segment, int lane, Op& op)
  {
    auto const init = problem.init_of(segment);
    left const start = init.is_present ? left::present(init.value) : left::absent(op, init.value);
    if constexpr (P::reduces) {
      int const before_last = (size - 1) / row;
      left rows = left::absent(op, static_cast<W>(at[begin]));
      int r = 0;
#pragma unroll 1
      for (; r + rows_at_once <= before_last; r += rows_at_once)
        fold_rows<rows_at_once>(at, begin + r * row, rows, lane, op);
#pragma unroll 1
      for (; rows_at_once > 1 && r < before_last; ++r) fold_rows<1>(at, begin + r * row, rows, lane, op);
      int const first = before_last * row + lane * group, remaining = size - first;
      W values[group];
      scan_group(at, begin + (remaining > 0 ? first : 0), remaining, values, op);
      W upto[1] = {values[group - 1]};
      kogge_stone_scan(upto, lane, op);
      W const neighbour = shuffle_up(upto[0], 1);
      left const groups = lane == 0 ? left::absent(op, neighbour) : left::present(neighbour);
      if (remaining > 0 && remaining <= group)
        problem.put_reduced(segment, start.before(rows.before(groups, op).before(values[group - 1], op), op));
    } else {
      scan_strip(at, begin, size, left::absent(op, init.value), start, start.value, problem.exclusive, lane, op,
                 [&](W const& value) { problem.put_last(segment, value); });
    }
  }

private:
  template <class Init>
  __device__ __forceinline__ static left start_of(Init const& init, Op& op)
  {
    return init.is_present ? left::present(init.value) : left::absent(op, init.value);
  }

  /// Appends the totals of `Count` whole rows to the fold of those before.
  template <int Count>
  __device__ __forceinline__ static void fold_rows(slots const& at, int begin, left& rows, int lane, Op& op)
  {
    in_row const elements(at, begin + lane * group);
    W totals[Count];
#pragma unroll
    for (int r = 0; r < Count; ++r) {
      W values[group];
      elements.scan(r, values, op);
      totals[r] = values[group - 1];
    }
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      W received[Count];
#pragma unroll
      for (int r = 0; r < Count; ++r) received[r] = shuffle_xor(totals[r], stride);
#pragma unroll
      for (int r = 0; r < Count; ++r)
        if constexpr (commutative<Op, W>)
          totals[r] = static_cast<W>(op(totals[r], received[r]));
        else
          totals[r] = static_cast<W>((lane & stride) != 0 ? op(received[r], totals[r]) : op(totals[r], received[r]));
    }
#pragma unroll
    for (int r = 0; r < Count; ++r) rows = left::present(rows.before(totals[r], op));
  }
};

}  // namespace tally::cuda_backend
