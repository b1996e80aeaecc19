#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/cuda/handover.hpp"
#include "tally/cuda/left_operand.cuh"
#include "tally/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// An initial value in the types that the order needs it in.
template <class T, class Op>
struct initial_value {
  bool there;
  working_type<T> value;
  carry_type<Op, T> wide;
};

/// The first `count` totals at `words`, 32 to a register, on their way to one warp.
template <class W, int Registers>
class awaited_totals {
public:
  /// Asks for them; returns at once.
  __device__ __forceinline__ awaited_totals(int count, std::uint64_t const* words, int lane)
      : words_(words),
        lane_(lane)
  {
#pragma unroll
    for (int s = 0; s < Registers; ++s)
      if (s * warp_lanes + lane < count) missing_ |= 1u << s;
    ask();
  }

  /// Waits until all are there. Those that were not asked for stay as they are.
  __device__ __forceinline__ void wait(W (&totals)[Registers], std::uint32_t epoch)
  {
    for (;;) {
#pragma unroll
      for (int s = 0; s < Registers; ++s)
        if ((missing_ >> s & 1u) != 0 && read_[s].decode(totals[s], epoch)) missing_ &= ~(1u << s);
      if (__all_sync(whole_warp, missing_ == 0)) return;
      __nanosleep(100);  // no difference to 20 measured
      ask();
    }
  }

private:
  __device__ __forceinline__ void ask()
  {
#pragma unroll
    for (int s = 0; s < Registers; ++s)
      if ((missing_ >> s & 1u) != 0) read_[s].load(words_ + (s * warp_lanes + lane_) * words_of<W>);
  }

  read_words<W> read_[Registers];
  std::uint64_t const* words_;
  int lane_;
  unsigned missing_ = 0;
};

/// One warp's fold of the totals of all tiles, in the order of docs/order.md: totals within spans and spans over the array, in the
/// carry type. Every block folds all totals for itself, as they appear, so no carry is handed over: two hops would cost
/// more than reading eight bytes for each 32 KiB.
///
/// The totals of up to `Window` whole spans are folded side by side, a span a lane. What comes after the last whole span is folded
/// by all lanes alike, so that little is left to do when the last total appears.
template <class T, class Op, int Window>
class carry_fold {
public:
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;

  static constexpr int window = Window;
  static constexpr int span = static_cast<int>(order::span_tiles);
  static_assert(span == warp_lanes && Window <= warp_lanes);

  struct shared {
    C totals[Window][span + 1];  // one more, so that lanes that each read a row of their own meet different banks
    C folds[Window];
  };

  /// What precedes a tile.
  struct before {
    left carry;     ///< the carry of the tile
    left previous;  ///< the inclusive value at the element before the tile; that of n tiles is the reduction
  };

  __device__ carry_fold(initial_value<T, Op> const& init, Op& op)
      : init_(init.there ? left::present(init.value) : left::absent(op, init.value)),
        spans_(init.there ? wide_left::present(init.wide) : wide_left::absent(op, init.wide))
  {
  }

  /// What precedes `tile`, for the whole warp; waits until the totals before it are published. Tiles must not decrease.
  __device__ __forceinline__ before advance(std::uint32_t tile, std::uint64_t const* words, std::uint32_t epoch,
                                            shared& memory, Op& op)
  {
    if (tile == 0) return {init_, init_};
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    std::uint32_t const last_span = (tile - 1) / span;  // of the tile before
    int const count = static_cast<int>(tile - last_span * span);
    // Asked for before the whole spans are, so that the two round trips are one.
    awaited_totals<W, 1> rest(count, words + static_cast<std::size_t>(last_span) * span * words_of<W>, lane);
    while (first_span_ < last_span) {
      std::uint32_t const spans = last_span - first_span_;
      int const whole = spans < Window ? static_cast<int>(spans) : Window;
      fold_spans(first_span_, whole, words, epoch, lane, memory, op);
      __syncwarp();
      append(memory.folds, whole, op);
      __syncwarp();
    }

    // 1 .. 32 totals are left.
    W totals[1] = {init_.value};
    rest.wait(totals, epoch);
    memory.totals[0][lane] = static_cast<C>(totals[0]);
    __syncwarp();
    wide_left fold = wide_left::absent(op, memory.totals[0][0]);
    constexpr int batch = 8;
#pragma unroll 1
    for (int k = 0; k < count - 1; k += batch) {
      C some[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) some[j] = memory.totals[0][k + j];
#pragma unroll
      for (int j = 0; j < batch; ++j)
        if (k + j < count - 1) fold = wide_left::present(fold.before(some[j], op));
    }
    W const last_total = shuffle_from(totals[0], count - 1);
    left const carry_of_last = narrow(spans_.before(fold, op), op);
    fold = wide_left::present(fold.before(memory.totals[0][count - 1], op));
    wide_left const all = spans_.before(fold, op);
    if (count == span) {
      spans_ = all;
      first_span_ = last_span + 1;
    }
    __syncwarp();
    return {narrow(all, op), left::present(carry_of_last.before(last_total, op))};
  }

  /// Folds the whole spans before `last_span` with all warps of a block, each as many at a time as fit its window. One warp alone is slower
  /// than all other blocks together.
  template <int Warps>
  __device__ __forceinline__ void advance_spans(std::uint32_t last_span, std::uint64_t const* words,
                                                std::uint32_t epoch, shared (&memory)[Warps], Op& op)
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    int const warp = static_cast<int>(threadIdx.x) / warp_lanes;
    auto const count_of = [&](int other) {
      std::uint32_t const begin = first_span_ + other * Window;
      std::uint32_t const rest = begin < last_span ? last_span - begin : 0;
      return rest < Window ? static_cast<int>(rest) : Window;
    };
    while (first_span_ < last_span) {
      fold_spans(first_span_ + warp * Window, count_of(warp), words, epoch, lane, memory[warp], op);
      __syncthreads();
#pragma unroll 1
      for (int w = 0; w < Warps; ++w)
        append(memory[w].folds, count_of(0), op);  // of what is left, which append makes less
      __syncthreads();
    }
  }

private:
  /// Folds each of `count` whole spans, a span a lane.
  __device__ __forceinline__ void fold_spans(std::uint32_t first, int count, std::uint64_t const* words,
                                             std::uint32_t epoch, int lane, shared& memory, Op& op) const
  {
    W totals[Window];
#pragma unroll
    for (int s = 0; s < Window; ++s) totals[s] = init_.value;
    awaited_totals<W, Window> all(count * span, words + static_cast<std::size_t>(first) * span * words_of<W>, lane);
    all.wait(totals, epoch);
#pragma unroll
    for (int s = 0; s < Window; ++s) memory.totals[s][lane] = static_cast<C>(totals[s]);
    __syncwarp();
    if (lane < count) {
      C const* const own = memory.totals[lane];
      C fold = own[0];
#pragma unroll
      for (int k = 1; k < span; ++k) fold = static_cast<C>(op(fold, own[k]));
      memory.folds[lane] = fold;
    }
  }

  /// Takes the folds of the next `count` spans.
  __device__ __forceinline__ void append(C const (&folds)[Window], int count, Op& op)
  {
#pragma unroll 4
    for (int s = 0; s < count; ++s) spans_ = wide_left::present(spans_.before(folds[s], op));
    first_span_ += count;
  }

  /// A wide value as an element: the one rounding of a carry.
  __device__ left narrow(wide_left const& wide, Op& op) const
  {
    W const value = static_cast<W>(wide.value);
    return wide.is_present() ? left::present(value) : left::absent(op, value);
  }

  left init_;
  wide_left spans_;  // the initial value and the spans before first_span_
  std::uint32_t first_span_ = 0;
};

/// In a scan: as many spans as lie between two tiles of a block where 132 blocks work.
template <class T, class Op>
using scan_fold = carry_fold<T, Op, 5>;

/// In a reduction, for each warp of the block that folds: what its registers hold without spilling.
template <class T, class Op>
using reduction_fold =
    carry_fold<T, Op, words_of<working_type<T>> <= 4 ? 8 / static_cast<int>(words_of<working_type<T>>) : 1>;

}  // namespace tally::cuda_backend
