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
#include "tally/detail/cuda/recurrence/staged_array.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Recurrences along memory: a warp goes through a sequence piece by piece, or has several short ones at a time.
namespace tally::cuda_backend {

inline constexpr int recurrence_warps = 16;  ///< of a block
inline constexpr int recurrence_stages = 2;

/// `Plain`: sequences that lie alike in all arrays. Long ones lie in whole words of 16 bytes, at one distance: forward,
/// those of gradients backward, except for the coefficients and the states of gradients, which lie one element away.
/// Short ones follow each other without a gap in all arrays, in whole words, with the same exceptions.
/// `Anywhere`: other long ones may begin and end within a word too, and lie so, backward, in all arrays of gradients;
/// short ones have an odd number of half words.
template <class P, bool Plain = false, bool Anywhere = false>
struct recurrence_rows_problem : P {
  static constexpr bool is_plain = Plain;
  static constexpr bool is_anywhere = Anywhere;  ///< if it is plain
  int log_width;                                 ///< of the lanes of a short sequence
};

/// The shared memory of a warp: what is on its way to it, and results whose groups are not aligned in memory. Those of
/// gradients pass through the room of the states, which have then been read.
template <class P>
struct recurrence_rows_memory {
  using S = typename P::stored;
  static constexpr std::size_t bytes = P::piece * sizeof(S);
  static constexpr std::size_t room = bytes + P::slots * 32 + 16;  // each sequence begins anywhere in a word

  struct stage {
    alignas(16) unsigned char arrays[P::is_gradient ? 3 : 2][room];  ///< a, b and the states
  };
  stage stages[recurrence_stages];
  alignas(16) unsigned char out[P::is_gradient ? 16 : room];
  arrival arrived[recurrence_stages];

  __device__ __forceinline__ unsigned char* room_for_results(int stage)
  {
    return P::is_gradient ? stages[stage].arrays[2] : out;
  }
};

/// The work of a warp on one unit: some short sequences, or a piece of one.
template <class P, int Lines>
class recurrence_unit {
public:
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  static constexpr int group = P::group, line = P::line, slots = P::slots;
  /// Groups of a piece that begin anywhere are read and written by whole words that are shifted.
  static constexpr bool is_piece = Lines == slots;
  static constexpr bool is_from_anywhere = P::is_anywhere && is_piece;
  static constexpr bool lie_alike = P::is_plain && (!P::is_gradient || is_from_anywhere);  ///< all arrays
  /// The states of gradients are copied and read along with a and b, where registers have room for them.
  static constexpr bool states_come_along = P::is_gradient && is_from_anywhere && slots == 2;
  static constexpr int loaders = states_come_along ? 3 : 2;  ///< lanes: one for each array
  /// Short sequences have an odd number of halves of words. A unit of an even number of them begins with a word.
  static constexpr bool is_in_halves = P::is_anywhere && !is_piece;
  static_assert(!is_in_halves || !P::is_gradient);
  static constexpr int half = group / 2;
  using memory_type = recurrence_rows_memory<P>;
  using elements = packed_group<S, group>[slots];

  P const& p;
  int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::uint32_t number = 0;
  std::size_t sequence = 0;  ///< the first
  std::size_t begin = 0;     ///< the first step
  int size = 0;              ///< steps of each sequence
  int there = 0;             ///< sequences
  std::ptrdiff_t at = 0;     ///< if it is plain: the distance of the first element, in all arrays

  /// The elements of a plain unit, which follow each other.
  __device__ __forceinline__ int elements_of_plain() const { return is_piece ? size : there * size; }
  /// The distance of a slot's group from where the elements of a plain unit begin in memory.
  __device__ __forceinline__ int place_in_plain(int r) const
  {
    int const sequence = is_piece ? 0 : sequence_of(r) * size, step = step_of(r);
    return P::is_gradient ? sequence + size - (step < size ? step : 0) - group : sequence + step;
  }
  __device__ __forceinline__ int a_slot() const { return Lines > 1 ? 1 : warp_lanes >> p.log_width; }
  __device__ __forceinline__ int width() const { return Lines > 1 ? warp_lanes : 1 << p.log_width; }
  __device__ __forceinline__ int in_sequence() const { return Lines > 1 ? lane : lane & (width() - 1); }
  /// The sequence of a slot, as the unit numbers them, and the lane's first step in it.
  __device__ __forceinline__ int sequence_of(int r) const
  {
    return Lines > 1 ? r / Lines : r * a_slot() + (lane >> p.log_width);
  }
  __device__ __forceinline__ int step_of(int r) const { return r % Lines * line + in_sequence() * group; }

  __device__ __forceinline__ auto staged(unsigned char* memory, S* first, std::ptrdiff_t across, std::ptrdiff_t step,
                                         bool dense) const
  {
    return staged_array<S>{
        memory + 16, first + static_cast<std::ptrdiff_t>(begin) * step, across, static_cast<int>(step), size, dense};
  }
  __device__ __forceinline__ auto staged_a(memory_type& memory, int stage) const
  {
    return staged(memory.stages[stage].arrays[0], const_cast<S*>(p.a_of(sequence)), p.a_across, p.a_step, p.a_dense);
  }
  __device__ __forceinline__ auto staged_b(memory_type& memory, int stage) const
  {
    return staged(memory.stages[stage].arrays[1], const_cast<S*>(p.b_of(sequence)), p.b_across, p.b_step, p.b_dense);
  }

  __device__ __forceinline__ auto staged_states(memory_type& memory, int stage) const
  {
    return staged(memory.stages[stage].arrays[2], const_cast<S*>(p.states_of(sequence)), p.states_across, p.states_step,
                  p.states_dense);
  }

  /// Where the elements of a plain unit begin in memory, of an array that begins at `all`.
  __device__ __forceinline__ S const* begin_of_plain(S const* all) const
  {
    return all + (P::is_gradient ? at - (size - 1) : at);
  }
  /// The lane's groups of a plain unit of the array `all`, in shared memory.
  __device__ __forceinline__ void take_plain(S const* all, unsigned char const* room, elements& into) const
  {
    S const* first = reinterpret_cast<S const*>(room + 16);
    if constexpr (is_from_anywhere) first += staged_array<S>::gap(begin_of_plain(all));
    if constexpr (is_from_anywhere) {
      if constexpr (P::is_gradient) first += size - group;
      load_words_shifted<P::is_gradient ? -1 : 1>(into, first, [&](int r) {
        return !P::is_gradient ? step_of(r) : step_of(r) < size ? -step_of(r) : 0;
      });
    } else if constexpr (is_in_halves) {
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        packed_group<S, half> low, high;
        low.load_aligned(first + place_in_plain(r));
        high.load_aligned(first + place_in_plain(r) + half);
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          into[r].set_part(k, low.part(k));
          into[r].set_part(2 + k, high.part(k));
        }
      }
    } else {
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        into[r].load_aligned(first + place_in_plain(r));
        into[r] = into[r].reversed_if(P::is_gradient);
      }
    }
  }
  /// The same of short sequences in an array of gradients in which they lie one element away.
  __device__ __forceinline__ void take_plain_away(staged_array<S> const& part, elements& into) const
  {
    load_words_shifted(into, part.place(0), [&](int r) { return place_in_plain(r); });
#pragma unroll
    for (int r = 0; r < slots; ++r) into[r] = into[r].reversed_if(true);
  }
  /// Writes the groups of a plain piece, as far as they come before `end`, to an array that begins at `all`.
  __device__ __forceinline__ void write_plain(elements& values, S* all, int end) const
  {
    S* const out = all + at;
    if constexpr (is_from_anywhere) {
      store_shifted<P::is_gradient ? -1 : 1>(values, out, end);
    } else if (end == static_cast<int>(P::piece)) {
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        if constexpr (P::is_gradient)
          values[r].reversed_if(true).store_aligned(out - step_of(r) - (group - 1));
        else
          values[r].store_aligned(out + step_of(r));
      }
    } else {
#pragma unroll
      for (int r = 0; r < slots; ++r) store_results(values[r], out, step_of(r), end, P::is_gradient ? -1 : 1);
    }
  }

  /// The same of short sequences; `repairs`: they may end within a group.
  __device__ __forceinline__ void write_plain(elements const& values, S* all, int const (&ends)[slots / Lines],
                                              bool repairs) const
  {
    constexpr int step = P::is_gradient ? -1 : 1;
    S* const out = all + at;
    if (repairs) {
#pragma unroll
      for (int r = 0; r < slots; ++r) {
        S* const first = out + sequence_of(r) * size;
        if constexpr (is_in_halves) {
#pragma unroll
          for (int j = 0; j < group; ++j)
            if (step_of(r) + j < ends[r / Lines]) first[step_of(r) + j] = values[r].get(j);
        } else {
          store_results(values[r], first, step_of(r), ends[r / Lines], step);
        }
      }
    } else if constexpr (is_in_halves) {
      write_halves(values, out);
    } else {
      S* const begin = P::is_gradient ? out - (size - 1) : out;
#pragma unroll
      for (int r = 0; r < slots; ++r)
        if (step_of(r) < size && sequence_of(r) < there)
          values[r].reversed_if(P::is_gradient).store_aligned(begin + place_in_plain(r));
    }
  }

  /// The same of sequences in halves of words, by whole words where it can. Odd ones begin within a word: its second
  /// half is the first one of a lane, and the other words have two lanes' halves. Even ones end within a word.
  __device__ __forceinline__ void write_halves(elements const& values, S* out) const
  {
#pragma unroll
    for (int r = 0; r < slots; ++r) {
      int const step = step_of(r), sequence = sequence_of(r);
      bool const is_odd = sequence % 2 != 0;
      packed_group<S, half> low;
      packed_group<S, group> word;
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        std::uint32_t const before = part_of_lane_before(values[r % Lines > 0 ? r - 1 : r], values[r], 2 + k);
        low.set_part(k, values[r].part(k));
        word.set_part(k, is_odd ? before : values[r].part(k));
        word.set_part(2 + k, is_odd ? values[r].part(k) : values[r].part(2 + k));
      }
      if (step >= size || sequence >= there) continue;
      S* const own = out + (sequence * size + step);
      if (is_odd ? step == 0 : step + group > size)
        low.store_aligned(own);
      else
        word.store_aligned(own - (is_odd ? half : 0));
    }
  }

  /// Starts the copies of a and b of the unit, and of states that come along, by the first lanes.
  __device__ __forceinline__ void load(memory_type& memory, int stage) const
  {
    bool const is_a = lane == 0;
    if (is_a && !(P::is_plain && !P::is_gradient) && p.a_step == 0)
      memory.arrived[stage].arrive_and_expect(0);
    else if (lie_alike || (P::is_plain && !is_a)) {
      S const *all = is_a ? p.a : p.b, *begin_of_all = is_a ? p.a_begin : p.b_begin,
              *end_of_all = is_a ? p.a_end : p.b_end;
      if constexpr (states_come_along) {
        if (lane == 2) all = p.states, begin_of_all = p.states_begin, end_of_all = p.states_end;
      }
      load_plain(memory.stages[stage].arrays[lane], all, begin_of_all, end_of_all, memory.arrived[stage]);
    } else
      load_array(is_a ? staged_a(memory, stage) : staged_b(memory, stage), is_a ? p.a_begin : p.b_begin,
                 is_a ? p.a_end : p.b_end, memory.arrived[stage]);
  }
  /// ... and of the states that a gradient takes, by one lane.
  __device__ __forceinline__ void load_states(memory_type& memory, int stage) const
  {
    if constexpr (lie_alike)
      load_plain(memory.stages[stage].arrays[2], p.states, p.states_begin, p.states_end, memory.arrived[stage]);
    else
      load_array(staged_states(memory, stage), p.states_begin, p.states_end, memory.arrived[stage]);
  }

private:
  /// The elements of a plain unit of the array `all`.
  __device__ __forceinline__ void load_plain(unsigned char* room, S const* all, S const* begin_of_all,
                                             S const* end_of_all, arrival& done) const
  {
    auto bytes = static_cast<std::uint32_t>(elements_of_plain()) * static_cast<std::uint32_t>(sizeof(S));
    S const* const from = begin_of_plain(all);
    if (P::is_anywhere && (reinterpret_cast<std::uintptr_t>(from) | bytes) % 16 != 0)
      bytes = start_copy<S>(room + 16, from, elements_of_plain(), begin_of_all, end_of_all, done);
    else
      done.bulk_load(room + 16, from, bytes);
    done.arrive_and_expect(bytes);
  }
  __device__ __forceinline__ void load_array(staged_array<S> const& part, S const* begin_of_all, S const* end_of_all,
                                             arrival& done) const
  {
    std::uint32_t bytes = 0;
    if (part.dense) {
      bytes += start_copy<S>(part.memory, part.low(0), there * size, begin_of_all, end_of_all, done);
    } else {
#pragma unroll 1
      for (int s = 0; s < there; ++s)
        bytes += start_copy<S>(part.memory + s * part.pitch(), part.low(s), size, begin_of_all, end_of_all, done);
    }
    done.arrive_and_expect(bytes);
  }
};

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
