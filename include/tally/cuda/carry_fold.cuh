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

/// One warp's fold of the totals of all tiles, in the order of docs/order.md: totals within spans and spans over the array, in the
/// carry type. Every block folds all totals for itself, as they appear, so no carry is handed over: two hops would cost
/// more than reading eight bytes for each 32 KiB.
///
/// The totals of several spans are folded side by side, a span a lane; only the last step, span after span, is serial.
template <class T, class Op>
class carry_fold {
public:
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;

  static constexpr int window = 6;  ///< spans folded side by side: as far as 132 tiles in flight reach, and one for luck
  static constexpr int span = static_cast<int>(order::span_tiles);
  static_assert(span == warp_lanes);

  struct shared {
    C totals[window][span + 1];  // one more, so that lanes that read a column each meet different banks
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
    std::uint32_t const last_span = (tile - 1) / span;  // of the tile before
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    for (;;) {
      W totals[window];
      wait_for(totals, tile, words, epoch, lane);
#pragma unroll
      for (int s = 0; s < window; ++s) memory.totals[s][lane] = static_cast<C>(totals[s]);
      __syncwarp();

      // Lane s folds span first_span_ + s up to the tile, and remembers what it had before the last total.
      C const any = memory.totals[0][0];
      wide_left fold = wide_left::absent(op, any);
      wide_left fold_but_last = fold;
      if (lane < window && first_span_ + lane <= last_span) {
        std::uint32_t const rest = tile - (first_span_ + lane) * span;
        int const count = rest < span ? static_cast<int>(rest) : span;
        C const* const own = memory.totals[lane];
#pragma unroll 8
        for (int k = 0; k < span; ++k) {
          if (k < count) {
            fold_but_last = fold;
            fold = wide_left::present(fold.before(own[k], op));
          }
        }
      }
      __syncwarp();

      if (last_span - first_span_ < window) {
        int const at = static_cast<int>(last_span - first_span_);
        for (int s = 0; s < at; ++s) spans_ = spans_.before(shuffle_from(fold, s), op);
        wide_left const all = spans_.before(shuffle_from(fold, at), op);
        wide_left const all_but_last = spans_.before(shuffle_from(fold_but_last, at), op);
        W last_total = totals[0];
#pragma unroll
        for (int s = 1; s < window; ++s)
          if (s == at) last_total = totals[s];
        last_total = shuffle_from(last_total, static_cast<int>((tile - 1) % span));
        bool const whole = tile % span == 0;
        first_span_ = whole ? last_span + 1 : last_span;
        // With a whole span behind it the tile before was not the first, or it has nothing before it.
        left const previous = left::present(narrow(all_but_last, op).before(last_total, op));
        if (whole) spans_ = all;
        return {narrow(all, op), previous};
      }
      for (int s = 0; s < window; ++s) spans_ = spans_.before(shuffle_from(fold, s), op);
      first_span_ += window;
    }
  }

private:
  /// A wide value as an element: the one rounding of a carry.
  __device__ left narrow(wide_left const& wide, Op& op) const
  {
    W const value = static_cast<W>(wide.value);
    return wide.is_present() ? left::present(value) : left::absent(op, value);
  }

  /// Reads the totals of the window that come before `tile`, a span a register.
  __device__ __forceinline__ void wait_for(W (&totals)[window], std::uint32_t tile, std::uint64_t const* words,
                                           std::uint32_t epoch, int lane) const
  {
    unsigned missing = 0;
#pragma unroll
    for (int s = 0; s < window; ++s) {
      std::uint32_t const k = (first_span_ + s) * span + lane;
      if (k < tile) missing |= 1u << s;
      totals[s] = init_.value;
    }
    for (;;) {
      read_words<W> read[window];
#pragma unroll
      for (int s = 0; s < window; ++s) {
        std::size_t const k = static_cast<std::size_t>(first_span_ + s) * span + lane;
        if ((missing >> s & 1u) != 0) read[s].load(words + k * words_of<W>);
      }
#pragma unroll
      for (int s = 0; s < window; ++s)
        if ((missing >> s & 1u) != 0 && read[s].decode(totals[s], epoch)) missing &= ~(1u << s);
      if (__all_sync(whole_warp, missing == 0)) return;
      __nanosleep(100);  // measured: with none the polls delay the totals that they wait for, with more the totals wait
    }
  }

  left init_;
  wide_left spans_;  // the initial value and the spans before first_span_
  std::uint32_t first_span_ = 0;
};

}  // namespace tally::cuda_backend
