#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/lone_fold.cuh"
#include "tally/detail/cuda/batch/segment_heads.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Scans of segments by words. A lane of a warp has words of 16 bytes as they lie in memory, wherever segments begin.
///
/// A word has as many elements as a group of the order. So in each word at most one group begins that is not the first
/// of its segment. The next group of that segment begins in the next word, at the same place. So Kogge and Stone's scan
/// of a row of groups is a scan over words: a lane takes the value of the lane d before it, if the segment has d groups
/// more. A group that goes on in the next word is one value, the fold so far, which goes to the next lane.
///
/// So a warp reads and writes each element once, in whole words, and the steps are the same for all lengths.
namespace tally::cuda_backend {

/// The shared memory of a warp.
template <class P>
struct segment_words_memory {
  segment_heads_memory<words_shape<typename P::element>> heads;
  uninitialized<lone_fold<typename P::element, typename P::operation>> lone;
};

/// The work of a warp on segments that follow each other, for an operator with an identity. All of them have the same
/// initial value, or none.
template <class P>
class segment_words {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using shape = words_shape<T>;
  using memory = segment_words_memory<P>;

  __device__ segment_words(P const& problem, memory& own, Op& op)
      : problem_(problem),
        own_(own),
        op_(op),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        heads_(own.heads, lane_),
        none_(left_operand<W, Op>::absent(op, W()).value)
  {
    heads_.clear();
    __syncwarp();
  }

  /// Scans the segments [first, last), whose elements are [begin, end). Those of more than `longest` are left out.
  __device__ __forceinline__ void work(std::size_t first, std::size_t last, std::size_t begin, std::size_t end,
                                       std::size_t longest)
  {
    while (true) {
      first = scan(first, last, begin, end, longest);
      if (first >= last) return;
      begin = problem_.offset(first);
    }
  }

private:
  static constexpr int group = shape::word, row = shape::row, rows = shape::rows, chunk = shape::chunk;
  static constexpr int tile = static_cast<int>(order::tile<T>), rounds = 5;
  static_assert(group == static_cast<int>(order::group<T>) && row == static_cast<int>(order::row<T>));
  using offset = std::iter_value_t<typename P::offset_iterator>;
  using offsets = low_words<sizeof(offset) / sizeof(std::uint32_t)>;
  using packed = packed_group<T, group>;

  /// Segments without one that is left out.
  struct run : segments_in_places<offsets> {
    T const* from;    ///< the element of place 0
    T* to;            ///< its result
    bool is_aligned;  ///< words of results are
  };

  /// The segment that goes on in the next chunk.
  struct open_segment {
    int begin;        ///< its place, from the beginning of the chunk
    W fold;           ///< of the group that the last word ends in, up to its end
    W left;           ///< the left operand of the group that begins in the last word
    W result;         ///< of the last element
    W older[rounds];  ///< of the last row of words, before each round of Kogge and Stone's scan
    int whole_rows;   ///< of the order
    W rows, strips;   ///< the folds of the row totals in its strip, and of the strips before in its tile
    W base;           ///< the fold of both
    W carry;          ///< of its tile, if it has tiles before
    bool has_tiles;
  };

  /// The words of a lane.
  struct lane_words {
    W values[rows][group];      ///< the folds in their groups up to each element, then local values, then results
    unsigned with_heads[rows];  ///< a bit for each lane
    int behind[rows];           ///< minus the elements from the last begin of a segment before the word up to the word
    /// A byte for each element: bit 0 where a group begins, bit 1 where a segment does.
    unsigned begins[rows];
    /// The number in its row of the group before the one that begins in the word, or 0.
    unsigned in_row[rows];
    W totals[rows];  ///< of that group
    W upto[rows];    ///< the left operand of the group that begins in the word
    int tile_end;    ///< the place behind the end of a tile, from the beginning of the chunk
    W carry_before;  ///< of the tile before that place

    __device__ __forceinline__ bool group_begins_upto(int r, int j) const
    {
      return (begins[r] & (0x01010101u >> (24 - 8 * j))) != 0;
    }
    __device__ __forceinline__ bool segment_begins_upto(int r, int j) const
    {
      return (begins[r] & (0x02020202u >> (24 - 8 * j))) != 0;
    }
    __device__ __forceinline__ bool segment_begins(int r, int j) const { return (begins[r] >> (8 * j + 1) & 1) != 0; }
    /// Whether the group that begins in a word has a row of the order before it.
    __device__ __forceinline__ bool has_row(int r) const { return behind[r] <= group - 1 - row; }
  };

  /// The value that a lane some lanes before has. The first lanes take those of the row of words before.
  __device__ __forceinline__ W from_before(W const& own, W const& row_before, int lanes) const
  {
    return shuffle_from(select(lane_ >= warp_lanes - lanes, row_before, own), (lane_ - lanes) & (warp_lanes - 1));
  }
  __device__ __forceinline__ W combine(W const& a, W const& b) const { return static_cast<W>(op_(a, b)); }

  __device__ __forceinline__ void load(run const& now, int at, W (&elements)[rows][group]) const
  {
    T const* const own = now.from + at + lane_ * group;
    if (at >= now.begin && at + chunk <= now.end) {
      packed words[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) words[r].load_aligned(own + r * row);
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int j = 0; j < group; ++j) elements[r][j] = static_cast<W>(words[r].get(j));
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int const place = at + r * row + lane_ * group;
#pragma unroll
        for (int j = 0; j < group; ++j) {
          elements[r][j] = none_;
          if (place + j >= now.begin && place + j < now.end) elements[r][j] = static_cast<W>(own[r * row + j]);
        }
      }
    }
  }

  /// Finds where segments and groups begin.
  __device__ __forceinline__ void find_begins(lane_words& own, open_segment& open)
  {
    unsigned heads[rows];
    int last_head[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) heads[r] = heads_.of_word(r);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.with_heads[r] = __ballot_sync(whole_warp, heads[r] != 0);
      last_head[r] = lane_ * group + static_cast<int>(highest_bit(heads[r]) >> 3);
    }
    __syncwarp();
    heads_.clear();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const before = own.with_heads[r] & ((1u << lane_) - 1);
      int const nearest = value_of_lane(last_head[r], highest_bit(before));
      int const latest = value_of_lane(last_head[r], highest_bit(own.with_heads[r]));
      own.behind[r] = (before != 0 ? nearest : open.begin) - lane_ * group;
      open.begin = (own.with_heads[r] != 0 ? latest : open.begin) - row;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const at =
          static_cast<unsigned>(own.behind[r]) % group;  // a group begins there, if no segment does before
      unsigned const other = (1u << 8 * at) & ~heads[r] & (heads[r] - 1);
      own.begins[r] = heads[r] * 3 | other;
      own.in_row[r] = other != 0 ? ~static_cast<unsigned>(own.behind[r]) / group % warp_lanes : 0u;
    }
  }

  /// The same where no segment begins.
  __device__ __forceinline__ void go_on(lane_words& own, open_segment& open)
  {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.with_heads[r] = 0;
      own.behind[r] = open.begin - r * row - lane_ * group;
      own.begins[r] = 1u << 8 * (static_cast<unsigned>(open.begin) % group);
      own.in_row[r] = ~static_cast<unsigned>(own.behind[r]) / group % warp_lanes;
    }
    open.begin -= chunk;
  }

  /// Folds the elements of each group up to each of them, and the totals of groups that end.
  __device__ __forceinline__ void fold_groups(lane_words& own, open_segment& open, W const (&elements)[rows][group])
  {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.values[r][0] = elements[r][0];
#pragma unroll
      for (int j = 1; j < group; ++j)
        own.values[r][j] =
            select((own.begins[r] >> 8 * j & 1) != 0, elements[r][j], combine(own.values[r][j - 1], elements[r][j]));
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      own.totals[r] =
          from_before(own.values[r][group - 1], r > 0 ? own.values[r > 0 ? r - 1 : 0][group - 1] : open.fold, 1);
    open.fold = own.values[rows - 1][group - 1];
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int j = 0; j + 1 < group; ++j) {
        W const next = combine(own.totals[r], elements[r][j]);
        own.totals[r] = select(own.group_begins_upto(r, j), own.totals[r], next);
        own.values[r][j] = select(own.group_begins_upto(r, j), own.values[r][j], next);
      }
  }

  /// Kogge and Stone's scan of the totals in each row of the order.
  __device__ __forceinline__ void scan_groups(lane_words& own, open_segment& open)
  {
    unsigned most = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.upto[r] = own.totals[r];
      most = max(most, own.in_row[r]);
    }
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
      unsigned const stride = 1u << round;
      W const newest = own.upto[rows - 1];
      if ((stride != 4 && stride != 16) || __any_sync(whole_warp, most >= stride)) {
        W before[rows];
#pragma unroll
        for (int r = 0; r < rows; ++r)
          before[r] = from_before(own.upto[r], r > 0 ? own.upto[r > 0 ? r - 1 : 0] : open.older[round], 1 << round);
#pragma unroll
        for (int r = 0; r < rows; ++r)
          own.upto[r] = select(own.in_row[r] >= stride, combine(before[r], own.upto[r]), own.upto[r]);
      }
      open.older[round] = newest;
    }
  }

  /// Adds the rows and strips before to the left operands of groups, and ends tiles. In a row of words at most one row
  /// of the order ends. Segments begin only behind that end, since a new one has no row yet.
  __device__ __forceinline__ void add_rows_before(lane_words& own, open_segment& open)
  {
    own.tile_end = chunk;
    own.carry_before = open.carry;
    bool is_long = false;
    unsigned any_heads = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      is_long |= own.has_row(r);
      any_heads |= own.with_heads[r];
    }
    if (!__any_sync(whole_warp, is_long)) {
      if (any_heads != 0) open.whole_rows = 0;
      return;
    }
    unsigned ends[rows];
    int behind_end[rows];  // the lane of the group behind a row of the order
    W row_totals[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) ends[r] = __ballot_sync(whole_warp, own.in_row[r] == warp_lanes - 1);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      behind_end[r] = static_cast<int>(highest_bit(ends[r]) % warp_lanes);
      row_totals[r] = shuffle_from(own.upto[r], behind_end[r]);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      W base = open.base;
      if (ends[r] != 0) {
        int const of = behind_end[r];
        if (open.whole_rows == 0) open.rows = open.strips = none_;
        ++open.whole_rows;
        if (open.whole_rows % (tile / row) == 0) {
          W const last = own.has_row(r) ? combine(base, own.upto[r]) : own.upto[r];
          W const before = from_before(last, r > 0 ? own.upto[r > 0 ? r - 1 : 0] : open.left, 1);
          end_tile(open, shuffle_from(combine(before, own.totals[r]), of));
          own.tile_end = r * row + of * group + __shfl_sync(whole_warp, own.behind[r] & (group - 1), of);
          open.rows = open.strips = open.base = none_;
        } else {
          open.rows = combine(open.rows, row_totals[r]);
          if (open.whole_rows % static_cast<int>(order::strip_rows) == 0) {
            open.strips = combine(open.strips, open.rows);
            open.rows = none_;
          }
          open.base = combine(open.strips, open.rows);
        }
        base = select(lane_ < of, base, open.base);
      }
      if (own.has_row(r)) own.upto[r] = select(own.in_row[r] == warp_lanes - 1, base, combine(base, own.upto[r]));
      if (own.with_heads[r] != 0) open.whole_rows = 0;
    }
  }

  __device__ __forceinline__ void end_tile(open_segment& open, W const& total)
  {
    if (lane_ == 0) {
      if (!open.has_tiles) own_.lone->begin(problem_.init, op_);
      own_.lone->append(own_.lone->carry(op_), total, op_);
    }
    __syncwarp();
    open.carry = own_.lone->carry(op_).value;
    open.has_tiles = true;
    __syncwarp();
  }

  /// Makes local values of the folds, and of these results.
  __device__ __forceinline__ void finish(lane_words& own, open_segment& open)
  {
    unsigned any_heads = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      W before = from_before(own.upto[r], r > 0 ? own.upto[r > 0 ? r - 1 : 0] : open.left, 1);
      before = select(own.behind[r] <= -group, before, none_);
#pragma unroll
      for (int j = 0; j < group; ++j)
        own.values[r][j] = select(own.segment_begins_upto(r, j), own.values[r][j],
                                  combine(select(own.group_begins_upto(r, j), own.upto[r], before), own.values[r][j]));
      any_heads |= own.with_heads[r];
    }
    open.left = own.upto[rows - 1];
    W const init = problem_.init.is_present ? static_cast<W>(problem_.init.value) : none_;
    if (open.has_tiles) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        // Asked in another way than above: the compiler would keep the answers.
        int const before_head = ((__ffs(static_cast<int>(own.begins[r] & 0x02020202u)) - 1) & 0xff) >> 3;
#pragma unroll
        for (int j = 0; j < group; ++j) {
          bool const in_later_tile = j < before_head && j - own.behind[r] >= tile;
          W const carry = select(r * row + lane_ * group + j >= own.tile_end, open.carry, own.carry_before);
          own.values[r][j] = combine(select(in_later_tile, carry, init), own.values[r][j]);
        }
      }
      open.has_tiles = any_heads == 0;
    } else if (problem_.init.is_present) {
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int j = 0; j < group; ++j) own.values[r][j] = combine(init, own.values[r][j]);
    }
    if (problem_.exclusive) {
      W before[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r)
        before[r] =
            from_before(own.values[r][group - 1], r > 0 ? own.values[r > 0 ? r - 1 : 0][group - 1] : open.result, 1);
      open.result = own.values[rows - 1][group - 1];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int j = group - 1; j > 0; --j)
          own.values[r][j] = select(own.segment_begins(r, j), init, own.values[r][j - 1]);
        own.values[r][0] = select(own.segment_begins(r, 0), init, before[r]);
      }
    }
  }

  __device__ __forceinline__ void put(run const& now, int at, lane_words const& own) const
  {
    T* const to = now.to + at + lane_ * group;
    if (now.is_aligned && at >= now.begin && at + chunk <= now.end) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        packed word;
#pragma unroll
        for (int j = 0; j < group; ++j) word.set(j, static_cast<T>(own.values[r][j]));
        word.store_aligned(to + r * row);
      }
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int const place = at + r * row + lane_ * group;
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (place + j >= now.begin && place + j < now.end) to[r * row + j] = static_cast<T>(own.values[r][j]);
      }
    }
  }

  /// Scans segments from `first` on up to one that is left out, or all. Returns the next one.
  __device__ __forceinline__ std::size_t scan(std::size_t first, std::size_t last, std::size_t begin, std::size_t end,
                                              std::size_t longest)
  {
    bool const leaves_out = longest != ~std::size_t{};
    run now;
    T const* const in = problem_.in + begin;
    int const into = elements_into_word(in);
    now.offsets = {reinterpret_cast<std::uint32_t const*>(problem_.offsets + first)};
    now.from = in - into;
    now.to = problem_.out + begin - into;
    now.base = static_cast<std::uint32_t>(begin) - static_cast<std::uint32_t>(into);
    now.begin = into;
    now.end = into + static_cast<int>(end - begin);
    now.count = static_cast<int>(last - first);
    now.marked = now.asked = 0;
    now.next_end = 0;  // it is looked up
    now.is_aligned = elements_into_word(now.to) == 0;
    heads_.ask(now);
    now.there = now.asked;
    W elements[rows][group];
    load(now, 0, elements);
    heads_.mark_first(now);
    await_copies();

    open_segment open;
    open.begin = -1;  // elements before the first one are of no segment
    open.fold = open.left = open.result = open.rows = open.strips = open.base = open.carry = none_;
#pragma unroll
    for (int round = 0; round < rounds; ++round) open.older[round] = none_;
    open.whole_rows = 0;
    open.has_tiles = false;

#pragma unroll 1
    for (int at = 0;; at += chunk) {
      await_copy_groups<1>();
      __syncwarp();
      lane_words own;
      if (leaves_out ? heads_.mark_up_to(now, at, longest) : heads_.mark(now, at)) {
        __syncwarp();
        find_begins(own, open);
      } else {
        go_on(own, open);
      }
      fold_groups(own, open, elements);
      if (at + chunk < now.end) load(now, at + chunk, elements);
      // The compiler would keep each of these bits, which are needed again, for longer than it takes to find it out.
#pragma unroll
      for (int r = 0; r < rows; ++r)
        own.begins[r] =
            static_cast<unsigned>(value_of_lane(static_cast<int>(own.begins[r]), static_cast<unsigned>(lane_)));
      scan_groups(own, open);
      add_rows_before(own, open);
      finish(own, open);
      put(now, at, own);
      if (at + chunk >= now.end) break;
      heads_.ask(now);
    }
    await_copies();
    __syncwarp();
    return first + static_cast<std::size_t>(now.count) + 1;
  }

  P const& problem_;
  memory& own_;
  Op& op_;
  int lane_;
  segment_heads<shape, offsets> heads_;
  W none_;
};

}  // namespace tally::cuda_backend
