#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/segment_heads.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/segments_units.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Recurrences of segments by words, as scans of segments go (batch/segment_words.cuh). A lane of a warp has words of
/// 16 bytes as they lie in memory, wherever segments begin.
///
/// A group of the order has the size of *half* a word. So in each half at most one group begins that is not the first
/// of its segment, and the next one begins in the next half, at the same place. Kogge and Stone's scan of a row of
/// groups is a scan over halves. A group that goes on in the next half is one map, the fold so far.
namespace tally::cuda_backend {

/// The heads that a warp marks at a time are those of a *window* of some chunks.
template <class P>
using recurrence_words_shape = words_shape<typename P::T, sizeof(typename P::T) == 2 ? 4 : 8>;

/// The shared memory of a warp.
template <class P>
struct recurrence_words_memory {
  segment_heads_memory<recurrence_words_shape<P>> heads;
  // Of a segment of several rows: the fold of those in the strip, that of the strips in the tile, and both.
  affine<typename P::W> rows, strips, base;
  // Of a segment of several tiles: the fold of those in the span, the state before the span, and their number.
  affine<typename P::C> tiles;
  typename P::C spans;
  int count;
};

/// The work of a warp on segments that follow each other. They all begin with the same state.
template <class P>
class recurrences_by_words {
public:
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  using shape = recurrence_words_shape<P>;
  using memory = recurrence_words_memory<P>;

  __device__ recurrences_by_words(P const& p, memory& own)
      : p_(p),
        own_(own),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        heads_(own.heads, lane_),
        initial_(static_cast<W>(p.before)),
        a_like_b_(p.a != nullptr && elements_into_word(p.a) == elements_into_word(p.b)),
        out_like_b_(elements_into_word(p.out) == elements_into_word(p.b))
  {
  }

  /// Takes the segments [first, last), whose elements are [begin, end). Long ones are left out.
  __device__ __forceinline__ void work(std::size_t first, std::size_t last, std::size_t begin, std::size_t end)
  {
    while (true) {
      first = recur(first, last, begin, end);
      if (first >= last) return;
      begin = p_.offset(first);
    }
  }

private:
  static constexpr int word = shape::word, row = shape::row, window = shape::chunk;
  static constexpr int rows = 2;            ///< of words, that a warp has at a time
  static constexpr int chunk = rows * row;  ///< their elements
  static_assert(window % chunk == 0);
  static constexpr int half = P::group, halves = 2, rounds = 5;
  static constexpr int tile_groups = static_cast<int>(P::tile) / half;
  static constexpr int strip_rows = static_cast<int>(order::strip_rows);
  static constexpr int tile_rows = static_cast<int>(P::tile) / P::row;
  static_assert(word == halves * half);
  using map = affine<W>;
  using packed = packed_group<T, word>;
  /// Bit 8 * j of a half is of its element j.
  static constexpr unsigned ones = static_cast<unsigned>(0x01010101) >> (8 * (4 - half));

  /// Segments without one that is left out.
  struct run : segments_in_places<low_words<>> {
    std::size_t first_element;  ///< that of place 0
  };

  /// The last segment of the chunks before, which may go on.
  struct open_segment {
    int begin;                  ///< its place, from the beginning of the chunk
    map fold;                   ///< the lane's: of the group that goes on
    map by_one;                 ///< the lane's: the values of the last half before the first round of the scan
    map older[rounds][halves];  ///< the lane's: the values of the last words before the other rounds
    map left;                   ///< the lane's: the left operand of the group that begins in the last half
    int whole_rows;             ///< of the order
    W carry;
    bool has_tiles;
    bool is_over;  ///< the plain loop has gone to its end
  };

  /// A lane's words, in halves.
  struct lane_words {
    /// The elements, and then the folds of their groups up to them.
    map values[rows][word];
    unsigned with_heads[rows];  ///< of the lanes: whose words have heads
    int behind[rows][halves];   ///< the begin of the segment that a half's first element is in, from that element on
    /// Bits 0 and 1 of an element's byte: a group begins there, the element's group is the first of its tile.
    unsigned begins[rows][halves];
    /// The number in its row of the group before the one that begins in the half, or 0.
    unsigned in_row[rows][halves];
    /// The total of that group, then the fold up to it: the left operand of the group that begins in the half.
    map upto[rows][halves];
    int tile_end;    ///< the place behind the end of a tile, from the beginning of the chunk
    W carry_before;  ///< of the tile before that place

    __device__ __forceinline__ bool group_begins(int r, int h, int j) const { return (begins[r][h] >> 8 * j & 1) != 0; }
    __device__ __forceinline__ bool group_begins_upto(int r, int h, int j) const
    {
      return (begins[r][h] & (0x01010101u >> (24 - 8 * j))) != 0;
    }
    __device__ __forceinline__ bool begins_tile(int r, int h, int j) const
    {
      return (begins[r][h] >> (8 * j + 1) & 1) != 0;
    }
    /// Whether the group that begins in a half has a row of the order before it.
    __device__ __forceinline__ bool has_row(int r, int h) const { return behind[r][h] <= half - 1 - P::row; }
  };

  /// The map that a lane some lanes before has. The first lanes take those of the row of words before.
  __device__ __forceinline__ map from_before(map const& own, map const& row_before, int lanes) const
  {
    return shuffle_map_from(select_map(lane_ >= warp_lanes - lanes, row_before, own),
                            (lane_ - lanes) & (warp_lanes - 1));
  }
  /// The heads of a half, from those of its word.
  template <class Bytes>
  __device__ __forceinline__ static unsigned heads_of_half(Bytes bytes, int h)
  {
    return static_cast<unsigned>(bytes >> 8 * half * h) & ones;
  }

  /// Elements that are in no segment are 0.
  __device__ __forceinline__ void load(run const& now, int at, packed (&a)[rows], packed (&b)[rows]) const
  {
    auto const first = static_cast<std::ptrdiff_t>(now.first_element) + at + lane_ * word;
    T const* const from_a = p_.a == nullptr ? nullptr : p_.a + first;
    T const* const from_b = p_.b + first;
    if (at >= now.begin && at + chunk <= now.end && (a_like_b_ || p_.a == nullptr)) {
#pragma unroll
      for (int r = 0; r < rows; ++r) b[r].load_aligned(from_b + r * row);
      if (p_.a != nullptr) {
#pragma unroll
        for (int r = 0; r < rows; ++r) a[r].load_aligned(from_a + r * row);
      } else {
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int e = 0; e < word; ++e) a[r].set(e, p_.constant);
      }
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int const place = at + r * row + lane_ * word;
#pragma unroll
        for (int e = 0; e < word; ++e) {
          T own_a(0.0f), own_b(0.0f);
          if (place + e >= now.begin && place + e < now.end) {
            own_b = from_b[r * row + e];
            own_a = from_a == nullptr ? p_.constant : from_a[r * row + e];
          }
          a[r].set(e, own_a);
          b[r].set(e, own_b);
        }
      }
    }
  }

  /// Finds where groups begin in a half with these heads.
  __device__ __forceinline__ void mark_groups(lane_words& own, int r, int h, unsigned heads)
  {
    auto const behind = static_cast<unsigned>(own.behind[r][h]);
    unsigned const at = 1u << 8 * (behind % half), before = ~behind / half;  // a group, if no segment begins before it
    unsigned const upto_head = heads - 1;                                    // bits below the first head
    own.in_row[r][h] = (at & upto_head & ~heads) != 0 ? before % warp_lanes : 0u;
    unsigned const first = heads | -heads | (before == 0 ? (at - 1) & upto_head : 0u);
    own.begins[r][h] = heads | (at & upto_head) | (first & ones) << 1;
  }

  /// The same for the groups that begin tiles behind the first one.
  __device__ __forceinline__ void mark_tiles(lane_words& own)
  {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int h = 0; h < halves; ++h) {
        unsigned const before = ~static_cast<unsigned>(own.behind[r][h]) / half, begins = own.begins[r][h] & ones;
        unsigned const ahead = (begins & -begins) - 1;
        if (before % tile_groups == 0) own.begins[r][h] |= (ahead & ones) << 1;
        if ((before + 1) % tile_groups == 0) own.begins[r][h] |= (~ahead & ones) << 1;
      }
  }

  /// Finds where segments and groups begin. The heads of the chunk's words are in rows from `first` on.
  __device__ __forceinline__ void find_begins(lane_words& own, open_segment& open, int first)
  {
    unsigned heads[rows][halves];
    int last_head[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const bytes = heads_.of_word(first + r);
      own.with_heads[r] = __ballot_sync(whole_warp, bytes != 0);
      heads[r][0] = heads_of_half(bytes, 0);
      heads[r][1] = heads_of_half(bytes, 1);
      last_head[r] = lane_ * word + static_cast<int>(heads[r][1] != 0 ? half + (highest_bit(heads[r][1]) >> 3)
                                                                      : highest_bit(heads[r][0]) >> 3);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const before = own.with_heads[r] & ((1u << lane_) - 1);
      int const nearest = value_of_lane(last_head[r], highest_bit(before));
      int const latest = value_of_lane(last_head[r], highest_bit(own.with_heads[r]));
      own.behind[r][0] = (before != 0 ? nearest : open.begin) - lane_ * word;
      own.behind[r][1] = (heads[r][0] != 0 ? static_cast<int>(highest_bit(heads[r][0]) >> 3) : own.behind[r][0]) - half;
      open.begin = (own.with_heads[r] != 0 ? latest : open.begin) - row;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      mark_groups(own, r, 0, heads[r][0]);
      mark_groups(own, r, 1, heads[r][1]);
    }
  }

  /// The same where no segment begins.
  __device__ __forceinline__ void go_on(lane_words& own, open_segment& open)
  {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.with_heads[r] = 0;
      own.behind[r][0] = open.begin - r * row - lane_ * word;
      own.behind[r][1] = own.behind[r][0] - half;
      mark_groups(own, r, 0, 0);
      mark_groups(own, r, 1, 0);
    }
    open.begin -= chunk;
  }

  /// The fold of the group that goes on from the word before.
  __device__ __forceinline__ map last_fold_before(lane_words const& own, open_segment const& open, int r) const
  {
    return from_before(own.values[r][word - 1], r > 0 ? own.values[r > 0 ? r - 1 : 0][word - 1] : open.fold, 1);
  }
  /// The total of the group before the one that begins in a half. `fold` goes on from the half before.
  __device__ __forceinline__ static map total_before(lane_words const& own, int r, int h, map const& fold)
  {
    map total = fold;
#pragma unroll
    for (int j = 0; j + 1 < half; ++j)
      total = select_map(own.group_begins_upto(r, h, j), total, own.values[r][h * half + j]);
    return total;
  }

  /// Folds the elements of each group up to each of them, and finds the totals of groups that end.
  __device__ __forceinline__ void fold_groups(lane_words& own, open_segment& open, packed const (&a)[rows],
                                              packed const (&b)[rows])
  {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int e = 0; e < word; ++e) own.values[r][e] = {static_cast<W>(a[r].get(e)), static_cast<W>(b[r].get(e))};
    // Of the groups that begin last in their halves.
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int h = 0; h < halves; ++h)
#pragma unroll
        for (int j = 1; j < half; ++j)
          compose_from_left(own.values[r][h * half + j], own.values[r][h * half + j - 1], !own.group_begins(r, h, j));
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.upto[r][0] = last_fold_before(own, open, r);
      own.upto[r][1] = own.values[r][half - 1];
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int h = 0; h < halves; ++h) {
      // The group that goes on from the half before.
#pragma unroll
        for (int j = 0; j + 1 < half; ++j) {
          map const single = {static_cast<W>(a[r].get(h * half + j)), static_cast<W>(b[r].get(h * half + j))};
          bool const goes_on = !own.group_begins_upto(r, h, j);
          compose_onto(own.upto[r][h], single, goes_on);
          own.values[r][h * half + j] = select_map(goes_on, own.upto[r][h], own.values[r][h * half + j]);
        }
      }
  }

  /// Kogge and Stone's scan of the totals in each row of the order.
  __device__ __forceinline__ void scan_groups(lane_words& own, open_segment& open)
  {
    unsigned most = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int h = 0; h < halves; ++h) most = max(most, own.in_row[r][h]);
    {
      map const newest = own.upto[rows - 1][1];
      map left[rows][halves];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        left[r][0] = from_before(own.upto[r][1], r > 0 ? own.upto[r > 0 ? r - 1 : 0][1] : open.by_one, 1);
        left[r][1] = own.upto[r][0];
      }
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int h = 0; h < halves; ++h) compose_from_left(own.upto[r][h], left[r][h], own.in_row[r][h] >= 1);
      open.by_one = newest;
    }
#pragma unroll
    for (int round = 1; round < rounds; ++round) {
      unsigned const stride = 1u << round;
      map const newest[halves] = {own.upto[rows - 1][0], own.upto[rows - 1][1]};
      if ((stride != 4 && stride != 16) || __any_sync(whole_warp, most >= stride)) {
        map left[rows][halves];
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int h = 0; h < halves; ++h)
            left[r][h] = from_before(own.upto[r][h], r > 0 ? own.upto[r > 0 ? r - 1 : 0][h] : open.older[round][h],
                                     static_cast<int>(stride) / halves);
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int h = 0; h < halves; ++h) compose_from_left(own.upto[r][h], left[r][h], own.in_row[r][h] >= stride);
      }
      open.older[round][0] = newest[0];
      open.older[round][1] = newest[1];
    }
  }

  /// Puts the rows and strips before in front of the left operands of groups, and ends tiles. In half a row of words at
  /// most one row of the order ends. Segments begin only behind that end, since a new one has no row yet.
  __device__ __forceinline__ void put_rows_before(lane_words& own, open_segment& open)
  {
    own.tile_end = chunk;
    own.carry_before = open.carry;
    int deepest = 0;
    unsigned any_heads = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      deepest = min(deepest, min(own.behind[r][0], own.behind[r][1]));
      any_heads |= own.with_heads[r];
    }
    if (!__any_sync(whole_warp, deepest <= half - 1 - P::row)) {
      if (any_heads != 0) open.whole_rows = 0;
      return;
    }
    if (__any_sync(whole_warp, deepest <= half - static_cast<int>(P::tile))) mark_tiles(own);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const ends[halves] = {__ballot_sync(whole_warp, own.in_row[r][0] == warp_lanes - 1),
                                     __ballot_sync(whole_warp, own.in_row[r][1] == warp_lanes - 1)};
      map now = own_.base, base[halves] = {now, now};
      bool const has_base = open.whole_rows % tile_rows != 0;
      bool is_there[halves] = {has_base, has_base};
#pragma unroll 1
      for (unsigned part = 0x0000ffff; part != 0; part <<= 16) {
        if (((ends[0] | ends[1]) & part) != 0) {
          bool const is_second = (ends[0] & part) == 0;
          int const of = __ffs(static_cast<int>((ends[0] | ends[1]) & part)) - 1;
          map const total = shuffle_map_from(select_map(is_second, own.upto[r][1], own.upto[r][0]), of);
          bool const has_rows = open.whole_rows % strip_rows != 0;
          bool const has_strips = open.whole_rows % tile_rows >= strip_rows;
          ++open.whole_rows;
          if (open.whole_rows % tile_rows == 0) {
            map last[halves];
#pragma unroll
            for (int h = 0; h < halves; ++h) {
              last[h] = own.upto[r][h];
              compose_from_left(last[h], base[h], is_there[h] && own.has_row(r, h));
            }
            map const before = from_before(last[1], r > 0 ? own.upto[r > 0 ? r - 1 : 0][1] : open.left, 1);
            map const all = select_map(is_second, composed(last[0], total_before(own, r, 1, own.values[r][half - 1])),
                                       composed(before, total_before(own, r, 0, last_fold_before(own, open, r))));
            end_tile(open, shuffle_map_from(all, of));
            int const at = is_second ? half + (own.behind[r][1] & (half - 1)) : own.behind[r][0] & (half - 1);
            own.tile_end = r * row + of * word + __shfl_sync(whole_warp, at, of);
          } else {
            map in_strip = total;
            if (has_rows) in_strip = composed(own_.rows, in_strip);
            now = in_strip;
            if (has_strips) now = composed(own_.strips, in_strip);
            __syncwarp();
            own_.rows = in_strip;
            if (open.whole_rows % strip_rows == 0) own_.strips = now;
            own_.base = now;
            __syncwarp();
          }
          bool const has_now = open.whole_rows % tile_rows != 0;
#pragma unroll
          for (int h = 0; h < halves; ++h) {
            bool const is_behind = lane_ > of || (lane_ == of && h >= static_cast<int>(is_second));
            base[h] = select_map(is_behind, now, base[h]);
            is_there[h] = is_behind ? has_now : is_there[h];
          }
        }
        if ((own.with_heads[r] & part) != 0) open.whole_rows = 0;
      }
#pragma unroll
      for (int h = 0; h < halves; ++h) {
        bool const is_first = own.in_row[r][h] == warp_lanes - 1;
        compose_from_left(own.upto[r][h], base[h], is_there[h] && own.has_row(r, h) && !is_first);
        own.upto[r][h] = select_map(is_first, base[h], own.upto[r][h]);
      }
    }
  }

  __device__ __forceinline__ void end_tile(open_segment& open, map const& total)
  {
    if (lane_ == 0) {
      if (!open.has_tiles) {
        own_.spans = static_cast<C>(initial_);
        own_.count = 0;
      }
      auto const wide = static_cast<affine<C>>(total);
      own_.tiles = own_.count % static_cast<int>(order::span_tiles) == 0 ? wide : composed(own_.tiles, wide);
      if (++own_.count % static_cast<int>(order::span_tiles) == 0) own_.spans = own_.tiles(own_.spans);
    }
    __syncwarp();
    C const state = own_.count % static_cast<int>(order::span_tiles) == 0 ? own_.spans : own_.tiles(own_.spans);
    open.carry = static_cast<W>(state);
    open.has_tiles = true;
    __syncwarp();
  }

  /// Makes local values of the folds, and results of these. Returns 0 if all are finite, else NaN.
  __device__ __forceinline__ W finish(lane_words& own, open_segment& open, int first, packed (&results)[rows])
  {
    unsigned any_heads = 0;
    open.fold = own.values[rows - 1][word - 1];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      // In each half some group begins, so its last element is behind a begin.
      map before{};
      if constexpr (half > 1)
        before = from_before(own.upto[r][1], r > 0 ? own.upto[r > 0 ? r - 1 : 0][1] : open.left, 1);
#pragma unroll
      for (int h = 0; h < halves; ++h) {
#pragma unroll
        for (int j = 0; j < half; ++j) {
          map left = own.upto[r][h];
          if (j + 1 < half) left = select_map(own.group_begins_upto(r, h, j), left, before);
          compose_from_left(own.values[r][h * half + j], left, !own.begins_tile(r, h, j));
        }
        before = own.upto[r][h];
      }
      any_heads |= own.with_heads[r];
    }
    open.left = own.upto[rows - 1][1];
    W bad(0);
    auto const put = [&](int r, int e, W const& state) {
      auto const y = static_cast<T>(own.values[r][e](state));
      results[r].set(e, y);
      bad = marked_if_not_finite(bad, static_cast<W>(y));
    };
    if (open.has_tiles) {
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int h = 0; h < halves; ++h) {
          unsigned const heads = heads_of_half(heads_.of_word(first + r), h);
          int const before_head = ((__ffs(static_cast<int>(heads)) - 1) & 0xff) >> 3;
#pragma unroll
          for (int j = 0; j < half; ++j) {
            int const e = h * half + j;
            bool const in_later_tile = j < before_head && j - own.behind[r][h] >= static_cast<int>(P::tile);
            W const carry = select(r * row + lane_ * word + e >= own.tile_end, open.carry, own.carry_before);
            put(r, e, select(in_later_tile, carry, initial_));
          }
        }
      open.has_tiles = any_heads == 0;
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int e = 0; e < word; ++e) put(r, e, initial_);
    }
    return bad;
  }

  __device__ __forceinline__ void put(run const& now, int at, packed const (&results)[rows]) const
  {
    T* const to = p_.out + (static_cast<std::ptrdiff_t>(now.first_element) + at + lane_ * word);
    if (out_like_b_ && at >= now.begin && at + chunk <= now.end) {
#pragma unroll
      for (int r = 0; r < rows; ++r) results[r].store_aligned(to + r * row);
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int const place = at + r * row + lane_ * word;
#pragma unroll
        for (int e = 0; e < word; ++e)
          if (place + e >= now.begin && place + e < now.end) to[r * row + e] = results[r].get(e);
      }
    }
  }

  /// Writes the results before the first of each segment that is not finite, and what the plain loop gives from there
  /// on.
  __device__ __forceinline__ void put_finite(run const& now, int at, lane_words const& own, open_segment& open,
                                             int first, packed const (&results)[rows])
  {
    T* const to = p_.out + (static_cast<std::ptrdiff_t>(now.first_element) + at + lane_ * word);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      int const place = at + r * row + lane_ * word;
      unsigned bad = 0, heads = 0;
#pragma unroll
      for (int e = 0; e < word; ++e) {
        bool const is_here = place + e >= now.begin && place + e < now.end;
        if (is_here && !is_number(zero_if_finite<T>(static_cast<W>(results[r].get(e))))) bad |= 1u << e;
        if ((heads_.of_word(first + r) >> 8 * e & 1) != 0) heads |= 1u << e;
      }
      auto const from = [](unsigned bits) { return bits == 0 ? ~0u : ~0u << highest_bit(bits); };
      unsigned const with_bad = __ballot_sync(whole_warp, (bad & from(heads)) != 0);
      unsigned const lanes_before = (1u << lane_) - 1, heads_before = own.with_heads[r] & lanes_before;
      bool is_over = (with_bad & lanes_before & from(heads_before)) != 0 || (heads_before == 0 && open.is_over);
      unsigned first_bad = 0;
#pragma unroll
      for (int e = 0; e < word; ++e) {
        if ((heads >> e & 1) != 0) is_over = false;
        if (!is_over && (bad >> e & 1) != 0) {
          first_bad |= 1u << e;
          is_over = true;
        }
        if (!is_over && place + e >= now.begin && place + e < now.end) to[r * row + e] = results[r].get(e);
      }
      open.is_over = (with_bad & from(own.with_heads[r])) != 0 || (own.with_heads[r] == 0 && open.is_over);
      __syncwarp();
#pragma unroll 1
      for (unsigned left = __ballot_sync(whole_warp, first_bad != 0); left != 0;
           left = __ballot_sync(whole_warp, first_bad != 0)) {
        int const of = __ffs(static_cast<int>(left)) - 1;
        int const bad_place = __shfl_sync(whole_warp, place + __ffs(static_cast<int>(first_bad)) - 1, of);
        repair(now.first_element + static_cast<std::size_t>(bad_place));
        if (lane_ == of) first_bad &= first_bad - 1;
      }
    }
  }
  /// The plain loop from an element on, to the end of its segment.
  __device__ __forceinline__ void repair(std::size_t element)
  {
    std::size_t const segment =
        first_not_before(p_.segments, [&](std::size_t s) { return p_.offset(s) <= element; }) - 1;
    repair_segment(p_, segment, element - p_.offset(segment));
  }

  /// Takes segments from `first` on up to one that is left out, or all. Returns the next one.
  __device__ __forceinline__ std::size_t recur(std::size_t first, std::size_t last, std::size_t begin, std::size_t end)
  {
    run now;
    int const into = elements_into_word(p_.b + begin);
    int const each = p_.are_wide ? 2 : 1;
    now.offsets = {static_cast<std::uint32_t const*>(p_.offsets) + first * static_cast<std::size_t>(each), each};
    now.first_element = begin - static_cast<std::size_t>(into);
    now.base = static_cast<std::uint32_t>(begin) - static_cast<std::uint32_t>(into);
    now.begin = into;
    now.end = into + static_cast<int>(end - begin);
    now.count = static_cast<int>(last - first);
    now.marked = now.asked = 0;
    now.next_end = 0;  // it is looked up
    heads_.ask(now);
    packed a[rows], b[rows];
    load(now, 0, a, b);

    open_segment open;
    open.begin = -1;  // elements before the first one are of no segment
    map const none{W(0), W(0)};
    open.fold = open.left = open.by_one = none;
#pragma unroll
    for (int round = 1; round < rounds; ++round) open.older[round][0] = open.older[round][1] = none;
    open.carry = initial_;
    open.whole_rows = 0;
    open.has_tiles = open.is_over = false;

    bool has_heads = false;
#pragma unroll 1
    for (int at = 0;; at += chunk) {
      int const in_window = at % window;
      if (in_window == 0) {
        await_copies();
        now.there = now.asked;
        __syncwarp();  // the heads of the window before have been read
        if (at == 0 || has_heads) heads_.clear();
        __syncwarp();
        if (at == 0) heads_.mark_first(now);
        has_heads = heads_.mark_up_to(now, at, p_.longest);
        __syncwarp();
        heads_.ask(now);
      }
      lane_words own;
      int const first = in_window / row;
      if (has_heads)
        find_begins(own, open, first);
      else
        go_on(own, open);
      fold_groups(own, open, a, b);
      if (at + chunk < now.end) load(now, at + chunk, a, b);
      scan_groups(own, open);
      put_rows_before(own, open);
      packed results[rows];
      W const bad = finish(own, open, first, results);
      if (__any_sync(whole_warp, bad != bad || open.is_over))
        put_finite(now, at, own, open, first, results);
      else
        put(now, at, results);
      if (at + chunk >= now.end) break;
    }
    await_copies();
    __syncwarp();
    return first + static_cast<std::size_t>(now.count) + 1;
  }

  P const& p_;
  memory& own_;
  int lane_;
  segment_heads<shape, low_words<>> heads_;
  W initial_;
  bool a_like_b_, out_like_b_;
};

}  // namespace tally::cuda_backend
