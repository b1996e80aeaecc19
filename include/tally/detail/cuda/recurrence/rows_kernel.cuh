#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/rows_unit.cuh"
#include "tally/detail/cuda/recurrence/staged_array.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Recurrences along memory: a warp goes through a sequence piece by piece, or has several short ones at a time.
namespace tally::cuda_backend {

/// The work of a block, whose warps have `memories`, one each. With all slots for one sequence, it may have any length.
template <class P, int Lines>
__device__ __forceinline__ void recur_rows(recurrence_rows_memory<P>* memories, P const& p)
{
  using unit = recurrence_unit<P, Lines>;
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  constexpr int group = P::group, slots = P::slots, stages = recurrence_stages;
  auto& memory = memories[threadIdx.x / warp_lanes];
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  if (lane == 0) {
    for (arrival& stage : memory.arrived) stage.begin(P::is_gradient ? 3 : 2);
    fence_asynchronous();
  }
  __syncwarp();
  take_turn();

  constexpr bool states_come_late = P::is_gradient && !unit::states_come_along;
  std::uint32_t const workers = gridDim.x * recurrence_warps;
  unit now{p}, next{p};
  std::size_t const a_unit = unit::is_piece ? 1 : static_cast<std::size_t>(slots / Lines * now.a_slot());
  auto const a_neighbour = static_cast<std::uint32_t>((p.neighbours - 1) / a_unit + 1);
  auto const units = static_cast<std::uint32_t>(p.sequences / p.neighbours) * a_neighbour;
  auto const place = [&](unit& at) {
    if constexpr (P::is_plain && !unit::is_piece) {
      at.sequence = at.number * a_unit;
      std::size_t const others = p.sequences - at.sequence;
      at.size = static_cast<int>(p.size);
      at.there = static_cast<int>(others < a_unit ? others : a_unit);
      at.at = static_cast<std::ptrdiff_t>(at.sequence * p.size);
      return;
    } else if constexpr (P::is_plain) {
      std::size_t const rest = p.size - at.begin;
      at.sequence = at.number;
      at.size = static_cast<int>(rest < P::piece ? rest : P::piece);
      at.there = 1;
      auto const begin = static_cast<std::ptrdiff_t>(at.begin);
      at.at = static_cast<std::ptrdiff_t>(at.number) * p.b_across + (P::is_gradient ? -begin : begin);
      return;
    }
    std::uint32_t const outer = p.where.dimensions <= 1 ? 0 : at.number / a_neighbour;
    std::size_t const first = (at.number - outer * a_neighbour) * a_unit;
    at.sequence = outer * p.neighbours + first;
    std::size_t const rest = p.size - at.begin, others = p.neighbours - first;
    at.size = static_cast<int>(!unit::is_piece || rest < P::piece ? rest : P::piece);
    at.there = static_cast<int>(others < a_unit ? others : a_unit);
  };
  auto const step = [&](unit& at) {
    if (unit::is_piece && p.size - at.begin > P::piece) {
      at.begin += P::piece;
    } else {
      at.begin = 0;
      at.number += workers;
    }
    if (at.number < units) place(at);
  };
  now.number = next.number = threadIdx.x / warp_lanes * gridDim.x + blockIdx.x;
  if (now.number >= units) return;
  place(now);
  place(next);
  for (int s = 0; s < stages; ++s) {
    if (lane < unit::loaders && next.number < units) next.load(memory, s);
    if constexpr (states_come_late)
      if (lane == 2 && next.number < units) next.load_states(memory, s);
    step(next);
  }

  // Of a long sequence: the totals of the strip's rows so far, of the tile's strips, of the span's tiles; the states
  // before the span, the tile and the piece.
  affine<W> rows{}, strips{};
  affine<C> tiles{};
  C spans{};
  W carry{}, state{};
  bool is_over = false;  // the rest of the sequence has been written by the plain loop
  int stage = 0;
  std::uint32_t phase = 0;
  auto const advance = [&] {
    step(next);
    if (++stage == stages) {
      stage = 0;
      phase ^= 1;
    }
  };
  // The states' room is free when the results of a gradient have been written.
  auto const advance_with_states = [&] {
    if constexpr (states_come_late) {
      if (!unit::is_piece && (!p.out_groups || !p.products_groups)) fence_asynchronous();
      __syncwarp();
      if (lane == 2 && next.number < units) next.load_states(memory, stage);
      advance();
    }
  };
  for (; now.number < units; step(now)) {
    typename unit::elements a, b, products;                  // states before they are multiplied
    constexpr bool varies = P::is_plain && !P::is_gradient;  // the coefficients, from step to step
    if (!varies && p.a_step == 0) {
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        int const s = now.sequence_of(r);
        S const value = p.constant_of(now.sequence, s < now.there ? s : 0);
#pragma unroll
        for (int j = 0; j < group; ++j) a[r].set(j, value);
      }
    }
    W before[slots / Lines];
    if (!unit::is_piece || now.begin == 0) {
#pragma unroll
      for (int q = 0; q < slots / Lines; ++q) {
        int const s = now.sequence_of(q * Lines);
        before[q] = static_cast<W>(p.before_of(now.sequence, s < now.there ? s : 0));
      }
    }
    memory.arrived[stage].wait(phase);
    auto const sequence_of = [&](int r) { return now.sequence_of(r); };
    auto const step_of = [&](int r) { return now.step_of(r); };
    auto const take = [&](staged_array<S> const& part, bool has_groups, typename unit::elements& into) {
      if constexpr (P::is_plain && !unit::is_piece)
        now.take_plain_away(part, into);
      else if constexpr (unit::is_piece)
        take_groups_anywhere(part, into, step_of);
      else
        take_groups<group>(part, has_groups, into, sequence_of, step_of);
    };
    if (varies || p.a_step != 0) {
      if constexpr (unit::lie_alike)
        now.take_plain(p.a, memory.stages[stage].arrays[0], a);
      else
        take(now.staged_a(memory, stage), p.a_groups, a);
    }
    if constexpr (P::is_plain)
      now.take_plain(p.b, memory.stages[stage].arrays[1], b);
    else
      take(now.staged_b(memory, stage), p.b_groups, b);
    if constexpr (unit::states_come_along) now.take_plain(p.states, memory.stages[stage].arrays[2], products);
    __syncwarp();
    if (lane < unit::loaders && next.number < units) next.load(memory, stage);
    S first_states[slots / Lines];  // before the first steps in time, the last ones of a gradient's recurrence
    bool const is_last = !unit::is_piece || p.size - now.begin <= P::piece;
    if constexpr (P::is_gradient) {
      if (now.begin == 0) {
#pragma unroll
        for (int r = 0; r < slots; r += Lines)
          if (now.in_sequence() == 0) a[r] = with_first(S(1.0f), a[r]);
      }
#pragma unroll
      for (int q = 0; q < slots / Lines; ++q) {
        int const s = now.sequence_of(q * Lines);
        if (is_last) first_states[q] = p.first_state_of(now.sequence, s < now.there ? s : 0);
      }
    }
    if constexpr (!states_come_late) advance();
    if constexpr (unit::is_piece) {
      if (now.begin == 0) {
        is_over = false;
        carry = state = before[0];
        spans = static_cast<C>(carry);
      }
      if (is_over) {
        advance_with_states();
        continue;
      }
      before[0] = state;
    }

    auto const steps = [&](int r, int j) {
      return affine<W>{static_cast<W>(a[r].get(j)), static_cast<W>(b[r].get(j))};
    };
    affine<W> totals[slots];
#pragma unroll
    for (int r = 0; r < slots; ++r) {
      totals[r] = steps(r, 0);
#pragma unroll
      for (int j = 1; j < group; ++j) totals[r] = composed(totals[r], steps(r, j));
    }
    trees_of_lines<W, slots, Lines> const trees(totals, now.width());
    W y[slots];  // before the lane's group, and then after each of its steps
    if constexpr (Lines == 1) {
#pragma unroll
      for (int r = 0; r < slots; ++r) y[r] = trees.before_group(r, before[r]);
    } else {
      affine<W> of_rows[2 * slots];
#pragma unroll
      for (int row = 0; row < 2 * slots; ++row) of_rows[row] = trees.total_of_row(row);
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        W const first = before[r / Lines], second = of_rows[2 * r](first);
        y[r] = trees.before_group(r, lane < warp_lanes / 2 ? first : second);
        before[r / Lines] = of_rows[2 * r + 1](second);
      }
      // The strip's total is needed if the sequence goes on behind it.
      if (unit::is_piece && p.size > now.begin / P::strip * P::strip + P::strip) {
        bool const has_rows = P::piece < P::strip && now.begin % P::strip != 0;
        rows = has_rows ? composed(rows, of_rows[0]) : of_rows[0];
#pragma unroll
        for (int row = 1; row < 2 * slots; ++row) rows = composed(rows, of_rows[row]);
      }
    }
    packed_group<S, group> results[slots];
    W bad(0);  // NaN if a result is not finite, of those beyond the end too
#pragma unroll
    for (int r = 0; r < slots; ++r) {
#pragma unroll
      for (int j = 0; j < group; ++j) {
        y[r] = steps(r, j)(y[r]);
        auto const result = static_cast<T>(y[r]);
        results[r].set(j, static_cast<S>(result));
        bad = marked_if_not_finite(bad, static_cast<W>(result));
      }
    }
    auto const is_there = [&](int r, int j) {
      return now.step_of(r) + j < now.size && (unit::is_piece || now.sequence_of(r) < now.there);
    };
    if (p.lasts != nullptr && is_last) {
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        int const place = now.size - 1 - now.step_of(r);
        if (place < 0 || place >= group || !is_there(r, place)) continue;
        S last = results[r].get(0);
#pragma unroll
        for (int j = 1; j < group; ++j) last = j == place ? results[r].get(j) : last;
        p.put_last(now.sequence + now.sequence_of(r), last);
      }
    }

    int end[slots / Lines];  // of the results to be written
#pragma unroll
    for (int q = 0; q < slots / Lines; ++q)
      end[q] = unit::is_piece || now.sequence_of(q * Lines) < now.there ? now.size : 0;
    bool repairs = __any_sync(whole_warp, bad != bad);
    int first_bad[slots / Lines] = {};
    if (repairs) {
      unsigned const all = now.width() == warp_lanes ? whole_warp : (1u << now.width()) - 1;
      int const first_lane = lane - now.in_sequence();
#pragma unroll
      for (int q = 0; q < slots / Lines; ++q) first_bad[q] = now.size;
#pragma unroll
      for (int r = slots - 1; r >= 0; --r) {
        int place = group;
#pragma unroll
        for (int j = group - 1; j >= 0; --j)
          if (is_there(r, j) && !detail::recurrence::is_finite(results[r].get(j))) place = j;
        unsigned const lanes = __ballot_sync(whole_warp, place < group) >> first_lane & all;
        int const at = __ffs(static_cast<int>(lanes)) - 1;
        int const in_group = __shfl_sync(whole_warp, place, first_lane + (at < 0 ? 0 : at));
        if (at >= 0) first_bad[r / Lines] = r % Lines * P::line + at * group + in_group;
      }
      bool any = false;
#pragma unroll
      for (int q = 0; q < slots / Lines; ++q) any = any || first_bad[q] < end[q];
      repairs = __any_sync(whole_warp, any);
#pragma unroll
      for (int q = 0; q < slots / Lines; ++q) end[q] = end[q] < first_bad[q] ? end[q] : first_bad[q];
    }

    auto const write = [&](typename unit::elements& values, staged_array<S> const& out, bool has_groups) {
      if constexpr (unit::is_piece) {
        if (out.step > 0)
          store_shifted(values, out.array, end[0]);
        else
          store_shifted<-1>(values, out.array, end[0]);
      } else if (has_groups) {
#pragma unroll
        for (int r = 0; r < slots; ++r)
          store_results(values[r], out.array + now.sequence_of(r) * out.across, now.step_of(r), end[r / Lines],
                        out.step);
      } else if (repairs) {
#pragma unroll
        for (int r = 0; r < slots; ++r) {
          S* const first = out.array + now.sequence_of(r) * out.across;
#pragma unroll
          for (int j = 0; j < group; ++j)
            if (now.step_of(r) + j < end[r / Lines]) first[(now.step_of(r) + j) * out.step] = values[r].get(j);
        }
      } else {
        put_groups<group>(out, values, sequence_of, step_of, [&](int r) { return end[r / Lines]; });
        __syncwarp();
        if (out.dense) {
          copy_out(out.low(0), out.place(0), now.there * now.size);
        } else {
          for (int s = 0; s < now.there; ++s) copy_out(out.low(s), out.place(s), now.size);
        }
        __syncwarp();
      }
    };
    unsigned char* const room = memory.room_for_results(stage);
    if constexpr (P::is_gradient) {
      if constexpr (states_come_late) {
        if constexpr (unit::lie_alike)
          now.take_plain(p.states, memory.stages[stage].arrays[2], products);
        else
          take(now.staged_states(memory, stage), p.states_groups, products);
        __syncwarp();
      }
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        packed_group<S, group> const states = products[r];
#pragma unroll
        for (int j = 0; j < group; ++j) {
          bool const is_first_in_time = is_last && now.step_of(r) + j == now.size - 1;
          products[r].set(j, P::times(results[r].get(j), is_first_in_time ? first_states[r / Lines] : states.get(j)));
        }
      }
      if constexpr (P::is_plain && !unit::is_piece)
        now.write_plain(products, p.products, end, repairs);
      else if constexpr (P::is_plain)
        now.write_plain(products, p.products, end[0]);
      else
        write(products,
              now.staged(room, p.products_of(now.sequence), p.products_across, p.products_step, p.products_dense),
              p.products_groups);
    }
    if constexpr (P::is_plain && !unit::is_piece)
      now.write_plain(results, p.out, end, repairs);
    else if constexpr (P::is_plain)
      now.write_plain(results, p.out, end[0]);
    else
      write(results, now.staged(room, p.out_of(now.sequence), p.out_across, p.out_step, p.out_dense), p.out_groups);
    if (repairs) {
#pragma unroll
      for (int q = 0; q < slots / Lines; ++q) {
        unsigned which =
            __ballot_sync(whole_warp, end[q] < now.size && first_bad[q] < now.size && now.in_sequence() == 0 &&
                                          now.sequence_of(q * Lines) < now.there);
        while (which != 0) {
          int const of = __ffs(static_cast<int>(which)) - 1;
          which &= which - 1;
          repair_sequence(p, now.sequence + __shfl_sync(whole_warp, now.sequence_of(q * Lines), of),
                          now.begin + static_cast<std::size_t>(__shfl_sync(whole_warp, first_bad[q], of)));
        }
      }
      is_over = true;
    }
    if constexpr (unit::is_piece) {
      state = before[0];
      std::size_t const behind = now.begin + P::piece;
      if (behind % P::strip == 0) {
        strips = now.begin % P::tile < P::strip ? rows : composed(strips, rows);
        state = strips(carry);
      }
      if (behind % P::tile == 0) {
        auto const total = static_cast<affine<C>>(strips);
        constexpr std::size_t span = P::tile * order::span_tiles;
        tiles = now.begin % span < P::tile ? total : composed(tiles, total);
        C const all = tiles(spans);
        if (behind % span == 0) spans = all;
        carry = state = static_cast<W>(all);
      }
    }
    advance_with_states();
  }
}

/// Recurrences of sequences along memory, on sm_90 and later.
template <class P, int Lines>
__global__ void __launch_bounds__(recurrence_warps* warp_lanes, 1) recur_rows_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw[];
  recur_rows<P, Lines>(reinterpret_cast<recurrence_rows_memory<P>*>(raw), p);
#endif
}

}  // namespace tally::cuda_backend
