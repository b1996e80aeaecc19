#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/segment_search.cuh"
#include "tally/detail/cuda/batch/segment_staging.cuh"
#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/batch/warp_reduction.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The reduction of segments that are long on average. The call is divided into equal *shares*, which warps draw in
/// order, so that all warps read the same part of memory at a time: with a contiguous part of 2^28 floats for each of
/// 2376 warps a plain read takes 276 us for 242. A share has the segments that begin in it, and the tiles that begin in
/// it of the segment before. A segment counts as its elements and `a_segment` more, about what it costs.
///
/// A warp goes through its shares strip by strip; the next two strips are on their way to shared memory meanwhile. Of a
/// segment that lies in several shares it publishes the totals of tiles. The warp that has the last tile folds them one
/// such segment later, when they are there. It waits for shares drawn before its own, so every wait ends.
///
/// Registers are few and the cache is small, so a spilled register costs as much as a read from memory. What is done
/// once a tile is in functions of its own.
template <class P>
class long_reduction {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  using shape = warp_shape<P>;
  using memory = warp_reduction_memory<P>;
  static constexpr int group = shape::group, row = shape::row, rows = static_cast<int>(order::strip_rows);
  static constexpr int strip = static_cast<int>(order::strip<T>);
  static constexpr std::size_t tile = order::tile<T>;
  static constexpr std::size_t a_segment = strip;   ///< units that a segment counts for, beside its elements
  static constexpr std::size_t a_share = 2 * tile;  ///< units of a share
  static constexpr int buffers = 2;                 ///< strips in shared memory

  /// `segments` is the count of this call, which `problem` may have in memory only.
  __device__ long_reduction(P const& problem, std::size_t segments, memory& own, Op& op, std::uint64_t* share_word,
                            std::uint32_t epoch)
      : problem_(problem),
        own_(own),
        state_(reinterpret_cast<state&>(own.of_segment)),
        op_(op),
        epoch_(epoch),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        strips_(left::absent(op, W()))
  {
    static_assert(sizeof(state) <= sizeof(own_.of_segment) && alignof(state) <= 8);
    if (lane_ == 0) {
      state_.segments = segments;
      state_.base = problem.offset(0);
      state_.shares = (problem.offset(segments) - state_.base + a_segment * segments + a_share - 1) / a_share;
      state_.share_word = share_word;
      state_.drawn = static_cast<std::uint32_t>(count_at(share_word, epoch) - 1);
      state_.place = {};
      state_.place.is_last = true;
      state_.late.tile = 0;
    }
    __syncwarp();
  }

  /// Whether a call is by these warps. The totals of tiles have places in the workspace.
  __device__ __forceinline__ static bool is_for(P const& problem)
  {
    std::size_t const elements = problem.offset(problem.segments) - problem.offset(0);
    return elements / problem.segments >= problem.reduced_along &&
           (elements + problem.segments) / tile + 2 <= problem.chunks_with_words;
  }

  /// Reduces shares as long as there are any, by a warp.
  __device__ __forceinline__ void work()
  {
    for (int k = 0; k < buffers; ++k) ask(k);
    __syncwarp();
    unsigned strips = 0;
    for (unsigned k = 0; state_.pieces[k % 4].size > 0; ++k) {
      piece const& now = state_.pieces[k % 4];
      int const gap = elements_into_word(now.from);
      strips_ = left::absent(op_, W());
#pragma unroll 1
      for (int left_over = now.size; left_over > 0; left_over -= strip, ++strips) {
        int const side = static_cast<int>(strips % buffers);
        await_copy_groups<buffers - 1>();
        __syncwarp();
        T const* const elements = own_.room.elements[side];
        if (left_over > strip) {
          W const total = totals(elements, gap);
          __syncwarp();
          ask(side);
          append(total);
        } else {
          W const value = value_at_end(elements, gap, left_over);
          __syncwarp();
          ask(side);
          end_tile(now, value);
        }
      }
      __syncwarp();
    }
    using fold = carry_fold<T, Op, warp_lanes, 4>;
    static_assert(sizeof(typename fold::shared) <= sizeof(own_.room));
    if (state_.late.tile > 0) settle<fold>(problem_, state_.late, &own_.room, epoch_);
  }

private:
  using packed = packed_group<T, group>;

  /// A tile of a segment.
  struct piece {
    T const* from;
    std::size_t segment;
    std::uint32_t tile;
    int size;  ///< elements; 0 behind the last one
    bool ends_segment;
    bool is_lone;   ///< the segment has one tile
    bool is_whole;  ///< all of the segment is in this share
  };
  /// How far a warp has come in its share.
  struct place_in_share {
    std::size_t units_end;            ///< where the share ends
    std::size_t block;                ///< 32 segments, whose offsets the lanes have
    std::size_t segment, begin, end;  ///< the present one
    std::size_t next, stop;           ///< its next element, and where the share or the segment ends
    unsigned left;                    ///< of the block
    bool is_last;                     ///< the share ends in this block
    bool is_whole;
  };
  /// A segment that began in another share: its last tile, and the total of that.
  struct late_segment {
    std::size_t segment;
    std::uint32_t tile;  ///< 0: there is none
    uninitialized<W> total;
  };
  /// What all lanes know, in shared memory.
  struct state {
    std::size_t segments, base, shares;
    std::uint64_t* share_word;  ///< counts the shares that were drawn
    piece pieces[4];
    place_in_share place;
    late_segment late;
    std::uint32_t drawn;  ///< the next share
  };
  /// The offsets of a block of segments.
  struct lane_offsets {
    std::size_t begin[warp_lanes], end[warp_lanes];
  };

  /// Finds the pieces of a warp one after the other.
  class finder {
  public:
    __device__ __forceinline__ finder(P const& problem, memory& own)
        : problem_(problem),
          state_(reinterpret_cast<state&>(own.of_segment)),
          offsets_(reinterpret_cast<lane_offsets&>(own.room.offsets[2])),
          at_(state_.place),
          lane_(static_cast<int>(threadIdx.x) % warp_lanes)
    {
      static_assert(sizeof(lane_offsets) <= sizeof(own.room.offsets[2]));
    }

    __device__ __forceinline__ void find(piece& to)
    {
      piece result{};
      if (at_.next != at_.stop || go_on()) {
        std::size_t const rest = at_.end - at_.next;
        result.from = problem_.in + static_cast<std::ptrdiff_t>(at_.next);
        result.segment = at_.segment;
        result.tile = static_cast<std::uint32_t>((at_.next - at_.begin) / tile);
        result.ends_segment = rest <= tile;
        result.size = static_cast<int>(result.ends_segment ? rest : tile);
        result.is_lone = at_.end - at_.begin <= tile;
        result.is_whole = at_.is_whole;
        at_.next += static_cast<std::size_t>(result.size);
      }
      __syncwarp();
      if (lane_ == 0) {
        to = result;
        state_.place = at_;
      }
      __syncwarp();
    }

  private:
    __device__ __forceinline__ std::size_t units_before(std::size_t segment, std::size_t offset) const
    {
      return offset - state_.base + a_segment * segment;
    }
    /// The tiles of a segment that begin before unit `end`.
    __device__ __forceinline__ std::size_t tiles_before(std::size_t end, std::size_t segment, std::size_t begin) const
    {
      return (end - units_before(segment, begin) + tile - 1) / tile;
    }

    __device__ __forceinline__ void begin_share(std::size_t share)
    {
      std::size_t const goals[1] = {share * a_share};
      std::size_t found[1];
      P counted = problem_;
      counted.segments = state_.segments;
      segment_search<P, static_cast<int>(tile), a_segment>{counted, state_.base, 0}.find(goals, found);
      at_.units_end = goals[0] + a_share;
      at_.block = found[0];
      at_.next = at_.stop = 0;
      if (at_.block > 0) {
        std::size_t const segment = at_.block - 1, begin = problem_.offset(segment);
        std::size_t const tiles = tiles_before(goals[0], segment, begin);
        enter(segment, begin, problem_.offset(at_.block), false);
        at_.next = begin + tiles * tile < at_.stop ? begin + tiles * tile : at_.stop;
      }
      read_block();
    }

    /// Makes a segment the present one.
    __device__ __forceinline__ void enter(std::size_t segment, std::size_t begin, std::size_t end, bool begins_here)
    {
      std::size_t const tiles = tiles_before(at_.units_end, segment, begin);
      at_.segment = segment;
      at_.begin = at_.next = begin;
      at_.end = end;
      at_.stop = end - begin <= tiles * tile ? end : begin + tiles * tile;
      at_.is_whole = begins_here && at_.stop == end;
    }

    /// Takes the next 32 segments, a lane each, and ends those that are empty.
    __device__ __forceinline__ void read_block()
    {
      std::size_t const own = at_.block + static_cast<std::size_t>(lane_);
      std::size_t begin = 0, end = 0;
      bool mine = own < state_.segments;
      if (mine) {
        begin = problem_.offset(own);
        end = problem_.offset(own + 1);
        mine = units_before(own, begin) < at_.units_end;
        if (mine && begin == end) problem_.put_result(own, problem_.of_nothing(problem_.init_of(own)));
      }
      offsets_.begin[lane_] = begin;
      offsets_.end[lane_] = end;
      at_.is_last = !__all_sync(whole_warp, mine);
      at_.left = __ballot_sync(whole_warp, mine && begin != end);
    }

    /// Goes to the next segment. Returns false if there is none, and no share either.
    __device__ __forceinline__ bool go_on()
    {
      while (at_.left == 0) {
        if (!at_.is_last) {
          at_.block += warp_lanes;
          read_block();
          continue;
        }
        std::size_t const share = state_.drawn;
        if (share >= state_.shares) return false;
        __syncwarp();
        if (lane_ == 0) state_.drawn = static_cast<std::uint32_t>(add_unseen(state_.share_word));
        begin_share(share);
        if (at_.next != at_.stop) return true;
      }
      __syncwarp();
      int const k = __ffs(static_cast<int>(at_.left)) - 1;
      at_.left &= at_.left - 1;
      enter(at_.block + static_cast<std::size_t>(k), offsets_.begin[k], offsets_.end[k], true);
      return true;
    }

    P const& problem_;
    state& state_;
    lane_offsets& offsets_;
    place_in_share at_;
    int lane_;
  };
  __device__ __noinline__ static void find_piece(P const& problem, memory& own, int place)
  {
    finder(problem, own).find(reinterpret_cast<state&>(own.of_segment).pieces[place]);
  }

  /// Begins to copy the aligned words that the next strip lies in to a buffer.
  __device__ __forceinline__ void ask(int side)
  {
    if (asked_size_ == 0) {
      int const k = static_cast<int>(asked_pieces_++ % 4);
      find_piece(problem_, own_, k);
      asked_ = state_.pieces[k].from;
      asked_size_ = state_.pieces[k].size;
    }
    int const size = min(asked_size_, strip), gap = elements_into_word(asked_);
    char const* const words = reinterpret_cast<char const*>(asked_ - gap) + 16 * lane_;
    std::uint32_t const place = shared_address(own_.room.elements[side]) + 16 * lane_;
    int const bytes = size == 0 ? 0 : (gap + size) * static_cast<int>(sizeof(T));
    if (bytes >= 512 * rows) {
#pragma unroll
      for (int r = 0; r < rows; ++r) copy_16(place + 512 * r, words + 512 * r);
      if (16 * lane_ < bytes - 512 * rows) copy_some_of_16(place + 512 * rows, words + 512 * rows, bytes - 512 * rows);
    } else if (bytes > 0) {
#pragma unroll 1
      for (int r = 0; r < rows; ++r) {
        int const rest = bytes - 16 * lane_ - 512 * r;
        copy_some_of_16(place + 512 * r, rest > 0 ? words + 512 * r : words - 16 * lane_, max(0, min(16, rest)));
      }
    }
    end_copy_group();
    asked_ += size;
    asked_size_ -= size;
  }

  /// The totals of the rows of a strip that lies `gap` elements behind `from`: lane k has that of row value_of_lane(k).
  /// Those of rows that are not whole mean nothing.
  __device__ __forceinline__ W totals(T const* from, int gap)
  {
    W totals[rows];
    T const* const own = from + lane_ * group;
    with_constant(gap, [&](auto known) {
      constexpr int skipped = decltype(known)::value % group;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        packed first, second;
        first.load_aligned(own + r * row);
        if constexpr (skipped > 0) second.load_aligned(own + r * row + group);
        totals[r] = static_cast<W>(first.get(skipped));
#pragma unroll
        for (int j = skipped + 1; j < group + skipped; ++j)
          totals[r] = static_cast<W>(op_(totals[r], static_cast<W>(j < group ? first.get(j < group ? j : 0)
                                                                             : second.get(j < group ? 0 : j - group))));
      }
    });
    return row_trees(totals, lane_, op_);
  }

  /// Appends a strip to the fold of those before in its tile.
  __device__ __forceinline__ void append(W const& total)
  {
    W all = shuffle_from(total, value_of_lane(0));
#pragma unroll
    for (int r = 1; r < rows; ++r) all = static_cast<W>(op_(all, shuffle_from(total, value_of_lane(r))));
    strips_ = left::present(strips_.before(all, op_));
  }

  /// The value at the last element of a tile, whose last strip has `size` elements: the fold of the strips before, of
  /// the rows before its own, of the groups before its own, and of its own up to it.
  __device__ __forceinline__ W value_at_end(T const* from, int gap, int size)
  {
    int const last = size - 1, last_row = last / row, last_lane = last % row / group, last_in_group = last % group;
    left before = left::absent(op_, W());
    if (last_row > 0) {
      W const total = totals(from, gap);
#pragma unroll
      for (int r = 0; r < rows - 1; ++r)
        if (r < last_row) before = left::present(before.before(shuffle_from(total, value_of_lane(r)), op_));
    }
    T const* const own = from + gap + last_row * row + lane_ * group;
    W upto[1] = {static_cast<W>(own[0])};
    W value = upto[0];
#pragma unroll
    for (int j = 1; j < group; ++j) {
      upto[0] = static_cast<W>(op_(upto[0], static_cast<W>(own[j])));
      value = select(j <= last_in_group, upto[0], value);
    }
    kogge_stone_scan(upto, lane_, op_);
    W const neighbour = shuffle_up(upto[0], 1);
    left const groups = lane_ == 0 ? left::absent(op_, neighbour) : left::present(neighbour);
    return shuffle_from(strips_.before(before, op_).before(groups, op_).before(value, op_), last_lane);
  }

  __device__ __forceinline__ static left start_of(initial_value<T, Op> const& init, Op& op)
  {
    return init.is_present ? left::present(init.value) : left::absent(op, init.value);
  }
  /// The totals of a segment's tiles, in the workspace. As in the general kernel, none overwrites another.
  __device__ __forceinline__ static std::uint64_t* words_of_segment(P const& problem, std::size_t segment)
  {
    return problem.words + (problem.offset(segment) - problem.offset(0) + segment) / tile * words_of<W>;
  }

  __device__ __forceinline__ void end_tile(piece const& now, W const& total)
  {
    if (now.is_lone) {
      if (lane_ == 0)
        problem_.put_reduced(now.segment, start_of(problem_.init_of(now.segment), op_).before(total, op_));
    } else {
      end_one_of_several(problem_, own_, now, total, epoch_);
    }
  }
  __device__ __noinline__ static void end_one_of_several(P const& problem, memory& own, piece const& now, W total,
                                                         std::uint32_t epoch)
  {
    Op op = problem.op;
    state& all = reinterpret_cast<state&>(own.of_segment);
    bool const is_first_lane = threadIdx.x % warp_lanes == 0;
    if (now.is_whole) {
      if (is_first_lane) {
        if (now.tile == 0) own.lone->begin(problem.init_of(now.segment), op);
        left const carry = own.lone->carry(op);
        if (now.ends_segment)
          problem.put_reduced(now.segment, carry.before(total, op));
        else
          own.lone->append(carry, total, op);
      }
      return;
    }
    if (!now.ends_segment) {
      if (is_first_lane) publish(words_of_segment(problem, now.segment) + now.tile * words_of<W>, total, epoch);
      return;
    }
    // The segment that was late before, if there is one, was of an earlier share: its totals are there by now.
    using fold = carry_fold<T, Op, 4>;
    static_assert(sizeof(typename fold::shared) <= 2 * sizeof(own.room.offsets[0]));
    if (all.late.tile > 0) settle<fold>(problem, all.late, own.room.offsets, epoch);
    __syncwarp();
    if (is_first_lane) {
      all.late.segment = now.segment;
      all.late.tile = now.tile;
      *all.late.total = total;
    }
    __syncwarp();
  }

  /// Ends a segment that began in another share.
  template <class Fold>
  __device__ __noinline__ static void settle(P const& problem, late_segment& late, void* room, std::uint32_t epoch)
  {
    Op op = problem.op;
    Fold before(problem.init_of(late.segment), op);
    auto const found = before.advance(late.tile, words_of_segment(problem, late.segment), epoch,
                                      *static_cast<typename Fold::shared*>(room), op);
    if (threadIdx.x % warp_lanes == 0) problem.put_reduced(late.segment, found.carry.before(*late.total, op));
  }

  P const& problem_;
  memory& own_;
  state& state_;
  Op& op_;
  std::uint32_t epoch_;
  int lane_;
  T const* asked_ = nullptr;  // of the piece whose strips are on their way: what was not asked for yet
  int asked_size_ = 0;
  unsigned asked_pieces_ = 0;
  left strips_;  // the fold of the strips before in the tile
};

}  // namespace tally::cuda_backend
