#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/awaited_totals.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// One warp's fold of the totals of a recurrence's tiles, as in carry_fold.cuh: each lane folds a span, `Window` spans
/// side by side; the totals of `AtATime` spans are on their way together. Two properties of recurrences make it three
/// times as quick. A carry is a state, not a map, since the initial value has the scale 0. And the map (1, -0.0)
/// behind another changes no bit of it, so it stands for totals that are not there yet, and nothing branches.
template <class W, class C, int Window, int AtATime>
class state_fold {
public:
  static constexpr int span = static_cast<int>(order::span_tiles);
  static_assert(span == warp_lanes && Window <= warp_lanes && Window % AtATime == 0);

  struct shared {
    affine<C> totals[Window][span + 1];  ///< lanes that each read a row of their own meet different banks
    affine<C> folds[Window];
  };

  C before_span;  ///< the state before the tile's span, for the whole warp
  W before_tile;

  /// Folds the totals from span `first` to `tile`. Waits until they are published, and then for the state before span
  /// `first`, which `state()` returns.
  template <class State>
  __device__ __forceinline__ state_fold(std::uint32_t tile, std::uint32_t first, std::uint64_t const* words,
                                        std::uint32_t epoch, shared& memory, State const& state)
  {
    int count = static_cast<int>(tile - first * span);
    words += static_cast<std::size_t>(first) * span * words_of<affine<W>>;
    for (bool is_known = false;; is_known = true) {
      int const here = count < Window * span ? count : Window * span, whole = here / span;
      if (here > 0) fold(here, words, epoch, memory);
      if (!is_known) before_span = state();
#pragma unroll
      for (int s = 0; s < Window; ++s) before_span = select(s < whole, memory.folds[s](before_span), before_span);
      count -= whole * span;
      words += static_cast<std::size_t>(whole) * span * words_of<affine<W>>;
      if (count > 0 && whole == Window) continue;
      before_tile = static_cast<W>(count == 0 ? before_span : memory.folds[whole](before_span));
      return;
    }
  }

private:
  /// Folds `count` totals, one at least, Window * span at most.
  __device__ __forceinline__ static void fold(int count, std::uint64_t const* words, std::uint32_t epoch,
                                              shared& memory)
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    __syncwarp();  // all have read the folds before
#pragma unroll
    for (int begin = 0; begin < Window; begin += AtATime) {
      affine<W> totals[AtATime];
#pragma unroll
      for (int s = 0; s < AtATime; ++s) totals[s] = {W(1), W(-0.0f)};
      awaited_totals<affine<W>, AtATime> some(
          count - begin * span, words + static_cast<std::size_t>(begin) * span * words_of<affine<W>>, lane);
      some.wait(totals, epoch, 0, 128);
#pragma unroll
      for (int s = 0; s < AtATime; ++s) memory.totals[begin + s][lane] = static_cast<affine<C>>(totals[s]);
    }
    __syncwarp();
    affine<C> const* const own = memory.totals[lane < Window ? lane : 0];
    affine<C> all = own[0];
#pragma unroll 8
    for (int k = 1; k < span; ++k) all = composed(all, own[k]);
    if (lane < Window) memory.folds[lane] = all;
    __syncwarp();
  }
};

}  // namespace tally::cuda_backend
