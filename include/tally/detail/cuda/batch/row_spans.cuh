#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/batch/rows_kernel.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/results.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Batches of sequences of up to a strip that follow each other without a gap, and begin anywhere. A warp's sequences
/// are one span of memory. It comes to shared memory, and leaves it, in aligned words of 16 bytes; in between, lanes
/// read their groups wherever these begin.
namespace tally::cuda_backend {

/// The slots of a warp: a row of registers each, of which it has `span_batch` at a time.
inline constexpr int span_slots = 8;
inline constexpr int span_batch = 4;

template <class P>
struct spans_problem : P {
  rows_shape shape;
};

/// The shared memory of a warp's span. Results take the place of elements that have been read. They lie a word before
/// them, or behind them if the warp goes backwards: a sequence's results may begin at another place of a word than its
/// elements, and would else overwrite elements that have not been read.
template <class S>
class row_span {
public:
  static constexpr int group = 16 / static_cast<int>(sizeof(S));
  static constexpr int most = span_slots * warp_lanes * group;  ///< elements
  using packed = packed_group<S, group>;

  struct shared {
    uint4 words[span_slots * warp_lanes + 4];
  };

  __device__ __forceinline__ row_span(shared& memory, bool backwards)
      : elements_(reinterpret_cast<S*>(memory.words + (backwards ? 1 : 2))),
        results_(reinterpret_cast<S*>(memory.words + (backwards ? 2 : 1)))
  {
  }

  /// Loads `count` elements, one at least, from `from` on. `before` and `behind` them lie so many more of the input. A
  /// group of copies of the first one and of the last one lies on either side, for groups that are partial.
  __device__ __forceinline__ void load(S const* from, int count, std::size_t before, std::size_t behind)
  {
    int const gap = elements_into_word(from), all = gap + count, needed = (all + group - 1) / group;
    elements_ += gap;
    if (before >= static_cast<std::size_t>(gap) && behind >= static_cast<std::size_t>(needed * group - all)) {
      auto const* const words = reinterpret_cast<uint4 const*>(from - gap);
      auto* const to = reinterpret_cast<uint4*>(elements_ - gap);
#pragma unroll
      for (int j = 0; j < span_slots; ++j) {
        int const w = lane() + j * warp_lanes;
        if (w < needed) copy_asynchronously(to + w, words + w);
      }
      if (lane() == 0 && needed > span_slots * warp_lanes)
        copy_asynchronously(to + span_slots * warp_lanes, words + span_slots * warp_lanes);
      await_copies();
    } else {
#pragma unroll 4
      for (int k = lane(); k < count; k += warp_lanes) elements_[k] = from[k];
    }
    __syncwarp();
    if (lane() < group) {
      elements_[count + lane()] = elements_[count - 1];
      elements_[-1 - lane()] = elements_[0];
    }
    __syncwarp();
  }
  /// The group that begins at element k.
  __device__ __forceinline__ packed get(int k) const
  {
    packed result;
    if constexpr (sizeof(S) >= 4) {
#pragma unroll
      for (int j = 0; j < group; ++j) result.set(j, elements_[k + j]);
    } else {
      std::uint32_t const address = shared_address(elements_ + k);
      std::uint32_t x[5];
#pragma unroll
      for (int j = 0; j < 5; ++j) x[j] = load_part((address & ~3u) + 4 * j);
#pragma unroll
      for (int j = 0; j < 4; ++j) result.set_part(j, __funnelshift_r(x[j], x[j + 1], (address & 3) * 8));
    }
    return result;
  }

  /// Prepares for results that go to memory from `to` on.
  __device__ __forceinline__ void begin_results(S const* to) { results_ += elements_into_word(to); }
  /// The group's elements [first, last) become results k + first to k + last - 1.
  __device__ __forceinline__ void put(int k, packed const& values, int first, int last)
  {
    if constexpr (sizeof(S) >= 4) {
#pragma unroll
      for (int j = 0; j < group; ++j)
        if (j >= first && j < last) results_[k + j] = values.get(j);
    } else {
      constexpr int of_part = 4 / static_cast<int>(sizeof(S));
      std::uint32_t const address = shared_address(results_ + k);
      int const moved = static_cast<int>(address & 3) / static_cast<int>(sizeof(S)),
                bits = static_cast<int>(address & 3) * 8;
      S* const to = results_ + k - moved;
#pragma unroll
      for (int j = 0; j < 5; ++j) {
        std::uint32_t const part =
            __funnelshift_l(j > 0 ? values.part(j > 0 ? j - 1 : 0) : 0, j < 4 ? values.part(j < 4 ? j : 0) : 0, bits);
        int const begin = first + moved - j * of_part, end = last + moved - j * of_part;  // what is there of the part
        if (begin <= 0 && end >= of_part) {
          *reinterpret_cast<std::uint32_t*>(to + j * of_part) = part;
        } else if (begin < of_part && end > 0) {
          packed_group<S, of_part> some;
          some.set_part(0, part);
#pragma unroll
          for (int i = 0; i < of_part; ++i)
            if (i >= begin && i < end) to[j * of_part + i] = some.get(i);
        }
      }
    }
  }
  /// Writes `count` results. Words that others have a part of are written by elements.
  __device__ __forceinline__ void store(S* to, int count) const
  {
    __syncwarp();
    int const gap = elements_into_word(to), all = gap + count, lowest = gap > 0 ? 1 : 0, whole = all / group;
    S* const first = to - gap;
    S const* const from = results_ - gap;
#pragma unroll
    for (int j = 0; j <= span_slots; ++j) {
      int const w = lane() + j * warp_lanes;
      if (w >= lowest && w < whole) {
        packed word;
        word.load_aligned(from + w * group);
        word.store_aligned(first + w * group);
      }
    }
    if (lane() < group) {
      if (lowest > 0 && lane() >= gap && lane() < all) first[lane()] = from[lane()];
      int const late = whole * group + lane();
      if (whole >= lowest && late < all) first[late] = from[late];
    }
  }

private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ __forceinline__ static std::uint32_t load_part(std::uint32_t address)
  {
    std::uint32_t part;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(part) : "r"(address) : "memory");
    return part;
  }

  S* elements_;
  S* results_;
};

/// The calls that a kernel is compiled for, none with last values. Inclusive scans and reductions of these have no
/// initial values; all but `backwards`, an inclusive scan, run forwards. They take fewer instructions than any call
/// does: exclusive scans of 65 floats reach .81 of the copy for .74, of 129 .73 for .63, backwards .81 for .65.
enum class span_call { inclusive, exclusive, backwards, reduction, any };

/// `OneRow`: sequences of a row at most lie side by side in a slot. Others take a slot for each of their rows.
template <class P, bool OneRow, span_call Call>
__global__ void __launch_bounds__(rows_warps* warp_lanes, words_of<working_type<typename P::element>> == 1 ? 4 : 3)
    spans_kernel(__grid_constant__ spans_problem<P> const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using left = left_operand<W, Op>;
  using stored = typename P::input::value_type;
  using results = group_results<T, stored, Op, std::identity>;
  using span = row_span<stored>;
  constexpr int group = span::group, row = static_cast<int>(order::row<T>), batch = span_batch;
  take_turn();
  __shared__ typename span::shared memory[rows_warps];
  Op op = problem.op;
  std::identity transform;
  rows_shape const& shape = problem.shape;
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const size = static_cast<int>(problem.size);
  auto const a_warp = static_cast<std::size_t>(shape.a_warp);
  std::size_t const first = (static_cast<std::size_t>(blockIdx.x) * (blockDim.x / warp_lanes) + warp) * a_warp;
  if (first >= problem.sequences) return;
  std::size_t const rest = problem.sequences - first;
  int const there = rest < a_warp ? static_cast<int>(rest) : shape.a_warp, end = there * size;
  // A sequence that runs backwards has its first element at its highest place; the warp takes the last one first. So
  // places count from the end.
  constexpr bool any = Call == span_call::any;
  bool const backwards = Call == span_call::backwards || (any && problem.in_step < 0);
  int const sign = backwards ? -1 : 1, first_place = backwards ? end - group : 0,
            first_index = backwards ? there - 1 : 0;
  work const what = any                            ? problem.what
                    : Call == span_call::reduction ? work::reduce
                    : Call == span_call::exclusive ? work::exclusive_scan
                                                   : work::inclusive_scan;
  std::ptrdiff_t const before_first = static_cast<std::ptrdiff_t>(first) * size;
  span own(memory[warp], backwards);
  {
    auto const unit = static_cast<std::size_t>(size);
    own.load(problem.in + before_first - (backwards ? size - 1 : 0), end, first * unit,
             (rest - static_cast<std::size_t>(there)) * unit);
  }
  stored* const to = problem.out + before_first - (backwards ? size - 1 : 0);
  if (what != work::reduce) own.begin_results(to);

  // The lane's group in a slot, and what is there of it in a sequence's last row.
  int const a_slot = OneRow ? shape.a_slot : 1, in_slot = OneRow ? lane / shape.lanes : 0;
  bool const is_used = in_slot < a_slot;
  int const own_in_slot = is_used ? in_slot : a_slot - 1;
  int const group_in_row = OneRow ? lane - in_slot * shape.lanes : lane;
  int const last_row = OneRow ? 0 : shape.rows - 1;
  int const last_lane = (size - 1 - last_row * row) / group, last_in_group = (size - 1) % group;
  int const in_row = own_in_slot * size + group_in_row * group;
  int const in_last_row = OneRow || group_in_row < last_lane ? in_row : last_lane * group;
  int const left_over = !is_used || group_in_row > last_lane ? 0 : group_in_row < last_lane ? group : last_in_group + 1;
  constexpr bool initial = any || Call == span_call::exclusive;
  bool const has_initial = initial && (problem.init.is_present || problem.initials != nullptr);
  bool const exclusive = what == work::exclusive_scan;

  left rows_before = first_carry<T>(problem.init, op);
  W row_before_last = rows_before.value;  // of an exclusive scan: the last value of the slot before
  // Of the next slot: its first sequence, its row there, and the place of that row.
#pragma unroll 1
  for (int sequence = 0, row_of = 0, place = 0; sequence < there;) {
    int at[batch], index[batch], here[batch];  // the group's place, its sequence, and its elements that are there
    bool begins[batch], ends[batch];
    packed_group<stored, group> elements[batch];
#pragma unroll
    for (int r = 0; r < batch; ++r) {
      begins[r] = OneRow || row_of == 0;
      ends[r] = OneRow || row_of == last_row;
      index[r] = sequence + own_in_slot;
      at[r] = place + (ends[r] ? in_last_row : in_row);
      if (at[r] >= end) at[r] = end - 1;
      here[r] = index[r] >= there ? 0 : ends[r] ? left_over : group;
      at[r] = first_place + sign * at[r];
      index[r] = first_index + sign * index[r];
      if (OneRow || ends[r]) {
        place += OneRow ? a_slot * size : size - last_row * row;
        sequence += a_slot;
        row_of = 0;
      } else {
        place += row;
        ++row_of;
      }
      elements[r] = own.get(at[r]);
    }
    if (backwards) {
#pragma unroll
      for (int r = 0; r < batch; ++r) elements[r] = elements[r].reversed_if(true);
    }
    left carries[batch];
#pragma unroll
    for (int r = 0; r < batch; ++r) carries[r] = first_carry<T>(problem.init, op);
    if (initial && problem.initials != nullptr) {
#pragma unroll
      for (int r = 0; r < batch; ++r) {
        int const known = index[r] < 0 ? 0 : index[r] < there ? index[r] : there - 1;
        std::ptrdiff_t const k = (static_cast<std::ptrdiff_t>(first) + known) * problem.where.steps[0].initial;
        carries[r] = left::present(static_cast<W>(problem.initials[k]));
      }
    }

    W totals[batch];
#pragma unroll
    for (int r = 0; r < batch; ++r) totals[r] = group_total<T>(elements[r], transform, op);
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      if (OneRow && stride >= shape.lanes) break;
      W neighbours[batch];
#pragma unroll
      for (int r = 0; r < batch; ++r) neighbours[r] = shuffle_up(totals[r], stride);
#pragma unroll
      for (int r = 0; r < batch; ++r)
        totals[r] = select(stride <= group_in_row, static_cast<W>(op(neighbours[r], totals[r])), totals[r]);
    }
    left before[batch];
#pragma unroll
    for (int r = 0; r < batch; ++r) {
      W const neighbour = shuffle_up(totals[r], 1);
      before[r] = select(group_in_row == 0, left::absent(op, neighbour), left::present(neighbour));
    }
    if constexpr (!OneRow) {
#pragma unroll
      for (int r = 0; r < batch; ++r) {
        rows_before = select(begins[r], left::absent(op, totals[r]), rows_before);
        before[r] = rows_before.before(before[r], op);
        rows_before = left::present(rows_before.before(shuffle_from(totals[r], warp_lanes - 1), op));
      }
    }
#pragma unroll
    for (int r = 0; r < batch; ++r) elements[r].keep_packed();
    if (what == work::reduce) {
#pragma unroll
      for (int r = 0; r < batch; ++r) {
        if (!ends[r] || here[r] == 0 || group_in_row != last_lane) continue;
        results values;
        values.scan(elements[r], before[r], transform, op);
        if (has_initial) values.precede(carries[r], op);
        problem.out[(static_cast<std::ptrdiff_t>(first) + index[r]) * problem.where.steps[0].out] =
            static_cast<stored>(static_cast<T>(values.at(last_in_group)));
      }
      continue;
    }
    __syncwarp();  // the elements of these slots have been read
#pragma unroll
    for (int r = 0; r < batch; ++r) {
      results values;
      values.scan(elements[r], before[r], transform, op);
      if (has_initial) values.precede(carries[r], op);
      if (any && problem.lasts != nullptr && ends[r] && here[r] > 0 && group_in_row == last_lane)
        problem.lasts[(static_cast<std::ptrdiff_t>(first) + index[r]) * problem.where.steps[0].last] =
            static_cast<T>(values.at(last_in_group));
      if (exclusive) {
        W const last = values.last();
        W const neighbour = shuffle_up(last, 1);
        W const value_before = OneRow ? carries[r].value : select(begins[r], carries[r].value, row_before_last);
        if constexpr (!OneRow) row_before_last = shuffle_from(last, warp_lanes - 1);
        values.shift(select(group_in_row == 0, value_before, neighbour));
      }
      auto packed = values.template packed<stored>();
      if (backwards) {
        packed = packed.reversed_if(true);
        own.put(at[r], packed, group - here[r], group);
      } else {
        own.put(at[r], packed, 0, here[r]);
      }
    }
  }
  if (what != work::reduce) own.store(to, end);
}

}  // namespace tally::cuda_backend
