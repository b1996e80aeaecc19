#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/staged_array.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The unit of a warp in the kernel of rows (rows_kernel.cuh): its shared memory, its copies, and the places of its
/// elements.
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

}  // namespace tally::cuda_backend
