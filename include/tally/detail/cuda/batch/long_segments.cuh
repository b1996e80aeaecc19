#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/lone_fold.cuh"
#include "tally/detail/cuda/batch/segment_search.cuh"
#include "tally/detail/cuda/batch/segment_tickets.cuh"
#include "tally/detail/cuda/batch/strips_in_memory.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The reduction of segments that are long on average. The call is divided into equal *shares*, which warps draw in
/// order, so that all warps read the same part of memory at a time: with a contiguous part of 2^28 floats for each of
/// 2376 warps a plain read takes 276 us for 242. A share has the segments that begin in it, and the tiles that begin in
/// it of the segment before. A segment counts as its elements and `a_segment` more, about what it costs.
///
/// A warp goes through its shares strip by strip. Of a segment that lies in several shares it publishes the totals of
/// tiles. The warp that has the last tile folds them one such segment later, when they are there. It waits for shares
/// drawn before its own, so every wait ends.
///
/// Functions of their own do what is done once a tile: the strips do not need their registers.
template <class P>
class long_reduction {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  static constexpr int strip = static_cast<int>(order::strip<T>);
  static constexpr std::size_t tile = order::tile<T>;
  static constexpr std::size_t a_segment = strip;   ///< units that a segment counts for, beside its elements
  static constexpr std::size_t a_share = 2 * tile;  ///< units of a share

private:
  /// A tile of a segment.
  struct piece {
    std::size_t at;  ///< its first element
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
  using early_fold = carry_fold<T, Op, 4>;
  using last_fold = carry_fold<T, Op, warp_lanes, 4>;

public:
  /// The shared memory of a warp: what all its lanes know.
  struct memory {
    std::size_t segments, base, shares;
    std::uint64_t* share_word;  ///< counts the shares that were drawn
    std::uint32_t drawn;        ///< the next share
    piece now;
    place_in_share place;
    late_segment late;
    uninitialized<lone_fold<T, Op>> lone;            ///< of a segment that is whole in a share
    std::size_t begin[warp_lanes], end[warp_lanes];  ///< the offsets of a block of segments
    union {
      uninitialized<typename early_fold::shared> early;
      uninitialized<typename last_fold::shared> last;
    };
  };

  /// `segments` is the count of this call, which `problem` may have in memory only.
  __device__ long_reduction(P const& problem, std::size_t segments, memory& own, Op& op, std::uint64_t* share_word,
                            std::uint32_t epoch)
      : problem_(problem),
        own_(own),
        op_(op),
        epoch_(epoch),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes)
  {
    if (lane_ == 0) {
      own_.segments = segments;
      own_.base = problem.offset(0);
      own_.shares = (problem.offset(segments) - own_.base + a_segment * segments + a_share - 1) / a_share;
      own_.share_word = share_word;
      own_.drawn = static_cast<std::uint32_t>(count_at(share_word, epoch) - 1);
      own_.place = {};
      own_.place.is_last = true;
      own_.late.tile = 0;
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
    strips_in_memory<T, Op> const strips(lane_, op_);
    while (true) {
      find_piece(problem_, own_);
      piece const& now = own_.now;
      if (now.size == 0) break;
      T const* from = problem_.in + static_cast<std::ptrdiff_t>(now.at);
      left before = left::absent(op_, W());
      int rest = now.size;
#pragma unroll 1
      for (; rest > strip; rest -= strip, from += strip) before = left::present(before.before(strips.total(from), op_));
      end_tile(strips.value_at_end(from, rest, before));
      __syncwarp();
    }
    if (own_.late.tile > 0) settle<last_fold>(problem_, own_.late, *own_.last, epoch_);
  }

private:
  /// Finds the pieces of a warp one after the other.
  class finder {
  public:
    __device__ __forceinline__ finder(P const& problem, memory& own)
        : problem_(problem),
          own_(own),
          at_(own.place),
          lane_(static_cast<int>(threadIdx.x) % warp_lanes)
    {
    }

    __device__ __forceinline__ void find()
    {
      piece result{};
      if (at_.next != at_.stop || go_on()) {
        std::size_t const rest = at_.end - at_.next;
        result.at = at_.next;
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
        own_.now = result;
        own_.place = at_;
      }
      __syncwarp();
    }

  private:
    __device__ __forceinline__ std::size_t units_before(std::size_t segment, std::size_t offset) const
    {
      return offset - own_.base + a_segment * segment;
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
      counted.segments = own_.segments;
      segment_search<P, static_cast<int>(tile), a_segment>{counted, own_.base, 0}.find(goals, found);
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
      bool mine = own < own_.segments;
      if (mine) {
        begin = problem_.offset(own);
        end = problem_.offset(own + 1);
        mine = units_before(own, begin) < at_.units_end;
        if (mine && begin == end) problem_.put_result(own, problem_.of_nothing(problem_.init_of(own)));
      }
      own_.begin[lane_] = begin;
      own_.end[lane_] = end;
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
        std::size_t const share = own_.drawn;
        if (share >= own_.shares) return false;
        __syncwarp();
        if (lane_ == 0) own_.drawn = static_cast<std::uint32_t>(add_unseen(own_.share_word));
        __syncwarp();
        begin_share(share);
        if (at_.next != at_.stop) return true;
      }
      __syncwarp();
      int const k = __ffs(static_cast<int>(at_.left)) - 1;
      at_.left &= at_.left - 1;
      enter(at_.block + static_cast<std::size_t>(k), own_.begin[k], own_.end[k], true);
      return true;
    }

    P const& problem_;
    memory& own_;
    place_in_share at_;
    int lane_;
  };
  __device__ __noinline__ static void find_piece(P const& problem, memory& own) { finder(problem, own).find(); }

  __device__ __forceinline__ static left start_of(initial_value<T, Op> const& init, Op& op)
  {
    return init.is_present ? left::present(init.value) : left::absent(op, init.value);
  }
  /// The totals of a segment's tiles, in the workspace. As in the general kernel, none overwrites another.
  __device__ __forceinline__ static std::uint64_t* words_of_segment(P const& problem, std::size_t segment)
  {
    return problem.words + (problem.offset(segment) - problem.offset(0) + segment) / tile * words_of<W>;
  }

  __device__ __forceinline__ void end_tile(W const& total)
  {
    piece const& now = own_.now;
    if (now.is_lone) {
      if (lane_ == 0)
        problem_.put_reduced(now.segment, start_of(problem_.init_of(now.segment), op_).before(total, op_));
    } else {
      end_one_of_several(problem_, own_, total, epoch_);
    }
  }
  __device__ __noinline__ static void end_one_of_several(P const& problem, memory& own, W total, std::uint32_t epoch)
  {
    Op op = problem.op;
    piece const& now = own.now;
    late_segment& late = own.late;
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
    if (late.tile > 0) settle<early_fold>(problem, late, *own.early, epoch);
    __syncwarp();
    if (is_first_lane) {
      late.segment = now.segment;
      late.tile = now.tile;
      *late.total = total;
    }
    __syncwarp();
  }

  /// Ends a segment that began in another share.
  template <class Fold>
  __device__ __noinline__ static void settle(P const& problem, late_segment& late, typename Fold::shared& room,
                                             std::uint32_t epoch)
  {
    Op op = problem.op;
    Fold before(problem.init_of(late.segment), op);
    auto const found = before.advance(late.tile, words_of_segment(problem, late.segment), epoch, room, op);
    if (threadIdx.x % warp_lanes == 0) problem.put_reduced(late.segment, found.carry.before(*late.total, op));
  }

  P const& problem_;
  memory& own_;
  Op& op_;
  std::uint32_t epoch_;
  int lane_;
};

}  // namespace tally::cuda_backend
