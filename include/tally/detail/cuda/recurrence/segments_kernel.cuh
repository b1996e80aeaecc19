#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/rows_kernel.cuh"
#include "tally/detail/cuda/recurrence/segments_units.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Recurrences of segments that follow each other in memory. A warp packs the segments of a chunk group by group into
/// the rows of its registers. Long segments are put into a list, whose tiles are totalled and then written.
namespace tally::cuda_backend {

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

/// The runs of the kernel: all segments but long ones; the totals of the tiles of long ones; their results.
enum class segments_pass { whole, totals, tiles };

/// Recurrences of segments, on sm_90 and later.
template <class P, segments_pass Pass>
__global__ void __launch_bounds__(segments_warps* warp_lanes, 1) recur_segments_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  constexpr int group = P::group, slots = P::slots, stages = recurrence_stages;
  extern __shared__ __align__(128) unsigned char raw[];
  auto& memory = reinterpret_cast<recurrence_segments_memory<P>*>(raw)[threadIdx.x / warp_lanes];
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  if (lane == 0) {
    for (arrival& stage : memory.arrived) stage.begin(2);
    fence_asynchronous();
  }
  __syncwarp();
  take_turn();

  constexpr bool is_whole = Pass == segments_pass::whole;
  std::conditional_t<is_whole, units_of_segments<P>, units_of_long_segments<P, Pass == segments_pass::totals>> units(
      p, threadIdx.x / warp_lanes * gridDim.x + blockIdx.x, gridDim.x * segments_warps);
  for (int s = 0; s < stages; ++s) units.next(memory, s);

  // Of a segment in pieces: as in recur_rows_kernel.
  affine<W> rows{}, strips{};
  affine<C> tiles{};
  C spans{};
  W carry{};
  bool is_over = false;
  int stage = 0;
  std::uint32_t phase = 0;
  for (;;) {
    segments_unit const now = memory.stages[stage].unit;
    if (now.count == 0) break;
    bool const is_piece = !is_whole || now.size != 0;
    W initial = is_piece && p.befores != nullptr ? static_cast<W>(p.befores[now.segment]) : static_cast<W>(p.before);
    memory.arrived[stage].wait(phase);

    packed_group<S, group> a[slots], b[slots];
    part_of_unit part[slots];  // of the lane's groups
    auto const number_of = [&](int r) { return r * warp_lanes + lane; };
    auto const element_of = [&](int r) { return number_of(r) * group - part[r].unused(); };
    auto const rest_of = [&](int r) { return part[r].end() - element_of(r); };
    auto const in_row_of = [&](int r) { return (lane - part[r].first_group()) & (warp_lanes - 1); };
    auto const has_before = [&](int r) { return number_of(r) - part[r].first_group() >= warp_lanes; };
    {
      auto const& from = memory.stages[stage];
      auto const first_of = [&](unsigned char const* room, S const* array) {
        return reinterpret_cast<S const*>(room) +
               staged_array<S const>::gap(array + static_cast<std::ptrdiff_t>(now.first_element));
      };
      S const *const all_a = first_of(from.a, p.a), *const all_b = first_of(from.b, p.b);
      unsigned const up_to_lane = 0xffffffffu >> (warp_lanes - 1 - lane);
      int ordinal = -1;
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        std::uint32_t const heads = from.heads[r];
        part[r] = from.parts[ordinal + __popc(heads & up_to_lane)];
        ordinal += __popc(heads);
        int const element = element_of(r);
        // Groups have no more elements than a piece, so those behind the last one are in the room too.
#pragma unroll
        for (int j = 0; j < group; ++j) {
          a[r].set(j, p.a == nullptr ? p.constant : all_a[element + j]);
          b[r].set(j, all_b[element + j]);
        }
      }
    }
    __syncwarp();
    units.next(memory, stage);
    if (++stage == stages) {
      stage = 0;
      phase ^= 1;
    }

    if constexpr (Pass == segments_pass::tiles) {
      if (now.begin % P::tile == 0) carry = p.longs.carries[now.tile];
      initial = carry;
    } else if (is_piece) {
      if (now.begin == 0) {
        is_over = false;
        carry = initial;
        spans = static_cast<C>(carry);
      }
      initial = carry;
    }
    if (is_whole && is_piece && is_over) continue;

    auto const steps = [&](int r, int j) {
      return affine<W>{static_cast<W>(a[r].get(j)), static_cast<W>(b[r].get(j))};
    };
    bool const has_strips = is_piece && now.begin % P::tile >= P::strip;
    bool const has_rows = is_piece && now.begin % P::strip != 0;
    affine<W> fold[slots];  // before the lane's group; of a segment's first one there is none
    affine<W> rows_after = rows;
    {
      affine<W> totals[slots];
      int in_row[slots];
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        totals[r] = steps(r, 0);
        in_row[r] = in_row_of(r);
#pragma unroll
        for (int j = 1; j < group; ++j) totals[r] = composed(totals[r], steps(r, j));
      }
      // The lanes to the left of the first ones are those of the slot before.
      auto const from_left = [&](int stride, affine<W>(&left)[slots]) {
#pragma unroll
        for (int r = 0; r < slots; ++r) left[r] = shuffle_from(totals[r], (lane - stride) & (warp_lanes - 1));
#pragma unroll
        for (int r = slots - 1; r > 0; --r) left[r] = select(lane >= stride, left[r], left[r - 1]);
      };
#pragma unroll
      for (int stride = 1; stride < warp_lanes; stride *= 2) {
        affine<W> left[slots];
        from_left(stride, left);
#pragma unroll
        for (int r = 0; r < slots; ++r) compose_from_left(totals[r], left[r], stride <= in_row[r]);
      }
      from_left(1, fold);
      bool has_several = has_rows || has_strips;
#pragma unroll
      for (int r = 0; r < slots; ++r) has_several = has_several || has_before(r);
      if (__any_sync(whole_warp, has_several)) {
        // A segment's rows end at the same lane of successive slots, and no slot has two ends of whole rows.
#pragma unroll
        for (int r = 0; r < slots; ++r) {
          bool const is_end = in_row[r] == warp_lanes - 1, follows = has_rows || has_before(r);
          unsigned const ends = __ballot_sync(whole_warp, is_end);
          int const end = __ffs(static_cast<int>(ends)) - 1;
          affine<W> const total = shuffle_from(totals[r], end & (warp_lanes - 1));
          affine<W> const after = composed_if(__any_sync(whole_warp, is_end && follows), rows_after, total);
          affine<W> base = select(ends != 0 && lane > end, after, rows_after);
          if (has_strips) {
            base = select(follows, composed(strips, base), strips);
            fold[r] = select(in_row[r] == 0, base, composed(base, fold[r]));
          } else {
            fold[r] = select(in_row[r] == 0, base, composed_if(follows, base, fold[r]));
          }
          rows_after = select(ends != 0, after, rows_after);
        }
      }
    }

    // Unpacked again from here on: the registers are needed above.
#pragma unroll
    for (int r = 0; r < slots; ++r) asm volatile("" : "+r"(part[r].bits));
    auto const first = static_cast<std::ptrdiff_t>(now.first_element);
    S* const results = reinterpret_cast<S*>(memory.out) + staged_array<S>::gap(p.out + first);
    auto const segment_of = [&](int r) { return now.segment + static_cast<std::size_t>(part[r].segment()); };
    affine<W> local{};
    auto const for_each = [&](int r, auto const& take) {
      W before = initial;
      if (!is_piece && p.befores != nullptr) before = static_cast<W>(p.befores[segment_of(r)]);
      bool const is_first = in_row_of(r) == 0 && !has_before(r) && !has_strips && !has_rows;
      affine<W> own = steps(r, 0);
#pragma unroll
      for (int j = 0; j < group; ++j) {
        if (j > 0) own = composed(own, steps(r, j));
        local = select(is_first, own, composed(fold[r], own));
        take(j, local(before));
      }
    };
    if constexpr (Pass == segments_pass::totals) {
      for_each(slots - 1, [](int, W const&) {});
    } else {
      W bad(0);  // NaN if a result is not finite
#pragma unroll
      for (int r = 0; r < slots; ++r)
        for_each(r, [&](int j, W const& y) {
          if (j < rest_of(r)) {
            results[element_of(r) + j] = static_cast<S>(static_cast<T>(y));
            bad += zero_if_finite<T>(y);
          }
        });
      if (p.lasts != nullptr && (!is_piece || now.size - now.begin <= P::piece)) {
#pragma unroll
        for (int r = 0; r < slots; ++r)
          for_each(r, [&](int j, W const& y) {
            if (j + 1 == rest_of(r)) p.lasts[segment_of(r)] = static_cast<T>(y);
          });
      }
      __syncwarp();
      if (!__any_sync(whole_warp, bad != bad)) {
        copy_out(p.out + first, static_cast<S const*>(results), now.count);
      } else {
        constexpr int none = static_cast<int>(P::piece);
        memory.first_bad[lane] = none;
        __syncwarp();
#pragma unroll
        for (int r = 0; r < slots; ++r)
          for_each(r, [&](int j, W const& y) {
            if (j < rest_of(r) && !is_number(zero_if_finite<T>(y)))
              atomicMin(&memory.first_bad[part[r].segment()], element_of(r) + j);
          });
        __syncwarp();
#pragma unroll
        for (int r = 0; r < slots; ++r)
#pragma unroll
          for (int j = 0; j < group; ++j)
            if (j < rest_of(r) && element_of(r) + j < memory.first_bad[part[r].segment()])
              p.out[first + element_of(r) + j] = results[element_of(r) + j];
        __syncwarp();
        for (int s = 0; s < warp_lanes; ++s) {
          if (memory.first_bad[s] == none) continue;
          std::size_t const number = now.segment + static_cast<std::size_t>(s),
                            at = now.first_element + static_cast<std::size_t>(memory.first_bad[s]),
                            k = at - p.offset(number);
          if constexpr (is_whole) {
            repair_segment(p, number, k);
          } else {
            if (lane == 0) atomicMin(p.longs.first_bad + now.entry, static_cast<unsigned long long>(k));
          }
        }
        is_over = true;
      }
      __syncwarp();
    }
    if (is_piece) {
      rows = rows_after;
      if ((now.begin + P::piece) % P::strip == 0) strips = composed_if(has_strips, strips, rows);
      if (Pass == segments_pass::totals && (now.begin + P::piece) % P::tile == 0 && lane == warp_lanes - 1)
        p.longs.totals[now.tile] = local;
      if (is_whole && (now.begin + P::piece) % P::tile == 0) {
        auto const total = static_cast<affine<C>>(shuffle_from(local, warp_lanes - 1));
        constexpr std::size_t span = P::tile * order::span_tiles;
        tiles = now.begin % span < P::tile ? total : composed(tiles, total);
        C const all = tiles(spans);
        if ((now.begin + P::piece) % span == 0) spans = all;
        carry = static_cast<W>(all);
      }
    }
  }
#endif
}

/// The states before the tiles of long segments, a warp for each segment. A lane folds the tiles of a span.
template <class P>
__global__ void __launch_bounds__(warp_lanes) carry_long_segments_kernel(__grid_constant__ P const p)
{
  using W = typename P::W;
  using C = typename P::C;
  take_turn();
  auto const lane = static_cast<std::uint32_t>(threadIdx.x);
  constexpr auto span = static_cast<std::uint32_t>(order::span_tiles);
  for (std::uint32_t entry = blockIdx.x; entry < p.longs.count(); entry += gridDim.x) {
    long_segment const of = p.longs.segments[entry];
    std::size_t const size = p.offset(of.segment + 1) - p.offset(of.segment);
    auto const tiles = static_cast<std::uint32_t>((size + P::tile - 1) / P::tile);
    auto spans = static_cast<C>(static_cast<W>(p.before_of(of.segment)));
    for (std::uint32_t first = 0; first < tiles; first += warp_lanes * span) {
      std::uint32_t const begin = first + lane * span;
      auto const for_each = [&](auto const& take) {
        affine<C> fold{};
        for (std::uint32_t t = begin; t + 1 < tiles && t < begin + span; ++t) {
          auto const total = static_cast<affine<C>>(p.longs.totals[of.first_tile + t]);
          fold = t == begin ? total : composed(fold, total);
          take(t + 1, fold);
        }
        return fold;
      };
      affine<C> const fold = for_each([](std::uint32_t, affine<C> const&) {});
      C own = spans;
      for (int k = 0; k < warp_lanes; ++k) {
        if (static_cast<int>(lane) == k) own = spans;
        spans = shuffle_from(fold, k)(spans);
      }
      if (begin == 0) p.longs.carries[of.first_tile] = static_cast<W>(own);
      for_each([&](std::uint32_t t, affine<C> const& all) {
        p.longs.carries[of.first_tile + t] = static_cast<W>(all(own));
      });
    }
  }
}

/// The plain loops of long segments with results that are not finite.
template <class P>
__global__ void __launch_bounds__(warp_lanes) repair_long_segments_kernel(__grid_constant__ P const p)
{
  take_turn();
  for (std::uint32_t entry = blockIdx.x; entry < p.longs.count(); entry += gridDim.x)
    if (unsigned long long const k = p.longs.first_bad[entry]; k != ~0ull)
      repair_segment(p, p.longs.segments[entry].segment, static_cast<std::size_t>(k));
}

}  // namespace tally::cuda_backend
