#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/recurrence/lane_rows.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/segments_units.cuh"
#include "tally/detail/cuda/recurrence/tiles_kernel.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Recurrences of segments that follow each other in memory. The rows of some segments come to shared memory, and each
/// lane has one of them. So ragged segments need no lists of groups, and nothing in a row needs a shuffle. A
/// kernel ahead lists the tiles of long segments (segments_list.cuh), which another one takes (tiles_kernel.cuh).
namespace tally::cuda_backend {

/// The shared memory of a warp.
struct recurrence_segments_memory {
  alignas(16) unsigned char a[warp_lanes][lane_rows::pitch];
  alignas(16) unsigned char b[warp_lanes][lane_rows::pitch];  ///< and the results
  std::uint8_t owners[warp_lanes];                            ///< see units_of_segments
};

/// The work of a warp on one unit after the other.
template <class P>
class recurrences_by_rows {
public:
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  using memory_type = recurrence_segments_memory;

  __device__ __forceinline__ recurrences_by_rows(P const& p, memory_type& memory)
      : p_(p),
        memory_(memory),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        first_(sizeof(S) == 2 ? p.offset(0) : 0),
        behind_last_(sizeof(S) == 2 ? p.offset(p.segments) : 0)
  {
    if (p.a == nullptr) fill_row(memory.a[lane_], static_cast<S>(p.constant));
  }

  /// Starts the copies of a unit's rows. Behind a row's end zeros come.
  __device__ __forceinline__ void start(segments_unit const& unit) const
  {
    __syncwarp();  // all have read what the rows before left
    auto const element = static_cast<std::ptrdiff_t>(unit.element);
    if constexpr (sizeof(S) == 2) {
      bool const by_elements = is_at_end(unit);
#pragma unroll 1
      for (int k = p_.a == nullptr ? 1 : 0; k < 2; ++k) {
        S const* const from = (k == 0 ? p_.a : p_.b) + element;
        auto& to = k == 0 ? memory_.a : memory_.b;
        if (by_elements)
          copy_elements(to, from, unit);
        else
          copy_words(to, from, unit);
      }
    } else if (p_.a == nullptr) {
      for_each_row(unit,
                   [&](int r, std::size_t first, int count) { copy_row(memory_.b[r], p_.b + element, first, count); });
    } else {
      for_each_row(unit, [&](int r, std::size_t first, int count) {
        copy_row(memory_.a[r], p_.a + element, first, count);
        copy_row(memory_.b[r], p_.b + element, first, count);
      });
    }
  }
  /// Waits for the copies.
  __device__ __forceinline__ void await() const
  {
    await_copies();
    __syncwarp();
  }

  __device__ __forceinline__ void work_on(segments_unit const& unit)
  {
    bool const is_piece = unit.size != 0;
    std::size_t const segment = unit.segment + static_cast<std::size_t>(unit.ordinal);
    auto initial = static_cast<W>(unit.count == 0 ? p_.before : p_.before_of(segment));
    if (is_piece) {
      if (unit.begin == 0) {
        is_over_ = false;
        carry_ = shuffle_from(initial, 0);
        spans_ = static_cast<C>(carry_);
      }
      if (is_over_) return;
      initial = carry_;
    }

    constexpr int part = part_groups * P::group;
    int const longest = static_cast<int>(__reduce_max_sync(whole_warp, static_cast<unsigned>(unit.count)));
    int const parts = (longest + part - 1) / part;
    row_in_lane<lane_steps<P>> const row(steps_of(unit), parts);

    // The fold of the strips before in the tile, and the state before the row.
    int const in_strip = unit.before % strip_rows, strip = unit.before / strip_rows;
    bool has_strips = is_piece && unit.begin % P::tile != 0;
    affine<W> strips = strips_, strips_after{};
    W state = has_strips ? strips(initial) : initial;
    if (__any_sync(whole_warp, unit.goes_on)) {
      affine<W> const total = row.total();
      if (__any_sync(whole_warp, unit.goes_on && in_strip == strip_rows - 1)) {
        affine<W> upto = total;  // the fold of the strip's rows up to this one
#pragma unroll 1
        for (int k = 1; k < strip_rows; ++k) {
          affine<W> const left = shuffle_map_up(upto, 1);
          if (in_strip == k) upto = composed(left, total);
        }
#pragma unroll 1
        for (int k = 1; k < warp_lanes / strip_rows && __any_sync(whole_warp, strip >= k && unit.count != 0); ++k) {
          affine<W> const ended = composed_if(has_strips, strips, upto);
          affine<W> const left = shuffle_map_from(ended, (lane_ - in_strip - 1) & (warp_lanes - 1));
          if (strip == k) {
            strips = left;
            has_strips = true;
            state = left(initial);
          }
        }
        strips_after = composed_if(has_strips, strips, upto);
      }
#pragma unroll 1
      for (int k = 1; k < strip_rows && __any_sync(whole_warp, in_strip >= k && unit.count != 0); ++k) {
        W const left = __shfl_up_sync(whole_warp, total(state), 1);
        if (in_strip == k) state = left;
      }
    }

    // The fold and the states that the next piece begins with.
    W next_carry = carry_;
    if (is_piece && unit.begin + P::piece < unit.size) {
      strips_ = shuffle_map_from(strips_after, warp_lanes - 1);
      if ((unit.begin + P::piece) % P::tile == 0) {
        constexpr std::size_t span = P::tile * order::span_tiles;
        auto const total = static_cast<affine<C>>(strips_);
        tiles_ = unit.begin % span < P::tile ? total : composed(tiles_, total);
        C const all = tiles_(spans_);
        if ((unit.begin + P::piece) % span == 0) spans_ = all;
        next_carry = static_cast<W>(all);
      }
    }
    W const bad = put_results<P>(row, state, parts, reinterpret_cast<S*>(memory_.b[lane_]));
    carry_ = next_carry;
    __syncwarp();
    auto const* const results = reinterpret_cast<S const*>(memory_.b[lane_]);
    if (p_.lasts != nullptr && unit.count != 0 && !unit.goes_on)
      p_.lasts[segment] = static_cast<T>(results[unit.count - 1]);
    if (!__any_sync(whole_warp, unit.count != 0 && bad != bad) || !write_finite(unit, segment, results)) write(unit);
  }

private:
  static constexpr int strip_rows = static_cast<int>(P::strip) / P::row;
  static constexpr int at_once = sizeof(S) == 8 ? 8 : 4;  ///< rows: of doubles, which have eight warps, more

  static constexpr int word = 16;

  __device__ __forceinline__ static int bytes_into_word(void const* at)
  {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % word);
  }
  __device__ __forceinline__ lane_steps<P> steps_of(segments_unit const& unit) const
  {
    lane_steps<P> steps{reinterpret_cast<S*>(memory_.a[lane_]), reinterpret_cast<S*>(memory_.b[lane_]), 0, 0};
    if constexpr (sizeof(S) == 2) {
      auto const first = static_cast<std::ptrdiff_t>(unit.element) + unit.first;
      if (p_.a != nullptr) steps.a_bytes = bytes_into_word(p_.a + first);
      steps.b_bytes = bytes_into_word(p_.b + first);
    }
    return steps;
  }
  /// The place of the lane's row, for other lanes: the bytes from the unit's first element to it, and its size.
  __device__ __forceinline__ static std::uint32_t place_of_row(segments_unit const& unit)
  {
    return static_cast<std::uint32_t>(unit.first) * static_cast<std::uint32_t>(sizeof(S)) << 8 |
           static_cast<std::uint32_t>(unit.count);
  }
  /// Calls use(r, first, count) for each row of a unit: the bytes from the unit's first element to its own, and its
  /// size.
  template <class Use>
  __device__ __forceinline__ static void for_each_row(segments_unit const& unit, Use const& use)
  {
    std::uint32_t const own = place_of_row(unit);
#pragma unroll at_once
    for (int r = 0; r < unit.rows; ++r) {
      std::uint32_t const of_row = shuffle_from(own, r);
      use(r, std::size_t{of_row >> 8}, static_cast<int>(of_row & 255));
    }
  }
  /// Starts the copy of a row whose elements begin `first` bytes behind `array`.
  __device__ __forceinline__ void copy_row(unsigned char* row, S const* array, std::size_t first, int count) const
  {
    constexpr int bytes = static_cast<int>(sizeof(S));
    shared_location const to = shared_address(row) + static_cast<std::uint32_t>(lane_ * bytes);
    auto const* const from = reinterpret_cast<S const*>(reinterpret_cast<unsigned char const*>(array + lane_) + first);
#pragma unroll
    for (int k = 0; k < P::row; k += warp_lanes)
      copy_or_clear<bytes>(to + static_cast<std::uint32_t>(k * bytes), from + k, lane_ < count - k);
  }
  /// Starts the copies of the words that rows of elements of two bytes lie in. Half a warp copies a row. One that
  /// begins within a word may have a word more, which its own lane copies.
  __device__ __forceinline__ void copy_words(unsigned char (&to)[warp_lanes][lane_rows::pitch], S const* array,
                                             segments_unit const& unit) const
  {
    auto const copy = [&](std::uint32_t place, int row, int w) {
      int const count = static_cast<int>(place & 255);
      auto const* const begin = reinterpret_cast<unsigned char const*>(array) + (place >> 8);
      int const into = bytes_into_word(begin), rest = into + count * static_cast<int>(sizeof(S)) - w * word;
      copy_some_of_16(shared_address(to[row]) + static_cast<std::uint32_t>(w * word), begin - into + w * word,
                      count == 0 ? 0 : max(min(rest, word), 0));
    };
    constexpr int half = warp_lanes / 2;
    static_assert(lane_rows::words == half);
    std::uint32_t const own = place_of_row(unit);
#pragma unroll 4
    for (int r = 0; r < unit.rows; r += 2) {
      int const row = r + lane_ / half;
      copy(shuffle_from(own, row), row, lane_ % half);
    }
    copy(own, lane_, half);
  }
  /// The same by elements, at an end of the array: its words there are not whole.
  __device__ __forceinline__ void copy_elements(unsigned char (&to)[warp_lanes][lane_rows::pitch], S const* array,
                                                segments_unit const& unit) const
  {
    std::uint32_t const own = place_of_row(unit);
#pragma unroll 1
    for (int r = 0; r < unit.rows; ++r) {
      std::uint32_t const place = shuffle_from(own, r);
      auto const* const from = reinterpret_cast<S const*>(reinterpret_cast<unsigned char const*>(array) + (place >> 8));
      S* const in_row = reinterpret_cast<S*>(to[r] + bytes_into_word(from));
#pragma unroll 1
      for (int k = lane_; k < static_cast<int>(place & 255); k += warp_lanes) in_row[k] = from[k];
    }
  }
  /// Whether words that rows of the unit lie in have elements of no segment.
  __device__ __forceinline__ bool is_at_end(segments_unit const& unit) const
  {
    constexpr std::size_t in_word = word / sizeof(S);
    std::size_t const begin = unit.element + static_cast<std::size_t>(unit.first);
    return __any_sync(whole_warp,
                      unit.count != 0 && (begin < first_ + in_word ||
                                          begin + static_cast<std::size_t>(unit.count) + in_word > behind_last_));
  }

  /// Writes all results, neighbouring ones by neighbouring lanes.
  __device__ __forceinline__ void write(segments_unit const& unit) const
  {
    S* const out = p_.out + static_cast<std::ptrdiff_t>(unit.element) + lane_;
    for_each_row(unit, [&](int r, std::size_t first, int count) {
      auto const* const from = reinterpret_cast<S const*>(memory_.b[r]) + lane_;
      S* const to = reinterpret_cast<S*>(reinterpret_cast<unsigned char*>(out) + first);
#pragma unroll
      for (int k = 0; k < P::row; k += warp_lanes)
        if (lane_ < count - k) to[k] = from[k];
    });
  }

  /// Writes the results before the first of each segment that is not finite, if there is one, and what the plain loop
  /// gives from there on. Returns whether there is one.
  __device__ __forceinline__ bool write_finite(segments_unit const& unit, std::size_t segment, S const* results)
  {
    int first_bad = 0;
    while (first_bad < unit.count && is_number(zero_if_finite<T>(static_cast<W>(results[first_bad])))) ++first_bad;
    unsigned const bad = __ballot_sync(whole_warp, first_bad < unit.count);
    if (bad == 0) return false;
    unsigned const rows_before = ((1u << lane_) - 1) & ~((1u << (lane_ - unit.before)) - 1);
    bool const comes_later = (bad & rows_before) != 0;
    S* const to = p_.out + (static_cast<std::ptrdiff_t>(unit.element) + unit.first);
    for (int k = 0; k < first_bad && !comes_later; ++k) to[k] = results[k];
    std::size_t const step = unit.begin + static_cast<std::size_t>(unit.before * P::row + first_bad);
    __syncwarp();
    for (unsigned left = __ballot_sync(whole_warp, first_bad < unit.count && !comes_later); left != 0;
         left &= left - 1) {
      int const of = __ffs(static_cast<int>(left)) - 1;
      repair_segment(p_, shuffle_from(segment, of), shuffle_from(step, of));
    }
    is_over_ = true;
    return true;
  }

  P const& p_;
  memory_type& memory_;
  int lane_;
  std::size_t first_, behind_last_;  ///< of the elements of all segments, where whole words are read
  // Of a segment in pieces: the fold of the strips before in the tile, and of the tiles before in the span; the states
  // before the span and before the tile; whether the plain loop has gone to its end.
  affine<W> strips_{};
  affine<C> tiles_{};
  C spans_{};
  W carry_{};
  bool is_over_ = false;
};

/// The work of a block on segments: its warps have `memories`, one each.
template <class P>
__device__ __forceinline__ void recur_segments(recurrence_segments_memory* memories, P const& p)
{
  std::size_t const warp = threadIdx.x / warp_lanes;
  auto& memory = memories[warp];
  take_turn();
  units_of_segments<P> units(p, warp * gridDim.x + blockIdx.x, gridDim.x * segments_warps<P>);
  recurrences_by_rows<P> rows(p, memory);
  segments_unit unit = units.next(memory.owners);
  units.look_ahead();
  while (unit.rows != 0) {
    rows.start(unit);
    segments_unit const next = units.next(memory.owners);
    units.look_ahead();
    rows.await();
    rows.work_on(unit);
    unit = next;
  }
}

/// Recurrences of segments, on sm_90 and later.
template <class P>
__global__ void __launch_bounds__(segments_warps<P>* warp_lanes, 1) recur_segments_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw[];
  recur_segments(reinterpret_cast<recurrence_segments_memory*>(raw), p);
#endif
}

/// The arguments of the kernel of tiles (tiles_kernel.cuh) for the segments in the list.
template <class T>
struct long_segments_problem : recurrence_problem<T> {
  static constexpr bool is_plain = false;
  recurrence_segments_problem<T> all;
  control* shared;
  std::uint64_t* words;  ///< those of a total for each tile
  std::size_t capacity;

  long_segments_problem(recurrence_segments_problem<T> const& p, control* used, std::uint64_t* totals, std::size_t room)
      : recurrence_problem<T>{.a = p.a,
                              .constant = p.constant,
                              .b = p.b,
                              .out = p.out,
                              .size = 0,
                              .sequences = 0,
                              .a_step = p.a == nullptr ? 0 : 1,
                              .b_step = 1,
                              .out_step = 1,
                              .where = batch_places(detail::batch::layout{}),
                              .neighbours = 1,
                              .a_across = 0,
                              .b_across = 0,
                              .out_across = 0,
                              .before_across = 0,
                              .a_dense = true,
                              .b_dense = true,
                              .out_dense = true,
                              .a_groups = false,
                              .b_groups = false,
                              .out_groups = false,
                              .a_begin = p.a,
                              .a_end = nullptr,
                              .b_begin = p.b,
                              .b_end = nullptr,
                              .before = p.before,
                              .befores = p.befores,
                              .lasts = p.lasts,
                              .stores = results_stored::all,
                              .first_bad = p.longs.first_bad},
        all(p),
        shared(used),
        words(totals),
        capacity(room)
  {
  }

  __device__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(*all.longs.count); }
  /// A segment's number, for the kernel of tiles, is the place of its first tile in the list.
  __device__ __forceinline__ place_of_tile<T> place_of(std::uint32_t tile) const
  {
    tiles_of_long_segments::tile const at = all.longs.tiles[tile];
    auto const first = static_cast<std::ptrdiff_t>(at.first);
    return {tile - at.in_segment, at.in_segment,  at.size, all.a == nullptr ? nullptr : all.a + first,
            all.b + first,        all.out + first};
  }
  /// The place of a tile, if there is one, will be needed soon. The list is not in the cache any more by then.
  __device__ __forceinline__ void expect(std::uint32_t tile) const
  {
    if (tile < tiles()) prefetch(all.longs.tiles + tile);
  }
  __device__ std::size_t elements() const { return all.offset(all.segments); }
  __device__ __forceinline__ T before_of(std::uint32_t first_tile) const
  {
    return all.befores == nullptr ? all.before : all.befores[all.longs.tiles[first_tile].segment];
  }
  __device__ __forceinline__ void put_last(std::size_t first_tile, T const& y) const
  {
    all.lasts[all.longs.tiles[first_tile].segment] = y;
  }
};

/// The plain loops of long segments with results that are not finite. Lanes look for these, and a warp goes through one
/// after the other.
template <class P>
__global__ void __launch_bounds__(warp_lanes) repair_long_segments_kernel(__grid_constant__ P const p)
{
  take_turn();
  auto const tiles = static_cast<std::uint32_t>(*p.longs.count);
  for (std::uint32_t first = blockIdx.x * warp_lanes; first < tiles; first += gridDim.x * warp_lanes) {
    std::uint32_t const own = first + threadIdx.x;
    bool const is_bad = own < tiles && p.longs.tiles[own].in_segment == 0 && p.longs.first_bad[own] != ~0ull;
    for (unsigned left = __ballot_sync(whole_warp, is_bad); left != 0; left &= left - 1) {
      std::uint32_t const bad = first + static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
      repair_segment(p, p.longs.tiles[bad].segment, static_cast<std::size_t>(p.longs.first_bad[bad]));
    }
  }
}

}  // namespace tally::cuda_backend
