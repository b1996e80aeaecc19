#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/batch/rows_kernel.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Reductions of rows of up to a strip, which may begin anywhere in memory. The value at a row's last element has two
/// parts: the folds of the groups before the last group, which are balanced trees if the groups end at a warp's last
/// lane, and the last group alone. So a warp needs the totals of groups, but no scan.
namespace tally::cuda_backend {

/// The places of sequences in the slots of a warp: rows of registers, a group a lane. A sequence's groups but the last
/// lie at the end of its lanes; the lanes before them have the operator's identity.
struct totals_shape {
  int groups;        ///< of a sequence, but the last one; one at least
  int width;         ///< lanes of a sequence in a slot, a power of two
  int slots;         ///< of a sequence; with several of them the width is 32
  int absent;        ///< lanes before the groups in the last slot of a sequence
  int a_slot;        ///< sequences
  int a_warp;        ///< likewise
  int last;          ///< elements of the last group
  int across_bytes;  ///< from a sequence to the next one
};
inline constexpr int totals_slots = 8;

/// Requires  2 groups at least, and at most `totals_slots` rows before the last group.
template <class T>
constexpr totals_shape totals_shape_of(std::size_t size, std::ptrdiff_t across_bytes)
{
  constexpr int group = static_cast<int>(order::group<T>), lanes = static_cast<int>(order::row_groups);
  totals_shape shape{};
  shape.groups = static_cast<int>(size - 1) / group;
  shape.last = static_cast<int>(size) - shape.groups * group;
  shape.slots = (shape.groups + lanes - 1) / lanes;
  shape.width = shape.slots > 1 ? lanes : static_cast<int>(std::bit_ceil(static_cast<unsigned>(shape.groups)));
  shape.absent = (shape.slots - 1) * lanes + shape.width - shape.groups;
  shape.a_slot = lanes / shape.width;
  shape.a_warp = shape.slots == 1 ? totals_slots * shape.a_slot : totals_slots / shape.slots;
  shape.across_bytes = static_cast<int>(across_bytes);
  return shape;
}

template <class P>
struct totals_problem : P {
  totals_shape shape;
};

/// Combines eight values of each lane, each over groups of `Width` lanes or, with 8, of `width`, which is 8, 16 or 32.
/// With each of the first steps half of the values stay in half of the lanes; see row_trees.
template <int Width, class W, class Op>
class trees {
public:
  static constexpr int kept = 8 / Width;
  W totals[kept];

  __device__ __forceinline__ trees(W const (&values)[8], int lane, int width, Op& op)
  {
    W rest[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) rest[k] = values[k];
#pragma unroll
    for (int stride = 1, half = 4; stride < Width; stride *= 2, half /= 2) {
      bool const upper = (lane & stride) != 0;
#pragma unroll
      for (int k = 0; k < half; ++k)
        rest[k] =
            meet(select(upper, rest[k + half], rest[k]), select(upper, rest[k], rest[k + half]), lane, stride, op);
    }
    if (Width == 8 && width > 8) rest[0] = meet(rest[0], rest[0], lane, 8, op);
    if (Width == 8 && width > 16) rest[0] = meet(rest[0], rest[0], lane, 16, op);
#pragma unroll
    for (int k = 0; k < kept; ++k) totals[k] = rest[k];
  }
  /// The number of the value of which a lane has the total in `totals[k]`.
  __device__ static int value_of(int lane, int k)
  {
    int value = k;
    if (Width > 1) value |= (lane & 1) << 2;
    if (Width > 2) value |= lane & 2;
    if (Width > 4) value |= lane >> 2 & 1;
    return value;
  }

private:
  /// A lane keeps `kept` and sends `sent` to the lane across bit `stride`; lower lanes are left operands.
  __device__ __forceinline__ static W meet(W const& kept, W const& sent, int lane, int stride, Op& op)
  {
    W const received = shuffle_xor(sent, stride);
    if constexpr (commutative<Op, W>)
      return static_cast<W>(op(kept, received));
    else
      return static_cast<W>((lane & stride) != 0 ? op(received, kept) : op(kept, received));
  }
};

/// Loads a group of neighbouring elements that lie anywhere, from aligned words of four bytes at most. Where elements
/// are smaller than these, `near` says that four bytes before and eight behind the group can be read too.
template <class S, int Count>
__device__ __forceinline__ void load_anywhere(packed_group<S, Count>& group, S const* from, bool near)
{
  if constexpr (sizeof(S) < 4) {
    if (near) {
      auto const address = reinterpret_cast<std::uintptr_t>(from);
      auto const* const words = reinterpret_cast<std::uint32_t const*>(address & ~std::uintptr_t{3});
      unsigned const bits = static_cast<unsigned>(address & 3) * 8;
      std::uint32_t x[5];
#pragma unroll
      for (int k = 0; k < 5; ++k) x[k] = words[k];
#pragma unroll
      for (int k = 0; k < 4; ++k) group.set_part(k, __funnelshift_r(x[k], x[k + 1], bits));
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < Count; ++j) group.set(j, from[j]);
}

/// `OneRow`: sequences that take one slot at most, several of them side by side. Others take several slots.
template <class P, bool OneRow>
__global__ void __launch_bounds__(rows_warps* warp_lanes, words_of<working_type<typename P::element>> == 1 ? 4 : 3)
    row_totals_kernel(__grid_constant__ totals_problem<P> const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using stored = typename P::input::value_type;
  using result = typename P::output::value_type;
  constexpr int group = static_cast<int>(order::group<T>), row = static_cast<int>(order::row<T>);
  take_turn();
  Op op = problem.op;
  std::identity transform;
  totals_shape const& shape = problem.shape;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::size_t const first =
      (static_cast<std::size_t>(blockIdx.x) * (blockDim.x / warp_lanes) + threadIdx.x / warp_lanes) *
      static_cast<std::size_t>(shape.a_warp);
  if (first >= problem.sequences) return;
  std::size_t const rest = problem.sequences - first;
  int const there = rest < static_cast<std::size_t>(shape.a_warp) ? static_cast<int>(rest) : shape.a_warp;
  std::ptrdiff_t const across = problem.where.steps[0].in;
  stored const* const in = problem.in + static_cast<std::ptrdiff_t>(first) * across;
  bool const backwards = problem.in_step < 0;
  int const step = backwards ? -1 : 1;
  auto const place = [&](int sequence, int at) {
    auto const* const of = reinterpret_cast<char const*>(in + at * step);
    return reinterpret_cast<stored const*>(of + static_cast<std::ptrdiff_t>(sequence) * shape.across_bytes);
  };

  int const absent = shape.absent;
  int const in_slot = OneRow ? lane / shape.width : 0;
  int const lane_there = OneRow ? lane % shape.width - absent : lane - absent;  // in the last slot of a sequence
  packed_group<stored, group> elements[totals_slots];
  {
    stored const* from[totals_slots];
    int const at_last = (lane_there > 0 ? lane_there : 0) * group + (OneRow ? 0 : (shape.slots - 1) * row);
    int sequence = 0, slot = 0;
#pragma unroll
    for (int r = 0; r < totals_slots; ++r) {
      if constexpr (OneRow) {
        int const own = r * shape.a_slot + in_slot;
        from[r] = place(own < there ? own : there - 1, at_last);
      } else {
        bool const ends = slot == shape.slots - 1;
        from[r] = place(sequence < there ? sequence : there - 1, ends ? at_last : slot * row + lane * group);
        slot = ends ? 0 : slot + 1;
        sequence += ends ? 1 : 0;
      }
      if (backwards) from[r] -= group - 1;
    }
    if (problem.aligned_in) {
#pragma unroll
      for (int r = 0; r < totals_slots; ++r) elements[r].load_aligned(from[r]);
    } else {
      bool near = true;
      if constexpr (sizeof(stored) < 4) {
        std::ptrdiff_t const to_last = static_cast<std::ptrdiff_t>(there - 1) * across,
                             in_sequence = static_cast<std::ptrdiff_t>(problem.size - 1) * step;
        auto const* const low = in + (to_last < 0 ? to_last : 0) + (backwards ? in_sequence : 0);
        auto const* const high = in + (to_last > 0 ? to_last : 0) + (backwards ? 0 : in_sequence) + 1;
        near = problem.has_in(reinterpret_cast<unsigned char const*>(low) - 4) &&
               problem.has_in(reinterpret_cast<unsigned char const*>(high) + 7);
      }
      if (near) {
#pragma unroll
        for (int r = 0; r < totals_slots; ++r) load_anywhere(elements[r], from[r], true);
      } else {
#pragma unroll
        for (int r = 0; r < totals_slots; ++r) load_anywhere(elements[r], from[r], false);
      }
    }
  }
  // The last groups of sequences, and the results that these make of the folds before them.
  auto const load_last = [&](packed_group<stored, group>& last, int sequence) {
    stored const* const from = place(sequence < there ? sequence : there - 1, shape.groups * group);
    if (problem.aligned_in && shape.last == group) {
      last.load_aligned(backwards ? from - (group - 1) : from);
      last = last.reversed_if(backwards);
    } else {
#pragma unroll
      for (int j = 0; j < group; ++j)
        if (j < shape.last) last.set(j, from[j * step]);
    }
  };
  auto const finish = [&](W value, packed_group<stored, group> const& last, int number) {
    if (number >= there) return;
    W of_last = element_of<T>(last.get(0), transform);
#pragma unroll
    for (int j = 1; j < group; ++j)
      if (j < shape.last) of_last = static_cast<W>(op(of_last, element_of<T>(last.get(j), transform)));
    value = static_cast<W>(op(value, of_last));
    auto const sequence = static_cast<std::ptrdiff_t>(first) + number;
    if (problem.init.is_present) value = static_cast<W>(op(problem.init.value, value));
    if (problem.initials != nullptr)
      value = static_cast<W>(op(static_cast<W>(problem.initials[sequence * problem.where.steps[0].initial]), value));
    problem.out[sequence * problem.where.steps[0].out] = static_cast<result>(static_cast<T>(value));
  };
  packed_group<stored, group> last;
  bool const narrow = OneRow && shape.width < 8;
  if (!narrow && lane < there) load_last(last, lane);
  if (backwards) {
#pragma unroll
    for (int r = 0; r < totals_slots; ++r) elements[r] = elements[r].reversed_if(true);
  }

  W totals[totals_slots];
#pragma unroll
  for (int r = 0; r < totals_slots; ++r) totals[r] = group_total<T>(elements[r], transform, op);
  if (absent > 0) {
    W const nothing = identity_of<W>(op);
    bool const is_absent = lane_there < 0;
    int slot = 0;
#pragma unroll
    for (int r = 0; r < totals_slots; ++r) {
      bool const ends = OneRow || slot == shape.slots - 1;
      totals[r] = select(ends && is_absent, nothing, totals[r]);
      slot = ends ? 0 : slot + 1;
    }
  }
  if constexpr (OneRow) {
    auto const in_place = [&](auto width) {
      trees<decltype(width)::value, W, Op> const found(totals, lane, shape.width, op);
      packed_group<stored, group> ends[found.kept];
      int number[found.kept];
#pragma unroll
      for (int k = 0; k < found.kept; ++k) {
        number[k] = found.value_of(lane, k) * shape.a_slot + in_slot;
        load_last(ends[k], number[k]);
      }
#pragma unroll
      for (int k = 0; k < found.kept; ++k) finish(found.totals[k], ends[k], number[k]);
    };
    if (shape.width == 1) return in_place(std::integral_constant<int, 1>{});
    if (shape.width == 2) return in_place(std::integral_constant<int, 2>{});
    if (shape.width == 4) return in_place(std::integral_constant<int, 4>{});
  }

  // Lane k ends sequence k: it folds the totals of its slots, and adds the last group.
  W const total = trees<8, W, Op>(totals, lane, OneRow ? shape.width : warp_lanes, op).totals[0];
  int const own = lane < there ? lane : there - 1;
  W value;
  if constexpr (OneRow) {
    int const slot = own / shape.a_slot, beside = own - slot * shape.a_slot;
    value = shuffle_from(total, beside * shape.width + value_of_lane(slot));
  } else {
    int const slot = own * shape.slots;
    value = shuffle_from(total, value_of_lane(slot));
#pragma unroll 1
    for (int k = 1; k < shape.slots; ++k)
      value = static_cast<W>(op(value, shuffle_from(total, value_of_lane(slot + k))));
  }
  finish(value, last, lane);
}

}  // namespace tally::cuda_backend
