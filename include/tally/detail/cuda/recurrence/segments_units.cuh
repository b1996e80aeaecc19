#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Recurrences of segments that follow each other in memory: the units that warps take.
namespace tally::cuda_backend {

/// Warps of a block. A row of doubles in a lane takes all registers that eight leave.
template <class P>
inline constexpr int segments_warps = sizeof(typename P::W) == 8 ? 8 : 12;

/// The tiles of long segments, in the device's memory. Those of a segment follow each other.
struct tiles_of_long_segments {
  struct tile {
    std::size_t first, size;  ///< of its segment
    std::uint32_t segment, in_segment;
  };
  unsigned long long* count;      ///< of tiles; zero at first
  unsigned long long* elements;   ///< of the segments of these tiles; zero at first
  unsigned long long* first_bad;  ///< at the first tile of each segment: the first step whose result is not finite
  tile* tiles;
};

/// Chunks of neighbouring segments that are not long, in the device's memory.
struct segment_chunks {
  struct chunk {
    std::uint32_t first, end;
  };
  unsigned long long* count;  ///< zero at first. Null: there is no list, and a search finds each chunk
  chunk* all;
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
  static constexpr int group = rows::group, row = rows::row;
  static constexpr std::size_t strip = rows::strip, tile = rows::tile;
  static constexpr std::size_t piece = static_cast<std::size_t>(row) * warp_lanes;  ///< elements of a unit, at most
  static_assert(tile % piece == 0 && piece % strip == 0);

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
  std::size_t least_chunk;  ///< places of the chunks that warps take: elements, and one for each segment
  std::size_t longest;      ///< longer segments are left to the kernel of tiles
  tiles_of_long_segments longs;
  segment_chunks chunks;
  std::uint64_t* drawn;  ///< of the tickets of the kernel by words; zero at first

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

/// The plain loop of a segment from step k on, by a warp.
template <class P>
__device__ __forceinline__ void repair_segment(P const& p, std::size_t segment, std::size_t k)
{
  std::size_t const begin = p.offset(segment);
  auto const at = static_cast<std::ptrdiff_t>(begin);
  segment_to_repair<typename P::T> const one{
      p.a == nullptr ? nullptr : p.a + at, p.constant,           p.b + at, p.out + at,
      p.offset(segment + 1) - begin,       p.before_of(segment), p.lasts};
  repair_sequence(one, segment, k);
}

/// The work of a warp at a time: some whole segments, or a piece of one that is longer than a piece. A lane has a row
/// of the order, or none.
struct segments_unit {
  std::size_t element = 0;  ///< the first one
  std::size_t segment = 0;  ///< likewise
  std::size_t begin = 0;    ///< of a piece, in its segment
  std::size_t size = 0;     ///< of the segment that this is a piece of; 0: whole segments
  int rows = 0;             ///< of all lanes; 0: there are no more units
  // Of the lane's row:
  int first = 0;         ///< its first element, counted from the unit's
  int count = 0;         ///< elements
  int before = 0;        ///< rows of its segment before it, in the unit
  int ordinal = 0;       ///< of its segment, counted from the unit's first one
  bool goes_on = false;  ///< its segment has elements behind it

  /// The rows of a piece.
  template <class P>
  __device__ __forceinline__ void be_piece(int lane)
  {
    std::size_t const rest = size - begin;
    int const all = static_cast<int>(rest < P::piece ? rest : P::piece);
    rows = (all + P::row - 1) / P::row;
    first = lane * P::row;
    count = lane >= rows ? 0 : all - first < P::row ? all - first : P::row;
    before = lane;
    ordinal = 0;
    goes_on = static_cast<std::size_t>(first) + P::row < rest;
  }
};

/// The size of a chunk of segments, of which each warp should have eight.
TALLY_HD inline std::size_t chunk_of_segments(std::size_t places, std::size_t warps, std::size_t least)
{
  constexpr std::size_t most = 16384;
  std::size_t const each = places / (warps * 8);
  return each < least ? least : each > most ? most : each;
}

/// Whole segments, and pieces of those that are longer than a piece. Warps take chunks of segments in turns: those of a
/// list, or chunks of about as many elements, found by a search. Segments that are left to others are passed over.
template <class P>
class units_of_segments {
public:
  __device__ __forceinline__ units_of_segments(P const& p, std::size_t worker, std::size_t workers)
      : p_(p),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        workers_(static_cast<std::uint32_t>(workers)),
        chunk_(static_cast<std::uint32_t>(worker))
  {
    if (p.chunks.count != nullptr) {
      chunks_ = static_cast<std::uint32_t>(*p.chunks.count);
      expect_chunk();
    } else {
      // Places of segments count one for each segment too, so that empty ones are shared out as well.
      first_ = p.offset(0);
      std::size_t const places = p.offset(p.segments) - first_ + p.segments;
      chunk_size_ = static_cast<std::uint32_t>(chunk_of_segments(places, workers, p.least_chunk));
      chunks_ = static_cast<std::uint32_t>((places + chunk_size_ - 1) / chunk_size_);
    }
    look_ahead();
  }

  /// Reads the offsets of the segments that come next.
  __device__ __forceinline__ void look_ahead()
  {
    if (has_looked_ || size_ != 0) return;
    if (segment_ == none && chunk_ < chunks_) {
      if (p_.chunks.count != nullptr) {
        segment_ = listed_.first;
        end_ = listed_.end;
      } else {
        std::size_t const place = static_cast<std::size_t>(chunk_) * chunk_size_;
        segment_ = first_not_before(p_.segments, [&](std::size_t s) { return p_.offset(s) - first_ + s < place; });
      }
      chunk_ += workers_;
      if (p_.chunks.count != nullptr) expect_chunk();
    }
    if (segment_ == none) return;
    std::size_t const own = segment_ + static_cast<std::size_t>(lane_);
    begin_ = p_.offset(own < p_.segments ? own : p_.segments);
    has_looked_ = true;
  }

  /// The next unit. `owners` is memory of the warp, a byte for each lane.
  __device__ __forceinline__ segments_unit next(std::uint8_t* owners)
  {
    for (;;) {
      if (size_ != 0) {
        if (at_ < size_) {
          segments_unit unit;
          unit.element = element_ + at_;
          unit.segment = segment_;
          unit.begin = at_;
          unit.size = size_;
          unit.template be_piece<P>(lane_);
          at_ += P::piece;
          return unit;
        }
        size_ = 0;
        ++segment_;
      }
      look_ahead();
      if (segment_ == none) return {};
      has_looked_ = false;
      std::size_t const own = segment_ + static_cast<std::size_t>(lane_);
      std::size_t const size = shuffle_from(begin_, (lane_ + 1) % warp_lanes) - begin_;
      bool const is_here = lane_ + 1 < warp_lanes && is_in_chunk(own);
      int const rows = !is_here ? 0 : size > P::piece ? warp_lanes + 1 : (static_cast<int>(size) + P::row - 1) / P::row;
      int end = rows;
#pragma unroll
      for (int stride = 1; stride < warp_lanes; stride *= 2) {
        int const left = __shfl_up_sync(whole_warp, end, static_cast<unsigned>(stride));
        if (lane_ >= stride) end += left;
      }
      unsigned const fit = __ballot_sync(whole_warp, is_here && end <= warp_lanes);
      int const there = __ffs(static_cast<int>(~fit)) - 1;
      if (there == 0) {
        if (__ballot_sync(whole_warp, is_here) % 2 == 0) {
          segment_ = none;
          continue;
        }
        size_ = shuffle_from(size, 0);
        element_ = shuffle_from(begin_, 0);
        at_ = 0;
        if (size_ > p_.longest) {
          size_ = 0;
          ++segment_;
        }
        continue;
      }
      if (p_.lasts != nullptr && lane_ < there && size == 0) p_.lasts[own] = p_.before_of(own);
      segments_unit unit;
      unit.element = shuffle_from(begin_, 0);
      unit.segment = segment_;
      unit.rows = shuffle_from(end, there - 1);
      segment_ += static_cast<std::size_t>(there);
      if (unit.rows == 0) continue;
      // Each row finds the last segment whose first row is not behind it.
      bool const has_rows = lane_ < there && rows != 0;
      unsigned const heads = __reduce_or_sync(whole_warp, has_rows ? 1u << (end - rows) : 0u);
      if (has_rows) owners[end - rows] = static_cast<std::uint8_t>(lane_);
      __syncwarp();
      int const head = 31 - __clz(static_cast<int>(heads & (0xffffffffu >> (warp_lanes - 1 - lane_))));
      unit.ordinal = owners[head];
      __syncwarp();
      unit.before = lane_ - head;
      int const in_segment = unit.before * P::row;
      int const rest = shuffle_from(static_cast<int>(size), unit.ordinal) - in_segment;
      unit.first = shuffle_from(static_cast<int>(begin_ - unit.element), unit.ordinal) + in_segment;
      unit.count = lane_ >= unit.rows ? 0 : rest < P::row ? rest : P::row;
      unit.goes_on = lane_ < unit.rows && rest > P::row;
      return unit;
    }
  }

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Whether a segment, whose begin has been read, is one of the chunk.
  __device__ __forceinline__ bool is_in_chunk(std::size_t segment) const
  {
    if (p_.chunks.count != nullptr) return segment < end_;
    std::size_t const chunk_end = static_cast<std::size_t>(chunk_ - workers_ + 1) * chunk_size_;
    return segment < p_.segments && begin_ - first_ + segment < chunk_end;
  }
  /// Reads which segments the next chunk has.
  __device__ __forceinline__ void expect_chunk()
  {
    if (chunk_ < chunks_) listed_ = p_.chunks.all[chunk_];
  }

  P const& p_;
  int lane_;
  std::uint32_t workers_, chunk_, chunks_ = 0;
  std::size_t first_ = 0;         ///< element, where chunks are found by a search
  std::uint32_t chunk_size_ = 0;  ///< likewise
  std::uint32_t end_ = 0;         ///< of the chunk, where chunks are listed
  segment_chunks::chunk listed_{};
  std::size_t segment_ = none;
  bool has_looked_ = false;
  std::size_t begin_ = 0;                        ///< of the segment so many behind, a lane each
  std::size_t size_ = 0, at_ = 0, element_ = 0;  ///< of a segment that is longer than a piece
};

}  // namespace tally::cuda_backend
