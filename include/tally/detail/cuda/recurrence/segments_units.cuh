#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/rows_kernel.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Recurrences of segments that follow each other in memory: the units that warps take, and where their copies go.
namespace tally::cuda_backend {

inline constexpr int segments_warps = 16;  ///< of a block

/// A segment whose tiles are shared out.
struct long_segment {
  std::size_t segment;
  std::uint32_t first_tile;  ///< of the tiles of all of them
};

/// The list of long segments, in the device's memory. Empty at first.
template <class W>
struct long_segments {
  std::size_t longest_by_warp;  ///< longer ones are put in the list
  unsigned long long* state;    ///< the number of segments * 2^40 + the number of their tiles
  long_segment* segments;
  unsigned long long* first_bad;  ///< of each: the first step whose result is not finite
  affine<W>* totals;              ///< of each tile
  W* carries;                     ///< the state before each tile

  __device__ __forceinline__ std::uint32_t count() const { return static_cast<std::uint32_t>(*state >> 40); }
  __device__ __forceinline__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(*state); }
};

/// The arguments of a kernel of recurrences of segments. Segment s is [offset(s), offset(s + 1)).
template <class Value>
struct recurrence_segments_problem {
  using T = Value;
  using stored = T;
  using W = working_type<T>;
  using C = carry_type<plus, T>;
  using rows = recurrence_problem<T>;
  static constexpr bool is_gradient = false;
  static constexpr int group = rows::group, row = rows::row, slots = rows::slots;
  static constexpr std::size_t piece = rows::piece, strip = rows::strip, tile = rows::tile;

  T const* a;  ///< null if all coefficients are `constant`
  T constant;
  T const* b;
  T* out;
  void const* offsets;
  bool are_wide;  ///< offsets of 8 bytes, else of 4
  std::size_t segments;
  T before;
  T const* befores;
  T* lasts;
  long_segments<W> longs;

  __device__ __forceinline__ std::size_t offset(std::size_t s) const
  {
    return are_wide ? static_cast<std::uint64_t const*>(offsets)[s] : static_cast<std::uint32_t const*>(offsets)[s];
  }
  __device__ __forceinline__ T before_of(std::size_t s) const { return befores == nullptr ? before : befores[s]; }
};

/// The first of [0, size) for which `is_before` is false, by a warp.
template <class Predicate>
__device__ __forceinline__ std::size_t first_not_before(std::size_t size, Predicate const& is_before)
{
  std::size_t low = 0, high = size;
  while (low < high) {
    std::size_t const step = (high - low + warp_lanes - 1) / warp_lanes;
    std::size_t const at = low + threadIdx.x % warp_lanes * step;
    int const before = __popc(__ballot_sync(whole_warp, at < high && is_before(at)));
    if (before == 0) return low;
    std::size_t const above = low + static_cast<std::size_t>(before) * step;
    low += static_cast<std::size_t>(before - 1) * step + 1;
    high = above < high ? above : high;
  }
  return low;
}

/// A segment, for repair_sequence.
template <class Value>
struct segment_to_repair {
  using T = Value;
  static constexpr bool is_gradient = false;
  static constexpr std::ptrdiff_t a_step = 1, b_step = 1, out_step = 1;

  T const* a;
  T constant;
  T const* b;
  T* out;
  std::size_t size;
  T before;
  T* lasts;

  __device__ T const* a_of(std::size_t) const { return a; }
  __device__ T const* b_of(std::size_t) const { return b; }
  __device__ T* out_of(std::size_t) const { return out; }
  __device__ T before_of(std::size_t) const { return before; }
  __device__ void put_last(std::size_t s, T const& y) const { lasts[s] = y; }
};

/// The work of a warp at a time: some whole segments, or a piece of one that is longer than a piece.
struct segments_unit {
  std::size_t first_element;
  std::size_t segment;        ///< the first one
  std::size_t begin;          ///< of a piece, in its segment
  std::size_t size;           ///< of the segment that this is a piece of; 0: whole segments
  int count;                  ///< elements; 0: there are no more units
  std::uint32_t tile, entry;  ///< of a piece of a long segment: its tile and its segment, in the list
};

/// The part of a unit that is one segment, packed into a word. Its group g, counted through the unit, has the unit's
/// elements from g * group - unused() on, as far as they come before end().
struct part_of_unit {
  std::uint32_t bits;

  template <int Group>
  __device__ __forceinline__ static part_of_unit of(int first_group, int first, int size, int segment)
  {
    // Segments before are at most 31, each with a group that is not full: 93 elements of 4.
    return {static_cast<std::uint32_t>(first_group | (first + size) << 8 | (first_group * Group - first) << 18 |
                                       segment << 25)};
  }
  __device__ __forceinline__ int first_group() const { return static_cast<int>(bits & 255); }
  __device__ __forceinline__ int end() const { return static_cast<int>(bits >> 8 & 1023); }
  __device__ __forceinline__ int unused() const { return static_cast<int>(bits >> 18 & 127); }
  __device__ __forceinline__ int segment() const { return static_cast<int>(bits >> 25); }
};

/// The shared memory of a warp.
template <class P>
struct recurrence_segments_memory {
  using S = typename P::stored;
  static constexpr std::size_t room = P::piece * sizeof(S) + 32;

  struct stage {
    alignas(16) unsigned char a[room];
    alignas(16) unsigned char b[room];
    segments_unit unit;
    std::uint32_t heads[P::slots];  ///< the groups with which parts begin, a bit each
    part_of_unit parts[warp_lanes];
  };
  stage stages[recurrence_stages];
  alignas(16) unsigned char out[room];
  arrival arrived[recurrence_stages];
  int first_bad[warp_lanes];  ///< of each part
};

/// The units of a warp: puts them into the stages and starts their copies.
template <class P>
class units_in_stages {
protected:
  using S = typename P::stored;
  using memory_type = recurrence_segments_memory<P>;

  __device__ __forceinline__ explicit units_in_stages(P const& p)
      : p_(p),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        end_(p.offset(p.segments))
  {
  }

  __device__ __forceinline__ void put_end(memory_type& memory, int which) const
  {
    if (lane_ == 0) memory.stages[which].unit.count = 0;
    __syncwarp();
  }
  __device__ __forceinline__ void put_piece(memory_type& memory, int which, segments_unit const& unit) const
  {
    auto& stage = memory.stages[which];
    if (lane_ == 0) {
      stage.unit = unit;
      stage.parts[0] = part_of_unit::of<P::group>(0, 0, unit.count, 0);
    }
    if (lane_ < P::slots) stage.heads[lane_] = lane_ == 0 ? 1 : 0;
    start(memory, which);
  }
  /// Starts the copies of the unit that lies in the stage.
  __device__ __forceinline__ void start(memory_type& memory, int which) const
  {
    __syncwarp();
    if (lane_ >= 2) return;
    auto& stage = memory.stages[which];
    auto const first = static_cast<std::ptrdiff_t>(stage.unit.first_element);
    auto const end = static_cast<std::ptrdiff_t>(end_);
    std::uint32_t bytes = 0;
    if (lane_ == 1)
      bytes = start_copy<S>(stage.b, p_.b + first, stage.unit.count, p_.b, p_.b + end, memory.arrived[which]);
    else if (p_.a != nullptr)
      bytes = start_copy<S>(stage.a, p_.a + first, stage.unit.count, p_.a, p_.a + end, memory.arrived[which]);
    memory.arrived[which].arrive_and_expect(bytes);
  }
  __device__ __forceinline__ static int of_piece(std::size_t rest)
  {
    return static_cast<int>(rest < P::piece ? rest : P::piece);
  }

  P const& p_;
  int lane_;
  std::size_t end_;  ///< of all elements
};

/// Whole segments, and pieces of those that are longer than a piece. The segments are cut into chunks of about as many
/// elements; longer ones than a warp should have alone are put into the list.
template <class P>
class units_of_segments : units_in_stages<P> {
public:
  using memory_type = recurrence_segments_memory<P>;

  __device__ __forceinline__ units_of_segments(P const& p, std::size_t worker, std::size_t workers)
      : units_in_stages<P>(p),
        first_(p.offset(0)),
        workers_(static_cast<std::uint32_t>(workers)),
        chunk_(static_cast<std::uint32_t>(worker))
  {
    // Places of segments count one for each segment too, so that empty ones are shared out as well.
    std::size_t const places = end_ - first_ + p.segments, each = places / (workers * 8);
    chunk_size_ = static_cast<std::uint32_t>(each < 1024 ? 1024 : each > 16384 ? 16384 : each);
    chunks_ = static_cast<std::uint32_t>((places + chunk_size_ - 1) / chunk_size_);
  }

  /// Finds the next unit and starts its copies. A stage without elements is the last one.
  __device__ __forceinline__ void next(memory_type& memory, int which)
  {
    auto& stage = memory.stages[which];
    for (;;) {
      if (size_ != 0) {
        if (begin_ < size_) {
          std::size_t const begin = begin_;
          begin_ += P::piece;
          return put_piece(
              memory, which,
              {element_ + begin, segment_, begin, size_, units_in_stages<P>::of_piece(size_ - begin), 0, 0});
        }
        size_ = 0;
        ++segment_;
      }
      if (segment_ == none) {
        if (chunk_ >= chunks_) return put_end(memory, which);
        std::size_t const place = static_cast<std::size_t>(chunk_) * chunk_size_;
        segment_ = first_not_before(p_.segments, [&](std::size_t s) { return p_.offset(s) - first_ + s < place; });
        chunk_ += workers_;
      }
      std::size_t const chunk_end = static_cast<std::size_t>(chunk_ - workers_ + 1) * chunk_size_;
      std::size_t const own = segment_ + static_cast<std::size_t>(lane_);
      bool is_here = own < p_.segments;
      std::size_t const begin = is_here || own == p_.segments ? p_.offset(own) : end_;
      std::size_t const size = shuffle_from(begin, (lane_ + 1) % warp_lanes) - begin;
      is_here = is_here && lane_ + 1 < warp_lanes && begin - first_ + own < chunk_end;
      int const groups = !is_here          ? 0
                         : size > P::piece ? 2 * P::slots * warp_lanes
                                           : (static_cast<int>(size) + P::group - 1) / P::group;
      int end_group = groups;
#pragma unroll
      for (int stride = 1; stride < warp_lanes; stride *= 2) {
        int const left = __shfl_up_sync(whole_warp, end_group, static_cast<unsigned>(stride));
        if (lane_ >= stride) end_group += left;
      }
      unsigned const fit = __ballot_sync(whole_warp, is_here && end_group <= P::slots * warp_lanes);
      int const there = __ffs(static_cast<int>(~fit)) - 1;
      if (there == 0) {
        if (__ballot_sync(whole_warp, is_here) % 2 == 0) {
          segment_ = none;
        } else {
          size_ = shuffle_from(size, 0);
          element_ = shuffle_from(begin, 0);
          begin_ = 0;
          if (size_ > p_.longs.longest_by_warp) {
            if (lane_ == 0) list();
            size_ = 0;
            ++segment_;
          }
        }
        continue;
      }
      std::size_t const element = shuffle_from(begin, 0);
      int const count = static_cast<int>(shuffle_from(begin, there) - element);
      bool const is_part = lane_ < there && size != 0;
      if (p_.lasts != nullptr && lane_ < there && size == 0) p_.lasts[own] = p_.before_of(own);
      if (count != 0) {
        int const first_group = end_group - groups;
#pragma unroll
        for (int r = 0; r < P::slots; ++r) {
          unsigned const heads = __reduce_or_sync(
              whole_warp, is_part && first_group / warp_lanes == r ? 1u << first_group % warp_lanes : 0u);
          if (lane_ == r) stage.heads[r] = heads;
        }
        unsigned const parts = __ballot_sync(whole_warp, is_part);
        if (is_part)
          stage.parts[__popc(parts & ((1u << lane_) - 1))] =
              part_of_unit::of<P::group>(first_group, static_cast<int>(begin - element), static_cast<int>(size), lane_);
        if (lane_ == 0) stage.unit = {element, segment_, 0, 0, count};
      }
      segment_ += static_cast<std::size_t>(there);
      if (count != 0) return start(memory, which);
    }
  }

private:
  using units_in_stages<P>::p_;
  using units_in_stages<P>::lane_;
  using units_in_stages<P>::end_;
  using units_in_stages<P>::put_piece;
  using units_in_stages<P>::put_end;
  using units_in_stages<P>::start;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  __device__ __forceinline__ void list() const
  {
    std::size_t const tiles = (size_ + P::tile - 1) / P::tile;
    unsigned long long const before = atomicAdd(p_.longs.state, (1ull << 40) + tiles);
    p_.longs.segments[before >> 40] = {segment_, static_cast<std::uint32_t>(before)};
    p_.longs.first_bad[before >> 40] = ~0ull;
  }

  std::size_t first_;
  std::uint32_t workers_, chunk_, chunks_, chunk_size_;
  std::size_t segment_ = none;
  std::size_t size_ = 0, begin_ = 0, element_ = 0;  ///< of a segment that is longer than a piece
};

/// The pieces of the tiles of long segments. Without the last tiles if `are_before_others`.
template <class P, bool AreBeforeOthers>
class units_of_long_segments : units_in_stages<P> {
public:
  using memory_type = recurrence_segments_memory<P>;

  __device__ __forceinline__ units_of_long_segments(P const& p, std::size_t worker, std::size_t workers)
      : units_in_stages<P>(p),
        workers_(static_cast<std::uint32_t>(workers)),
        tile_(static_cast<std::uint32_t>(worker)),
        tiles_(p.longs.tiles()),
        count_(p.longs.count())
  {
  }

  __device__ __forceinline__ void next(memory_type& memory, int which)
  {
    while (now_.begin >= end_of_tile_) {
      if (tile_ >= tiles_) return this->put_end(memory, which);
      auto const& longs = this->p_.longs;
      auto const entry = static_cast<std::uint32_t>(
          first_not_before(count_, [&](std::size_t s) { return longs.segments[s].first_tile <= tile_; }) - 1);
      long_segment const of = longs.segments[entry];
      std::size_t const first = this->p_.offset(of.segment), size = this->p_.offset(of.segment + 1) - first;
      std::size_t const begin = (tile_ - of.first_tile) * P::tile;
      end_of_tile_ = size - begin < P::tile ? size : begin + P::tile;
      if (AreBeforeOthers && end_of_tile_ == size) end_of_tile_ = begin;
      now_ = {first + begin, of.segment, begin, size, 0, tile_, entry};
      tile_ += workers_;
    }
    now_.count = this->of_piece(end_of_tile_ - now_.begin);
    this->put_piece(memory, which, now_);
    now_.begin += P::piece;
    now_.first_element += P::piece;
  }

private:
  std::uint32_t workers_, tile_, tiles_, count_;
  std::size_t end_of_tile_ = 0;
  segments_unit now_{};
};

}  // namespace tally::cuda_backend
