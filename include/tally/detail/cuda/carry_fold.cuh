#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/awaited_totals.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// An initial value, in both types that the order uses.
template <class T, class Op>
struct initial_value {
  bool is_present;
  working_type<T> value;
  carry_type<Op, T> wide;
};

/// One warp's fold of the totals of all tiles, in the order of docs/order.md: totals within spans and spans over the
/// array, in the carry type. Every block folds all totals for itself, as they appear, and hands no carry over: two hops
/// would cost more than to read eight bytes for each 32 KiB.
///
/// The totals of `Window` spans are folded side by side, each by one lane; the last span may be partial. `AtATime`
/// spans, a divisor of `Window`, are on their way to registers together.
template <class T, class Op, int Window, int AtATime = Window, unsigned LongestSleep = 128>
class carry_fold {
public:
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;

  static constexpr int span = static_cast<int>(order::span_tiles);
  static_assert(span == warp_lanes && Window <= warp_lanes && Window % AtATime == 0);

  /// The number of tiles that `advance_together` can fold.
  template <int Warps>
  static constexpr std::uint32_t most_tiles = Warps * Window * span;

  struct shared {
    W totals[Window][span + 1];  // padded, so that lanes that each read a row of their own meet different banks
    C folds[Window];
    wide_left all_but_the_last;  // of the totals of the last span that was folded; last_total is that last one
    W last_total;
  };

  template <int Warps>
  struct reduction_shared {
    shared warps[Warps - 1];
    C folds[2][Warps - 1][Window];  // of a round, and of the one before
    std::uint32_t late[2];          // likewise; the first tile whose total is late, or the number of tiles
  };

  /// The values before a tile.
  struct before {
    left carry;     ///< the carry of the tile
    left previous;  ///< the inclusive value at the element before the tile; that of n tiles is the reduction
  };

  __device__ carry_fold(initial_value<T, Op> const& init, Op& op)
      : init_(init.is_present ? left::present(init.value) : left::absent(op, init.value)),
        spans_(init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide))
  {
  }

  /// The values before `tile`, for the whole warp. Waits until the totals before it are published. Tiles must not
  /// decrease from call to call.
  __device__ __forceinline__ before advance(std::uint32_t tile, std::uint64_t const* words, std::uint32_t epoch,
                                            shared& memory, Op& op)
  {
    if (tile == 0) return {init_, init_};
    std::uint32_t const last_span = (tile - 1) / span;  // of the tile before
    while (last_span - first_span_ >= Window) {
      fold_all(first_span_, Window * span, words, epoch, memory, op);
      append(memory.folds, Window, op);
      __syncwarp();
    }
    int const whole = static_cast<int>(last_span - first_span_);
    fold_all(first_span_, static_cast<int>(tile - first_span_ * span), words, epoch, memory, op);
    append(memory.folds, whole, op);
    before const found = after(spans_, memory, whole, op);
    if (tile % span == 0) append(memory.folds + whole, 1, op);
    __syncwarp();
    return found;
  }

  /// The values before `tile`, for a whole block. Each warp folds a window, so the block folds at most Warps * Window
  /// spans. Returns false if a total is late, with its tile in `late`, and is then to be called again.
  template <int Warps>
  __device__ __forceinline__ bool advance_together(std::uint32_t tile, std::uint64_t const* words, std::uint32_t epoch,
                                                   shared (&memory)[Warps], std::uint32_t& late, Op& op,
                                                   before& found) const
  {
    int const warp = static_cast<int>(threadIdx.x) / warp_lanes;
    auto const first = static_cast<std::uint32_t>(warp * Window);
    if (threadIdx.x == 0) late = tile;
    __syncthreads();
    if (first * span < tile) {
      std::uint32_t const count = tile - first * span;
      std::uint32_t missing;
      if (!fold<AtATime>(first, count < Window * span ? static_cast<int>(count) : Window * span, words, epoch,
                         memory[warp], op, polls_before_standing_in, missing) &&
          threadIdx.x % warp_lanes == 0)
        atomicMin(&late, missing);
    }
    __syncthreads();
    if (late != tile) return false;
    if (tile == 0) {
      found = {init_, init_};
      return true;
    }
    int const whole = static_cast<int>((tile - 1) / span);
    wide_left spans = spans_;
#pragma unroll 4
    for (int s = 0; s < whole; ++s) spans = wide_left::present(spans.before(memory[s / Window].folds[s % Window], op));
    found = after(spans, memory[whole / Window], whole % Window, op);
    return true;
  }

  /// The reduction of `tiles` tiles, by a whole block: one warp adds up the folds of the others while they go on. (A
  /// single warp is slower than all other blocks together.) Warp 0 has the result. If a total is late, the block calls
  /// stand_in(tile), which must publish it.
  template <int Warps, class StandIn>
  __device__ __forceinline__ W reduce(std::uint32_t tiles, std::uint64_t const* words, std::uint32_t epoch,
                                      reduction_shared<Warps>& memory, Op& op, StandIn const& stand_in)
  {
    int const warp = static_cast<int>(threadIdx.x) / warp_lanes;
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    int const folder = warp - 1;
    std::uint32_t const spans = (tiles - 1) / span + 1;
    int const each = spans <= Warps - 1 ? 1 : Window;  // spans a warp and round
    auto const round_spans = static_cast<std::uint32_t>((Warps - 1) * each);
    // The number of a folder's spans before `end` in the round that begins with `first`.
    auto const share = [&](std::uint32_t first, int of, std::uint32_t end) {
      std::uint32_t const begin = first + static_cast<std::uint32_t>(of * each);
      std::uint32_t const rest = begin < end ? end - begin : 0;
      return static_cast<int>(rest < static_cast<std::uint32_t>(each) ? rest : each);
    };
    if (threadIdx.x < 2) memory.late[threadIdx.x] = tiles;
    __syncthreads();
    std::uint32_t first = 0;
    for (int half = 0;; half ^= 1, first += round_spans) {
      int const own_spans = warp > 0 ? share(first, folder, spans) : 0;
      bool done = false;
      for (;;) {
        if (!done && warp == 0) {
#pragma unroll 1
          for (int f = 0; f < Warps - 1 && first > 0; ++f) append(memory.folds[half ^ 1][f], each, op);
          done = true;
        }
        if (!done && own_spans > 0) {
          std::uint32_t const begin = first + static_cast<std::uint32_t>(folder * each);
          std::uint32_t const rest = tiles - begin * span;
          int const count = rest < static_cast<std::uint32_t>(each * span) ? static_cast<int>(rest) : each * span;
          shared& own = memory.warps[folder];
          std::uint32_t missing = 0;
          done = fold<AtATime>(begin, count, words, epoch, own, op, polls_before_standing_in, missing);
          if (!done && lane == 0) atomicMin(&memory.late[half], missing);
          if (done && lane < own_spans) memory.folds[half][folder][lane] = own.folds[lane];
        }
        __syncthreads();
        std::uint32_t const late = memory.late[half];
        if (late == tiles) break;
        stand_in(late);  // with barriers, so all have read it
        if (threadIdx.x == 0) memory.late[half] = tiles;
        __syncthreads();
      }
      if (spans - first > round_spans) continue;
      if (warp == 0) {
#pragma unroll 1
        for (int f = 0; f < Warps - 1; ++f) append(memory.folds[half][f], share(first, f, spans - 1), op);
      }
      auto const last = static_cast<int>(spans - 1 - first);
      return after(spans_, memory.warps[last / each], last % each, op).previous.value;
    }
  }

  /// The values before a tile that follows `count` tiles, fewer than a span, whose totals are at `totals`.
  __device__ __forceinline__ before after_few(W const* totals, int count, Op& op) const
  {
    if (count == 0) return {init_, init_};
    W const last = totals[count - 1];
    wide_left const all_but_the_last = fold_values(totals, count - 1, count - 1, op);
    C const all = all_but_the_last.before(static_cast<C>(last), op);
    left const carry_of_last = narrow(spans_.before(all_but_the_last, op), op);
    return {narrow(wide_left::present(spans_.before(all, op)), op), left::present(carry_of_last.before(last, op))};
  }

  /// Folds the `count` totals that a warp has put into `memory.totals`.
  __device__ __forceinline__ static void fold_kept(int count, shared& memory, Op& op)
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes, last = (count - 1) / span;
    __syncwarp();
    if (lane <= last) {
      W const* const own = memory.totals[lane];
      int const mine = lane < last ? span : count - last * span;
      wide_left const all_but_the_last = fold_values(own, mine - 1, last > 0 ? span - 1 : mine - 1, op);
      memory.folds[lane] = all_but_the_last.before(static_cast<C>(own[mine - 1]), op);
      if (lane == last) {
        memory.all_but_the_last = all_but_the_last;
        memory.last_total = own[mine - 1];
      }
    }
    __syncwarp();
  }

  /// The reduction of `spans` spans, each folded by `fold_kept` in a memory of its own.
  template <std::size_t Most>
  __device__ __forceinline__ W reduce_kept(shared const (&memory)[Most], std::uint32_t spans, Op& op)
  {
    static_assert(Window == 1);
#pragma unroll 4
    for (std::uint32_t s = 0; s + 1 < spans; ++s) append(memory[s].folds, 1, op);
    return after(spans_, memory[spans - 1], 0, op).previous.value;
  }

private:
  static constexpr unsigned forever = 0;

  /// Folds `count` totals from the first tile of span `first` on, Window * span at most. Returns false if they are not
  /// all there after `polls` round trips, with the first missing one in `missing`. `Registers` spans are on their way
  /// at a time.
  template <int Registers>
  __device__ __forceinline__ bool fold(std::uint32_t first, int count, std::uint64_t const* words, std::uint32_t epoch,
                                       shared& memory, Op& op, unsigned polls, std::uint32_t& missing) const
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    std::uint32_t const first_tile = first * span;
    int const last = (count - 1) / span;
#pragma unroll
    for (int begin = 0; begin < Window; begin += Registers) {
      if (begin > last) break;
      W totals[Registers];
#pragma unroll
      for (int s = 0; s < Registers; ++s) totals[s] = init_.value;
      awaited_totals<W, Registers> some(
          count - begin * span, words + (static_cast<std::size_t>(first_tile) + begin * span) * words_of<W>, lane);
      if (!some.wait(totals, epoch, polls, LongestSleep)) {
        missing = first_tile + static_cast<std::uint32_t>(begin * span + some.first_missing());
        return false;
      }
#pragma unroll
      for (int s = 0; s < Registers; ++s) memory.totals[begin + s][lane] = totals[s];
    }
    fold_kept(count, memory, op);
    return true;
  }
  __device__ __forceinline__ void fold_all(std::uint32_t first, int count, std::uint64_t const* words,
                                           std::uint32_t epoch, shared& memory, Op& op) const
  {
    std::uint32_t missing;
    fold<AtATime>(first, count, words, epoch, memory, op, forever, missing);
  }

  /// The fold of the first `count` of the values at `own`, which has one at least. `most` is the greatest count of all
  /// lanes.
  __device__ __forceinline__ static wide_left fold_values(W const* own, int count, int most, Op& op)
  {
    wide_left fold = wide_left::absent(op, static_cast<C>(own[0]));
    // Loads all values at once, so that no load waits behind an operation. Wide operators do so in batches, since
    // unrolled they would not fit the instruction cache.
    if (sizeof(C) <= 8 && most > 8) {
      take<span - 1>(fold, own, 0, count, op);
    } else {
      constexpr int batch = sizeof(C) <= 16 ? 8 : 4;
#pragma unroll 1
      for (int k = 0; k < most; k += batch) take<batch>(fold, own, k, count, op);
    }
    return fold;
  }

  template <int Batch>
  __device__ __forceinline__ static void take(wide_left& fold, W const* own, int k, int count, Op& op)
  {
    C some[Batch];
#pragma unroll
    for (int j = 0; j < Batch; ++j) some[j] = static_cast<C>(own[k + j]);
#pragma unroll
    for (int j = 0; j < Batch; ++j)
      if (k + j < count) fold = wide_left::present(fold.before(some[j], op));
  }

  /// The values before the tile that follows all folded tiles: `spans` is the fold of the earlier spans, and fold
  /// `last` of `memory` that of the last span.
  __device__ __forceinline__ before after(wide_left const& spans, shared const& memory, int last, Op& op) const
  {
    left const carry_of_last = narrow(spans.before(memory.all_but_the_last, op), op);
    wide_left const all = wide_left::present(spans.before(memory.folds[last], op));
    return {narrow(all, op), left::present(carry_of_last.before(memory.last_total, op))};
  }

  /// Appends the folds of the next `count` spans.
  __device__ __forceinline__ void append(C const* folds, int count, Op& op)
  {
#pragma unroll 4
    for (int s = 0; s < count; ++s) spans_ = wide_left::present(spans_.before(folds[s], op));
    first_span_ += static_cast<std::uint32_t>(count);
  }

  /// A wide value rounded to the elements' type: the one rounding of a carry.
  __device__ left narrow(wide_left const& wide, Op& op) const
  {
    W const value = static_cast<W>(wide.value);
    return wide.is_present ? left::present(value) : left::absent(op, value);
  }

  left init_;
  wide_left spans_;  // the initial value and the spans before first_span_
  std::uint32_t first_span_ = 0;
};

}  // namespace tally::cuda_backend
