#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/results.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/staging.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Batches of sequences of up to a strip. A warp has several of them in registers, and no warp waits for another.
namespace tally::cuda_backend {

/// The places of sequences in the `slots` rows of registers that a warp has. Short sequences lie side by side in a
/// slot, a group a lane; longer ones take several slots, a row each.
struct rows_shape {
  int lanes;                ///< of a sequence in each of its slots: a group each
  int a_slot;               ///< sequences side by side in a slot; 1 if a sequence takes several slots
  int rows;                 ///< slots of a sequence
  int a_warp;               ///< sequences
  int padded;               ///< elements of a sequence, up to the end of its last group
  std::uint32_t by_size;    ///< 2^32 / size, rounded up, and 0 for a size of 1: divides numbers below 2^16
  std::uint32_t by_padded;  ///< likewise
};

constexpr std::uint32_t reciprocal(std::size_t n)
{
  return n == 1 ? 0 : static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + n - 1) / n);
}
__device__ __forceinline__ int quotient(int x, std::uint32_t reciprocal)
{
  return reciprocal == 0 ? x : static_cast<int>(__umulhi(static_cast<std::uint32_t>(x), reciprocal));
}

/// Requires  size is at most `slots` rows.
template <class T>
constexpr rows_shape rows_shape_of(std::size_t size, int slots)
{
  constexpr std::size_t group = order::group<T>, row = order::row<T>;
  std::size_t const groups = (size + group - 1) / group;
  rows_shape shape{};
  shape.lanes = static_cast<int>(std::min<std::size_t>(groups, order::row_groups));
  shape.a_slot = static_cast<int>(order::row_groups) / shape.lanes;
  shape.rows = static_cast<int>((size + row - 1) / row);
  shape.a_warp = shape.rows == 1 ? shape.a_slot * slots : slots / shape.rows;
  shape.padded = static_cast<int>(groups * group);
  shape.by_size = reciprocal(size);
  shape.by_padded = reciprocal(groups * group);
  return shape;
}

template <class P>
struct rows_problem : P {
  rows_shape shape;
  int rounds;
};

inline constexpr int rows_warps = 8;  ///< of a block, at most

/// A slot of the lane: the sequence that it is of, as the warp numbers them, and the lane's group there.
template <int Slots>
class rows_slots {
public:
  __device__ __forceinline__ rows_slots(rows_shape const& shape, int lane, int there)
      : in_slot_(lane / shape.lanes),
        group_(lane - in_slot_ * shape.lanes)
  {
    if (shape.rows == 1) {
#pragma unroll
      for (int r = 0; r < Slots; ++r) set(r, r * shape.a_slot + in_slot_, 0, in_slot_ < shape.a_slot, there);
    } else {
      int sequence = 0, row = 0;
#pragma unroll
      for (int r = 0; r < Slots; ++r) {
        set(r, sequence, row, true, there);
        if (++row == shape.rows) {
          row = 0;
          ++sequence;
        }
      }
    }
  }
  /// The lane's group in its row.
  __device__ int group() const { return group_; }
  /// A sequence that is there, even if this slot is not one of it.
  __device__ int sequence(int r) const { return sequence_[r] & 0xffff; }
  __device__ int row(int r) const { return sequence_[r] >> 16 & 0xff; }
  __device__ bool has(int r) const { return sequence_[r] >= 0; }

private:
  __device__ void set(int r, int sequence, int row, bool has, int there)
  {
    bool const is_there = has && sequence < there;
    sequence_[r] = (is_there ? 0 : 1 << 31) | row << 16 | (sequence < there ? sequence : there - 1);
  }

  int in_slot_, group_;
  int sequence_[Slots];
};

/// The distances in one of the arrays of the sequences of each slot. They come before all accesses: nothing of several
/// dimensions stands between two loads.
template <std::ptrdiff_t distances::* Array, int Slots>
__device__ __forceinline__ void distances_of(batch_places const& where, std::size_t first,
                                             rows_slots<Slots> const& slots, std::ptrdiff_t (&at)[Slots])
{
  if (where.dimensions <= 1) {
    std::ptrdiff_t const step = where.steps[0].*Array, of_first = static_cast<std::ptrdiff_t>(first) * step;
#pragma unroll
    for (int r = 0; r < Slots; ++r) at[r] = of_first + slots.sequence(r) * step;
  } else {
#pragma unroll
    for (int r = 0; r < Slots; ++r)
      at[r] = distance_in_dimensions<Array>(where, first + static_cast<std::size_t>(slots.sequence(r)));
  }
}

template <class P, int Slots>
using rows_staging = staging_of<typename P::input::value_type, typename P::output::value_type, rows_warps,
                                Slots * order::row<typename P::element>>;

/// The elements of a warp's sequences in memory.
template <std::ptrdiff_t distances::* Array, class S>
struct elements_of_sequences {
  batch_places const& where;
  S* array;
  std::ptrdiff_t step;
  std::size_t first_sequence;
  int near_sequence, near_step;  ///< the distances, if they are near
  bool one_range;                ///< the sequences follow each other without a gap
  bool near;                     ///< all of the warp's elements are at distances of 32 bits

  __device__ __forceinline__ elements_of_sequences(batch_places const& places, S* of, std::ptrdiff_t along,
                                                   std::size_t first, int size)
      : where(places),
        array(of),
        step(along),
        first_sequence(first)
  {
    constexpr std::ptrdiff_t most = 1 << 18;  // of at most 2^12 elements
    std::ptrdiff_t const across = places.steps[0].*Array;
    bool const line = places.dimensions <= 1;
    if (line) array += static_cast<std::ptrdiff_t>(first) * across;
    one_range = line && along == 1 && (across == size || places.dimensions == 0);
    near = line && -most < across && across < most && -most < along && along < most;
    near_sequence = static_cast<int>(across);
    near_step = static_cast<int>(along);
  }
  __device__ __forceinline__ S& at_near(int sequence, int at) const
  {
    return array[sequence * near_sequence + at * near_step];
  }
  __device__ __forceinline__ S& at_any(int sequence, int at) const
  {
    std::ptrdiff_t const along = at * step;
    if (where.dimensions <= 1) return array[sequence * (where.steps[0].*Array) + along];
    return array[distance_in_dimensions<Array>(where, first_sequence + static_cast<std::size_t>(sequence)) + along];
  }
};

/// A warp's sequences: as many as its slots hold, at a time.
template <class P, int Slots>
class warp_rows {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  using stored = typename P::input::value_type;
  using result = typename P::output::value_type;
  using results = group_results<T, stored, Op, std::identity>;
  static constexpr int group = static_cast<int>(order::group<T>);
  static constexpr int row = static_cast<int>(order::row<T>);
  static constexpr int most = Slots * row;  ///< elements
  static constexpr bool has_staging = rows_staging<P, Slots>::fits;
  using elements = packed_group<stored, group>[Slots];

  /// `memory` is the warp's, for elements or results that are not aligned.
  __device__ __forceinline__ warp_rows(rows_problem<P> const& problem, unsigned char* memory)
      : problem_(problem),
        shape_(problem.shape),
        memory_(memory),
        size_(static_cast<int>(problem.size)),
        op_(problem.op)
  {
  }

  __device__ __forceinline__ bool reads_groups() const { return problem_.aligned_in && shape_.padded == size_; }

  /// Loads the sequences from `first` on. Groups beyond a sequence's last one are that one again, elements beyond its
  /// last one that one: the operator may be called with them, and nothing depends on them.
  __device__ __forceinline__ void load(elements& into, std::size_t first) const
  {
    int const there = there_from(first);
    rows_slots<Slots> const slots(shape_, lane(), there);
    if (reads_groups()) {
      std::ptrdiff_t at[Slots];
      distances_of<&distances::in>(problem_.where, first, slots, at);
      strided<stored const> const in{problem_.in, problem_.in_step};
#pragma unroll
      for (int r = 0; r < Slots; ++r)
        into[r].load_aligned(place_of_group<group>(in, static_cast<std::size_t>(first_of(slots, r))) + at[r]);
#pragma unroll
      for (int r = 0; r < Slots; ++r) into[r] = into[r].reversed_if(problem_.in_step < 0);
    } else if constexpr (has_staging) {
      auto* const own = reinterpret_cast<stored*>(memory_);
      elements_of_sequences<&distances::in, stored const> const from(problem_.where, problem_.in, problem_.in_step,
                                                                     first, size_);
      __syncwarp();  // the results before have been read
      if (from.one_range) {
        int const all = there * size_, gap = shape_.padded - size_;
        copy_up_to<most>(
            lane(), all, [&](int k) { return from.array[k < all ? k : all - 1]; },
            [&](int k, stored const& value) {
              if (k < all) own[k + quotient(k, shape_.by_size) * gap] = value;
            });
        __syncwarp();
        for (int s = lane(); s < there && gap > 0; s += warp_lanes) {
          stored* const end = own + s * shape_.padded + size_;
          for (int j = 0; j < gap; ++j) end[j] = end[-1];
        }
      } else {
        int const last = there * shape_.padded - 1;
        auto const copy = [&](auto const& at) {
          copy_up_to<most>(
              lane(), last + 1,
              [&](int k) {
                k = k < last ? k : last;
                int const sequence = quotient(k, shape_.by_padded);
                int const in_sequence = k - sequence * shape_.padded;
                return at(sequence, in_sequence < size_ ? in_sequence : size_ - 1);
              },
              [&](int k, stored const& value) { own[k] = value; });
        };
        if (from.near)
          copy([&](int sequence, int at) { return from.at_near(sequence, at); });
        else
          copy([&](int sequence, int at) { return from.at_any(sequence, at); });
      }
      __syncwarp();
#pragma unroll
      for (int r = 0; r < Slots; ++r)
        into[r].load_aligned(own + slots.sequence(r) * shape_.padded + first_of(slots, r));
      __syncwarp();
    } else {
#pragma unroll
      for (int r = 0; r < Slots; ++r) {
        auto const in = problem_.input_of(first + static_cast<std::size_t>(slots.sequence(r)));
#pragma unroll
        for (int j = 0; j < group; ++j) {
          int const at = first_of(slots, r) + j;
          into[r].set(j, in[at < size_ ? at : size_ - 1]);
        }
      }
    }
  }

  /// Scans or reduces the sequences from `first` on, which have been loaded.
  __device__ __forceinline__ void finish(elements& own, std::size_t first)
  {
    std::identity transform;
    int const there = there_from(first);
    rows_slots<Slots> const slots(shape_, lane(), there);
    left carries[Slots];  // before the sequences
    {
      left const of_all = first_carry<T>(problem_.init, op_);
#pragma unroll
      for (int r = 0; r < Slots; ++r) carries[r] = of_all;
    }
    if (problem_.initials != nullptr) {
      std::ptrdiff_t at[Slots];
      distances_of<&distances::initial>(problem_.where, first, slots, at);
#pragma unroll
      for (int r = 0; r < Slots; ++r) carries[r] = left::present(static_cast<W>(problem_.initials[at[r]]));
    }

    // The scan of the groups' totals of each row, over the lanes of a sequence.
    W totals[Slots];
#pragma unroll
    for (int r = 0; r < Slots; ++r) totals[r] = group_total<T>(own[r], transform, op_);
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      if (stride >= shape_.lanes) break;
      W neighbours[Slots];
#pragma unroll
      for (int r = 0; r < Slots; ++r) neighbours[r] = shuffle_up(totals[r], stride);
#pragma unroll
      for (int r = 0; r < Slots; ++r)
        totals[r] = select(stride <= slots.group(), static_cast<W>(op_(neighbours[r], totals[r])), totals[r]);
    }
    left before[Slots];
#pragma unroll
    for (int r = 0; r < Slots; ++r) {
      W const neighbour = shuffle_up(totals[r], 1);
      before[r] = select(slots.group() == 0, left::absent(op_, neighbour), left::present(neighbour));
    }
    if (shape_.rows > 1) {
      left rows_before = left::absent(op_, totals[0]);
#pragma unroll
      for (int r = 0; r < Slots; ++r) {
        rows_before = select(slots.row(r) == 0, left::absent(op_, totals[r]), rows_before);
        before[r] = rows_before.before(before[r], op_);
        rows_before = left::present(rows_before.before(shuffle_from(totals[r], warp_lanes - 1), op_));
      }
    }
#pragma unroll
    for (int r = 0; r < Slots; ++r) own[r].keep_packed();

    std::ptrdiff_t out_at[Slots];
    distances_of<&distances::out>(problem_.where, first, slots, out_at);
    int const last_row = shape_.rows - 1;
    int const last_lane = (size_ - 1 - last_row * row) / group, last_in_group = (size_ - 1) % group;
    auto const is_last = [&](int r) { return slots.has(r) && slots.row(r) == last_row && slots.group() == last_lane; };
    if (problem_.what == work::reduce) {
#pragma unroll
      for (int r = 0; r < Slots; ++r) {
        results values;
        values.scan(own[r], before[r], transform, op_);
        values.precede(carries[r], op_);
        if (is_last(r)) problem_.out[out_at[r]] = static_cast<result>(static_cast<T>(values.at(last_in_group)));
      }
      return;
    }
    bool const exclusive = problem_.what == work::exclusive_scan;
    bool const direct = problem_.aligned_out && shape_.padded == size_;
    W row_before_last = totals[0];  // of an exclusive scan: the last value of the slot before
#pragma unroll
    for (int r = 0; r < Slots; ++r) {
      results values;
      values.scan(own[r], before[r], transform, op_);
      values.precede(carries[r], op_);
      if (problem_.lasts != nullptr && is_last(r))
        problem_.put_last(first + static_cast<std::size_t>(slots.sequence(r)), values.at(last_in_group));
      if (exclusive) {
        W const last = values.last();
        W const neighbour = shuffle_up(last, 1);
        W const in_row = select(slots.row(r) == 0, carries[r].value, row_before_last);
        if (shape_.rows > 1) row_before_last = shuffle_from(last, warp_lanes - 1);
        values.shift(select(slots.group() == 0, in_row, neighbour));
      }
      auto const packed = values.template packed<result>();
      int const at = slots.row(r) * row + slots.group() * group;
      bool const has = slots.has(r) && at < size_;
      strided<result> const out{problem_.out + out_at[r], problem_.out_step};
      if (direct) {
        if (has) store_group(packed, out, static_cast<std::size_t>(at));
      } else if constexpr (has_staging) {
        if (has) packed.write_aligned(reinterpret_cast<result*>(memory_) + slots.sequence(r) * shape_.padded + at);
      } else {
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (has && at + j < size_) out[at + j] = packed.get(j);
      }
    }
    if constexpr (has_staging) {
      if (direct) return;
      __syncwarp();
      auto const* const from = reinterpret_cast<result const*>(memory_);
      elements_of_sequences<&distances::out, result> const to(problem_.where, problem_.out, problem_.out_step, first,
                                                              size_);
      int const all = there * size_, gap = shape_.padded - size_;
      auto const read = [&](int k) { return from[k < all ? k + quotient(k, shape_.by_size) * gap : 0]; };
      auto const copy = [&](auto const& at) {
        copy_up_to<most>(lane(), all, read, [&](int k, result const& value) {
          int const sequence = quotient(k, shape_.by_size);
          if (k < all) at(sequence, k - sequence * size_) = value;
        });
      };
      if (to.one_range)
        copy_up_to<most>(lane(), all, read, [&](int k, result const& value) {
          if (k < all) to.array[k] = value;
        });
      else if (to.near)
        copy([&](int sequence, int at) -> result& { return to.at_near(sequence, at); });
      else
        copy([&](int sequence, int at) -> result& { return to.at_any(sequence, at); });
    }
  }

private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ int there_from(std::size_t first) const
  {
    std::size_t const rest = problem_.sequences - first;
    return rest < static_cast<std::size_t>(shape_.a_warp) ? static_cast<int>(rest) : shape_.a_warp;
  }
  __device__ int first_of(rows_slots<Slots> const& slots, int r) const
  {
    int const at = slots.row(r) * row + slots.group() * group, last = shape_.padded - group;
    return at < last ? at : last;
  }

  rows_problem<P> const& problem_;
  rows_shape const& shape_;
  unsigned char* memory_;
  int size_;
  Op op_;
};

/// Each warp of a block takes `rounds` times its sequences, those of the block side by side. To load the next ahead
/// costs more than it hides: .70 of the copy at rows of 128 floats, .86 without.
template <class P, int Slots>
__global__ void __launch_bounds__(rows_warps* warp_lanes) rows_kernel(__grid_constant__ rows_problem<P> const problem)
{
  using rows = warp_rows<P, Slots>;
  take_turn();
  __shared__ typename rows_staging<P, Slots>::shared memory;
  unsigned char* staging = nullptr;
  std::size_t const warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  if constexpr (rows::has_staging) staging = memory.template of_warp<unsigned char>(static_cast<int>(warp));
  rows own(problem, staging);
  auto const a_warp = static_cast<std::size_t>(problem.shape.a_warp);
  std::size_t first =
      (static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(problem.rounds) * warps + warp) * a_warp;
  for (int round = 0; round < problem.rounds && first < problem.sequences; ++round, first += warps * a_warp) {
    typename rows::elements elements;
    own.load(elements, first);
    own.finish(elements, first);
  }
}

/// The same for sequences in one dimension whose groups are aligned and whole. Each has `Rows` slots of its warp, a
/// power of two, or shares one with others; the last of its slots may be beyond its end. Few instructions stand around
/// loads and stores: the general kernel reaches .92 of the copy, and .66 of the read.
template <class P, int Slots, int Rows>
__global__ void __launch_bounds__(rows_warps* warp_lanes, words_of<working_type<typename P::element>> <= 2 ? 2 : 1)
    aligned_rows_kernel(__grid_constant__ rows_problem<P> const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  using stored = typename P::input::value_type;
  using result = typename P::output::value_type;
  using results = group_results<T, stored, Op, std::identity>;
  constexpr int group = static_cast<int>(order::group<T>);
  constexpr int row = static_cast<int>(order::row<T>);
  static_assert(Slots % Rows == 0);
  take_turn();
  Op op = problem.op;
  std::identity transform;
  rows_shape const& shape = problem.shape;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const size = static_cast<int>(problem.size);
  int const in_slot = Rows > 1 ? 0 : lane / shape.lanes;
  int const group_in_row = Rows > 1 ? lane : lane - in_slot * shape.lanes;
  int const a_slot = Rows > 1 ? 1 : shape.a_slot;
  bool const is_used = in_slot < a_slot;  // lanes that are left over do as those of the last sequence do
  int const own_in_slot = is_used ? in_slot : a_slot - 1;
  constexpr int sequence_slots = Slots / Rows;  // slots with sequences of their own
  std::size_t const first =
      (static_cast<std::size_t>(blockIdx.x) * (blockDim.x / warp_lanes) + threadIdx.x / warp_lanes) *
      static_cast<std::size_t>(a_slot * sequence_slots);
  if (first >= problem.sequences) return;
  std::size_t const rest = problem.sequences - first;
  int const there =
      rest < static_cast<std::size_t>(a_slot * sequence_slots) ? static_cast<int>(rest) : a_slot * sequence_slots;
  // The sequence of slot r, as the warp numbers them: one that is there, even if the slot is not one of it.
  auto const sequence_of = [&](int r) {
    int const sequence = r / Rows * a_slot + own_in_slot;
    return sequence < there ? sequence : there - 1;
  };
  auto const is_there = [&](int r) { return is_used && r / Rows * a_slot + own_in_slot < there; };
  // Of slot r in a sequence: the first element of the lane's group, or of the last group if that is beyond it.
  auto const first_of = [&](int r) {
    int const at = r % Rows * row + group_in_row * group;
    return at <= size - group ? at : size - group;
  };
  auto const place = [&](auto* array, std::ptrdiff_t across, std::ptrdiff_t along, int r) {
    int const at = first_of(r);
    return array + sequence_of(r) * across + (along > 0 ? at : -at - (group - 1));
  };

  packed_group<stored, group> elements[Slots];
  {
    std::ptrdiff_t const across = problem.where.steps[0].in;
    stored const* const in = problem.in + static_cast<std::ptrdiff_t>(first) * across;
#pragma unroll
    for (int r = 0; r < Slots; ++r) elements[r].load_aligned(place(in, across, problem.in_step, r));
  }
  left carries[sequence_slots];
#pragma unroll
  for (int r = 0; r < sequence_slots; ++r) carries[r] = first_carry<T>(problem.init, op);
  bool const has_initial = problem.init.is_present || problem.initials != nullptr;
  if (problem.initials != nullptr) {
    std::ptrdiff_t const across = problem.where.steps[0].initial;
    T const* const from = problem.initials + static_cast<std::ptrdiff_t>(first) * across;
#pragma unroll
    for (int r = 0; r < sequence_slots; ++r)
      carries[r] = left::present(static_cast<W>(from[sequence_of(r * Rows) * across]));
  }
  if (problem.in_step < 0) {
#pragma unroll
    for (int r = 0; r < Slots; ++r) elements[r] = elements[r].reversed_if(true);
  }

  W totals[Slots];
#pragma unroll
  for (int r = 0; r < Slots; ++r) totals[r] = group_total<T>(elements[r], transform, op);
#pragma unroll
  for (int stride = 1; stride < warp_lanes; stride *= 2) {
    if (Rows == 1 && stride >= shape.lanes) break;
    W neighbours[Slots];
#pragma unroll
    for (int r = 0; r < Slots; ++r) neighbours[r] = shuffle_up(totals[r], stride);
#pragma unroll
    for (int r = 0; r < Slots; ++r)
      totals[r] = select(stride <= group_in_row, static_cast<W>(op(neighbours[r], totals[r])), totals[r]);
  }
  left before[Slots];
#pragma unroll
  for (int r = 0; r < Slots; ++r) {
    W const neighbour = shuffle_up(totals[r], 1);
    before[r] = select(group_in_row == 0, left::absent(op, neighbour), left::present(neighbour));
  }
  if constexpr (Rows > 1) {
#pragma unroll
    for (int s = 0; s < Slots; s += Rows) {
      left rows_before = left::present(shuffle_from(totals[s], warp_lanes - 1));
#pragma unroll
      for (int r = s + 1; r < s + Rows; ++r) {
        before[r] = rows_before.before(before[r], op);
        if (r + 1 < s + Rows)
          rows_before = left::present(rows_before.before(shuffle_from(totals[r], warp_lanes - 1), op));
      }
    }
  }
#pragma unroll
  for (int r = 0; r < Slots; ++r) elements[r].keep_packed();

  int const last_row = (size - 1) / row;
  int const last_lane = (size - 1 - last_row * row) / group, last_in_group = (size - 1) % group;
  auto const is_last = [&](int r) { return is_there(r) && r % Rows == last_row && group_in_row == last_lane; };
  if (problem.what == work::reduce) {
    std::ptrdiff_t const across = problem.where.steps[0].out;
    result* const out = problem.out + static_cast<std::ptrdiff_t>(first) * across;
#pragma unroll
    for (int r = 0; r < Slots; ++r) {
      if (!is_last(r)) continue;
      results values;
      values.scan(elements[r], before[r], transform, op);
      if (has_initial) values.precede(carries[r / Rows], op);
      out[sequence_of(r) * across] = static_cast<result>(static_cast<T>(values.at(last_in_group)));
    }
    return;
  }
  bool const exclusive = problem.what == work::exclusive_scan;
  std::ptrdiff_t const across = problem.where.steps[0].out;
  result* const out = problem.out + static_cast<std::ptrdiff_t>(first) * across;
  packed_group<result, group> packed[Slots];
  W row_before_last = totals[0];  // of an exclusive scan: the last value of the slot before
#pragma unroll
  for (int r = 0; r < Slots; ++r) {
    results values;
    values.scan(elements[r], before[r], transform, op);
    if (has_initial) values.precede(carries[r / Rows], op);
    if (problem.lasts != nullptr && is_last(r))
      problem.lasts[(static_cast<std::ptrdiff_t>(first) + sequence_of(r)) * problem.where.steps[0].last] =
          static_cast<T>(values.at(last_in_group));
    if (exclusive) {
      W const last = values.last();
      W const neighbour = shuffle_up(last, 1);
      W const in_row = r % Rows == 0 ? carries[r / Rows].value : row_before_last;
      if (Rows > 1) row_before_last = shuffle_from(last, warp_lanes - 1);
      values.shift(select(group_in_row == 0, in_row, neighbour));
    }
    packed[r] = values.template packed<result>();
  }
  if (problem.out_step < 0) {
#pragma unroll
    for (int r = 0; r < Slots; ++r) packed[r] = packed[r].reversed_if(true);
  }
#pragma unroll
  for (int r = 0; r < Slots; ++r)
    if (is_there(r) && r % Rows * row + group_in_row * group < size)
      packed[r].store_aligned(place(out, across, problem.out_step, r));
}

}  // namespace tally::cuda_backend
