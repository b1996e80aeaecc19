#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
/// A group of the order has the size of a word. So in each word at most one group begins that is not the first of its
/// segment, and the next one begins in the next word, at the same place. The lane in whose word a group begins has the
/// totals before it: of the group before, and of the left siblings on the way up the tree of its row. Both parts of a
/// group are taken in turn: the first by the lane where it begins, the rest by the next lane, which is handed the total
/// so far, and later the state.
namespace tally::cuda_backend {

/// The heads that a warp marks at a time are those of a *window* of some chunks.
template <class P>
using recurrence_words_shape = words_shape<typename P::T, sizeof(typename P::T) == 2 ? 4 : 8>;

/// The shared memory of a warp.
template <class P>
struct recurrence_words_memory {
  segment_heads_memory<recurrence_words_shape<P>> heads;
  // Of a segment of several rows: the total of those in the strip, and that of the strips in the tile.
  affine<typename P::W> rows, strips;
  // Of a segment of several tiles: the state before the tile, the total of those in the span, the state before that.
  typename P::W carry;
  affine<typename P::C> tiles;
  typename P::C spans;
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
  static constexpr int levels = 4;  ///< of the tree of a row of the order
  static constexpr unsigned row_groups = 1u << levels;
  static constexpr unsigned strip_rows = order::strip_rows, tile_rows = static_cast<unsigned>(P::tile) / P::row;
  static_assert(word == P::group && row_groups == order::recurrence::row_groups);
  using map = affine<W>;
  using packed = packed_group<T, word>;

  /// Segments without one that is left out.
  struct run : segments_in_places<low_words<>> {
    std::size_t first_element;  ///< that of place 0
  };

  /// The last segment of the chunks before, which may go on. Of what each lane has, only the last lane's counts.
  struct open_segment {
    int begin;            ///< its place, from the beginning of the chunk
    map total;            ///< the lane's: of the group that its word ends in, up to the word's end
    map left[levels];     ///< the lane's: `left` of its word
    W last;               ///< the lane's: the state after its word
    unsigned whole_rows;  ///< of the order
    W state;              ///< the one before the row under way, if there are whole rows
    bool is_over;         ///< the plain loop has gone to its end
  };

  /// A lane's words. Bit e of some bits is of element e.
  struct lane_words {
    unsigned with_heads[rows];  ///< of the lanes: whose words have heads
    int behind[rows];           ///< the begin of the segment that goes on in the word, from the word on: negative
    unsigned heads[rows];       ///< the first elements of segments
    unsigned begins[rows];      ///< those of groups, one at least
    unsigned goes_on[rows];     ///< the elements before these: of the group that began in the word before
    /// In its row, the groups before the group that begins in the word and is not the first of its segment: 1 to 16.
    /// 0 if no such group begins there.
    unsigned groups_before[rows];
    /// The total of the group before that one; of two, four, eight groups and of a row, where so many end there.
    map total[rows];
    map left[rows][levels];  ///< the total of the left sibling of 1, 2, 4, 8 groups, where there is one
    W state[rows];           ///< before that group's row, then before the group

    __device__ __forceinline__ static bool has(unsigned bits, int e) { return (bits >> e & 1) != 0; }
    /// Whether that group has a row of the order before it.
    __device__ __forceinline__ bool has_row(int r) const { return behind[r] <= word - 1 - P::row; }
  };

  /// The bits of a word's heads, from their bytes.
  template <class Bytes>
  __device__ __forceinline__ static unsigned bits_of(Bytes bytes)
  {
    constexpr unsigned gather = 0x10204080;  // bytes of 0 or 1 to the bits 28 and up
    unsigned bits = static_cast<unsigned>(bytes) * gather >> 28;
    if constexpr (word == 8) bits |= static_cast<unsigned>(bytes >> 32) * gather >> 24 & 0xf0;
    return bits;
  }

  /// The value of a lane, of whose number the lower five bits count.
  __device__ __forceinline__ static W state_of_lane(W const& own, int lane)
  {
#ifdef __CUDA_ARCH__
    return __shfl_sync(whole_warp, own, lane);
#else
    return __shfl_sync(whole_warp, own, lane & (warp_lanes - 1));
#endif
  }
  __device__ __forceinline__ static map map_of_lane(map const& own, int lane)
  {
    return {state_of_lane(own.scale, lane), state_of_lane(own.offset, lane)};
  }
  /// The value that the lane before has. The first lane takes that of the row of words before.
  __device__ __forceinline__ W from_before(W const& own, W const& row_before) const
  {
    return state_of_lane(lane_ == warp_lanes - 1 ? row_before : own, lane_ - 1);
  }
  __device__ __forceinline__ map from_before(map const& own, map const& row_before) const
  {
    return {from_before(own.scale, row_before.scale), from_before(own.offset, row_before.offset)};
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

  /// Finds where groups begin in a word.
  __device__ __forceinline__ void mark_groups(lane_words& own, int r)
  {
    auto const behind = static_cast<unsigned>(own.behind[r]);
    unsigned const heads = own.heads[r];
    unsigned const other = (1u << behind % word) & ~heads & (heads - 1);  // if no segment begins up to there
    own.begins[r] = heads | other;
    own.goes_on[r] = (own.begins[r] & -own.begins[r]) - 1;
    own.groups_before[r] = other != 0 ? ~behind / word % row_groups + 1 : 0u;
  }

  /// Finds where segments and groups begin. The heads of the chunk's words are in rows from `first` on.
  __device__ __forceinline__ void find_begins(lane_words& own, open_segment& open, int first)
  {
    int last_head[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.heads[r] = bits_of(heads_.of_word(first + r));
      own.with_heads[r] = __ballot_sync(whole_warp, own.heads[r] != 0);
      last_head[r] = lane_ * word + static_cast<int>(highest_bit(own.heads[r]));
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const before = own.with_heads[r] & ((1u << lane_) - 1);
      int const nearest = value_of_lane(last_head[r], highest_bit(before));
      int const latest = value_of_lane(last_head[r], highest_bit(own.with_heads[r]));
      own.behind[r] = (before != 0 ? nearest : open.begin) - lane_ * word;
      open.begin = (own.with_heads[r] != 0 ? latest : open.begin) - row;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) mark_groups(own, r);
  }

  /// The same where no segment begins.
  __device__ __forceinline__ void go_on(lane_words& own, open_segment& open)
  {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.heads[r] = own.with_heads[r] = 0;
      own.behind[r] = open.begin - r * row - lane_ * word;
      mark_groups(own, r);
    }
    open.begin -= chunk;
  }

  __device__ __forceinline__ static map step(packed const& a, packed const& b, int e)
  {
    return {static_cast<W>(a.get(e)), static_cast<W>(b.get(e))};
  }

  /// Finds the total of the group before the one that begins in a word.
  __device__ __forceinline__ void find_totals(lane_words& own, open_segment& open, packed const (&a)[rows],
                                              packed const (&b)[rows])
  {
    map first_part[rows];  // of the group that the word ends in
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      first_part[r] = step(a[r], b[r], 0);
#pragma unroll
      for (int e = 1; e < word; ++e) {
        map next = step(a[r], b[r], e);
        compose_from_left(next, first_part[r], ~own.begins[r] & 1u << e);
        first_part[r] = next;
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) own.total[r] = from_before(first_part[r], r > 0 ? first_part[r - 1] : open.total);
    open.total = first_part[rows - 1];
#pragma unroll
    for (int e = 0; e + 1 < word; ++e)
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        map const next = step(a[r], b[r], e);
        unsigned const goes_on = own.goes_on[r] & 1u << e;
        W const product = detail::elementary::rounded_product(next.scale, own.total[r].offset);
        put_sum(goes_on, own.total[r].offset, product, next.offset);
        put_product(goes_on, own.total[r].scale, next.scale, own.total[r].scale);
      }
  }

  /// Finds the totals of left siblings, up the trees of rows.
  ///
  /// Lane i has the total of the group before the one that begins in its word, g groups behind the begin of the row.
  /// The sibling of 2^j groups ends at the latest multiple of 2^j: the lane of that, g mod 2^j lanes before, has its
  /// total. At a multiple of 2^(j + 1) two trees of 2^j groups become one, and the total of the left one is 2^j lanes
  /// before. If that lane is in the row of words before, the last lane there has the total too: as that of a left
  /// sibling of its own.
  ///
  /// Returns the most groups before one in the warp. Where they are fewer than 2^j, nothing needs totals of 2^j groups,
  /// and there are none.
  __device__ __forceinline__ unsigned find_left_siblings(lane_words& own, open_segment& open) const
  {
    unsigned most = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) most = max(most, own.groups_before[r]);
    most = most_of_lanes(most);
    bool const is_last = lane_ == warp_lanes - 1;
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      unsigned const size = 1u << level;
      if (level > 0 && most < size) continue;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        auto const distance = static_cast<int>((own.groups_before[r] ^ size) % (2 * size));
        map const row_before = r > 0 ? own.left[r > 0 ? r - 1 : 0][level] : open.left[level];
        map const there = map_of_lane(select_map(is_last, row_before, own.total[r]), max(lane_ - distance, -1));
        own.left[r][level] = select_map(is_last && distance == 0, own.total[r], there);
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) own.total[r] = composed(own.left[r][level], own.total[r]);
      open.left[level] = own.left[rows - 1][level];
    }
    return most;
  }

  /// Finds the states before the rows of the order that groups are in. In half a row of words at most one such row
  /// ends. Segments begin only behind that end, since a new one has no row yet.
  __device__ __forceinline__ void find_states_of_rows(lane_words& own, open_segment& open)
  {
    bool is_long = false;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own.state[r] = initial_;
      is_long |= own.has_row(r);
    }
    // A segment that had whole rows in the chunk before has them before the first word here, even if it ends there.
    if (!__any_sync(whole_warp, is_long)) return;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const ends = __ballot_sync(whole_warp, own.groups_before[r] == row_groups);
      W state = open.state;
#pragma unroll 1
      for (unsigned part = 0x0000ffff; part != 0; part <<= 16) {
        if ((ends & part) != 0) {
          int const of = __ffs(static_cast<int>(ends & part)) - 1;
          end_row(open, map_of_lane(own.total[r], of));
          if (lane_ >= of) state = open.state;
        }
        if ((own.with_heads[r] & part) != 0) open.whole_rows = 0;
      }
      if (own.has_row(r)) own.state[r] = state;
    }
  }

  __device__ __forceinline__ void end_row(open_segment& open, map const& total)
  {
    unsigned const before = open.whole_rows++;
    map const rows_of_strip = before % strip_rows == 0 ? total : composed(own_.rows, total);
    if (open.whole_rows % strip_rows != 0) {
      open.state = total(before == 0 ? initial_ : open.state);
      __syncwarp();
      own_.rows = rows_of_strip;
    } else {
      map const strips = before % tile_rows < strip_rows ? rows_of_strip : composed(own_.strips, rows_of_strip);
      if (open.whole_rows % tile_rows != 0) {
        open.state = strips(before < tile_rows ? initial_ : own_.carry);
        __syncwarp();
        own_.strips = strips;
      } else {
        end_tile(open, strips);
      }
    }
    __syncwarp();
  }
  __device__ __forceinline__ void end_tile(open_segment& open, map const& total)
  {
    constexpr unsigned span_tiles = order::span_tiles;
    unsigned const tiles = open.whole_rows / tile_rows;
    auto in_span = static_cast<affine<C>>(total);
    if ((tiles - 1) % span_tiles != 0) in_span = composed(own_.tiles, in_span);
    C const state = in_span(tiles <= span_tiles ? static_cast<C>(initial_) : own_.spans);
    open.state = static_cast<W>(state);
    __syncwarp();
    own_.tiles = in_span;
    own_.carry = open.state;
    if (tiles % span_tiles == 0) own_.spans = state;
  }

  /// Finds the states before groups, down the trees of rows. `most`: what find_left_siblings returned.
  __device__ __forceinline__ static void find_states(lane_words& own, unsigned most)
  {
#pragma unroll
    for (int level = levels - 1; level >= 0; --level) {
      if (level > 0 && most < 1u << level) continue;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        W const product = detail::elementary::rounded_product(own.left[r][level].scale, own.state[r]);
        put_sum(own.groups_before[r] & 1u << level, own.state[r], product, own.left[r][level].offset);
      }
    }
  }

  /// Takes the steps. Returns 0 if all results are finite, else NaN.
  __device__ __forceinline__ W take_steps(lane_words const& own, open_segment& open, packed const (&a)[rows],
                                          packed const (&b)[rows], packed (&results)[rows])
  {
    W states[rows][word];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      W now = own.state[r];
#pragma unroll
      for (int e = 0; e < word; ++e) {
        W const first = own.has(own.heads[r], e) ? initial_ : own.state[r];
        now = e == 0 || own.has(own.begins[r], e) ? first : now;
        now = step(a[r], b[r], e)(now);
        states[r][e] = now;
      }
    }
    W before[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      before[r] = from_before(states[r][word - 1], r > 0 ? states[r > 0 ? r - 1 : 0][word - 1] : open.last);
    open.last = states[rows - 1][word - 1];
    // The group that goes on from the word before.
#pragma unroll
    for (int e = 0; e + 1 < word; ++e)
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        map const next = step(a[r], b[r], e);
        put_sum(own.goes_on[r] & 1u << e, states[r][e], detail::elementary::rounded_product(next.scale, before[r]),
                next.offset);
        before[r] = states[r][e];
      }
    W bad(0);
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int e = 0; e < word; ++e) {
        auto const y = static_cast<T>(states[r][e]);
        results[r].set(e, y);
        bad = marked_if_not_finite(bad, static_cast<W>(y));
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
                                             packed const (&results)[rows])
  {
    T* const to = p_.out + (static_cast<std::ptrdiff_t>(now.first_element) + at + lane_ * word);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      int const place = at + r * row + lane_ * word;
      unsigned const heads = own.heads[r];
      unsigned bad = 0;
#pragma unroll
      for (int e = 0; e < word; ++e) {
        bool const is_here = place + e >= now.begin && place + e < now.end;
        if (is_here && !is_number(zero_if_finite<T>(static_cast<W>(results[r].get(e))))) bad |= 1u << e;
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
    open.total = {W(0), W(0)};
#pragma unroll
    for (map& left : open.left) left = open.total;
    open.last = open.state = initial_;
    open.whole_rows = 0;
    open.is_over = false;

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
      packed next_a[rows], next_b[rows];
      if (at + chunk < now.end) load(now, at + chunk, next_a, next_b);
      lane_words own;
      if (has_heads)
        find_begins(own, open, in_window / row);
      else
        go_on(own, open);
      find_totals(own, open, a, b);
      unsigned const most = find_left_siblings(own, open);
      find_states_of_rows(own, open);
      find_states(own, most);
      packed results[rows];
      W const bad = take_steps(own, open, a, b, results);
      if (__any_sync(whole_warp, bad != bad || open.is_over))
        put_finite(now, at, own, open, results);
      else
        put(now, at, results);
      if (at + chunk >= now.end) break;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        a[r] = next_a[r];
        b[r] = next_b[r];
      }
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
