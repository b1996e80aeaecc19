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

  __device__ __forceinline__ explicit state_fold(C const& before) : spans_(before) {}

  /// The state before `tile`, for the whole warp. Waits until the totals before it are published. Tiles must not
  /// decrease from call to call.
  __device__ __forceinline__ W before(std::uint32_t tile, std::uint64_t const* words, std::uint32_t epoch,
                                      shared& memory)
  {
    while (tile / span - first_span_ >= Window) {
      fold(Window * span, words, epoch, memory);
      append(memory, Window);
    }
    int const count = static_cast<int>(tile - first_span_ * span), whole = count / span;
    if (count == 0) return static_cast<W>(spans_);
    fold(count, words, epoch, memory);
    append(memory, whole);
    if (count % span == 0) return static_cast<W>(spans_);
    return static_cast<W>(memory.folds[whole](spans_));
  }

private:
  /// Folds `count` totals from the first tile of span `first_span_` on, Window * span at most.
  __device__ __forceinline__ void fold(int count, std::uint64_t const* words, std::uint32_t epoch, shared& memory) const
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    __syncwarp();  // all have read the folds before
#pragma unroll
    for (int begin = 0; begin < Window; begin += AtATime) {
      affine<W> totals[AtATime];
#pragma unroll
      for (int s = 0; s < AtATime; ++s) totals[s] = {W(1), W(-0.0f)};
      awaited_totals<affine<W>, AtATime> some(
          count - begin * span,
          words +
              (static_cast<std::size_t>(first_span_) + static_cast<std::size_t>(begin)) * span * words_of<affine<W>>,
          lane);
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

  /// Appends the folds of the next `count` spans.
  __device__ __forceinline__ void append(shared const& memory, int count)
  {
#pragma unroll
    for (int s = 0; s < Window; ++s) spans_ = select(s < count, memory.folds[s](spans_), spans_);
    first_span_ += static_cast<std::uint32_t>(count);
  }

  C spans_;  ///< the state before span first_span_
  std::uint32_t first_span_ = 0;
};

}  // namespace tally::cuda_backend
