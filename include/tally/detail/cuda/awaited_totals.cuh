#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"

namespace tally::cuda_backend {

/// Round trips that a block waits for a total before it computes the total itself: some 50 microseconds.
inline constexpr unsigned polls_before_standing_in = 64;

/// The first `count` totals at `words`, 32 to a register, on their way to one warp.
template <class W, int Registers>
class awaited_totals {
public:
  /// Starts to read the totals; returns at once.
  __device__ __forceinline__ awaited_totals(int count, std::uint64_t const* words, int lane)
      : words_(words),
        lane_(lane)
  {
#pragma unroll
    for (int s = 0; s < Registers; ++s)
      if (s * warp_lanes + lane < count) missing_ |= 1u << s;
    ask();
  }

  /// Waits until all are there, for at most `polls` round trips. Values beyond `count` stay as they are.
  __device__ __forceinline__ bool wait(W (&totals)[Registers], std::uint32_t epoch, unsigned polls,
                                       unsigned longest_sleep)
  {
    for (unsigned sleep = 16;; sleep = sleep < longest_sleep ? 2 * sleep : sleep) {
#pragma unroll
      for (int s = 0; s < Registers; ++s)
        if ((missing_ >> s & 1u) != 0 && read_[s].decode(totals[s], epoch)) missing_ &= ~(1u << s);
      if (__all_sync(whole_warp, missing_ == 0)) return true;
      if (--polls == 0) return false;
      __nanosleep(sleep);
      ask();
    }
  }

  /// The first total that is not there, after a wait that returned false.
  __device__ __forceinline__ int first_missing() const
  {
    int first = 0;
#pragma unroll
    for (int s = Registers - 1; s >= 0; --s)
      if (unsigned const lanes = __ballot_sync(whole_warp, missing_ >> s & 1u); lanes != 0)
        first = s * warp_lanes + __ffs(static_cast<int>(lanes)) - 1;
    return first;
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

}  // namespace tally::cuda_backend
