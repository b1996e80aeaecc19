#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"

/// What comes before a tile, where brackets may be any: a block folds the totals of the tiles between its own, its
/// threads together, and hands no prefix over, as Merrill and Garland's look-back (2016) would. Totals wait for
/// nothing.
namespace tally::cuda_backend {

/// The fold of the first `count` values of a warp's lanes, 1 <= count <= Most, for lane 0. Most is a power of two.
template <int Most = warp_lanes, class W, class Op>
__device__ __forceinline__ W fold_lanes(W value, int count, int lane, Op& op)
{
#pragma unroll
  for (int stride = 1; stride < Most; stride *= 2) {
    W const right = shuffle_down(value, stride);
    value = select(lane + stride < count, static_cast<W>(op(value, right)), value);
  }
  return value;
}

/// A fold that begins with nothing or with something.
template <class W>
struct running_fold {
  W value;
  bool there;

  template <class Op>
  __device__ __forceinline__ void append(W const& right, Op& op)
  {
    value = there ? static_cast<W>(op(value, right)) : right;
    there = true;
  }
};

/// The totals of tiles [from, to), a thread each, on their way to a block's threads: as many of them as there are
/// threads, the others after these.
template <int Warps, class W>
class totals_between {
public:
  /// Asks for the first of them; returns at once.
  __device__ __forceinline__ void ask(std::uint64_t const* words, std::size_t from, std::size_t to)
  {
    from_ = from;
    to_ = to;
    if (from_ + threadIdx.x < to_) read_.load(words + (from_ + threadIdx.x) * words_of<W>);
  }

  /// Appends all of them to the last warp's `before`: it comes after those that wait for totals. All threads call.
  /// Waits, so tiles must be drawn in order by blocks that run. `parts` is shared memory that nobody uses until the
  /// block's next barrier.
  template <class Op>
  __device__ __forceinline__ void append_to(running_fold<W>& before, std::uint64_t const* words, std::uint32_t epoch,
                                            W (&parts)[Warps], int lane, Op& op)
  {
    while (from_ < to_) {
      constexpr std::size_t threads = static_cast<std::size_t>(Warps) * warp_lanes;
      int const now = static_cast<int>(to_ - from_ < threads ? to_ - from_ : threads);
      int const first = static_cast<int>(threadIdx.x) - lane;
      if (first < now) {
        W total{};
        if (first + lane < now) total = awaited(words, epoch);
        __syncwarp();
        total = fold_lanes(total, min(now - first, warp_lanes), lane, op);
        if (lane == 0) parts[first / warp_lanes] = total;
      }
      __syncthreads();
      if (first == (Warps - 1) * warp_lanes) {
        int const warps = (now + warp_lanes - 1) / warp_lanes;
        before.append(shuffle_from(fold_lanes<Warps>(parts[lane < warps ? lane : 0], warps, lane, op), 0), op);
      }
      ask(words, from_ + static_cast<std::size_t>(now), to_);
      if (from_ < to_) __syncthreads();  // the parts have been read
    }
  }

private:
  __device__ __forceinline__ W awaited(std::uint64_t const* words, std::uint32_t epoch)
  {
    W total{};
    for (unsigned sleep = 16; !read_.decode(total, epoch); sleep = sleep < 128 ? 2 * sleep : sleep) {
      __nanosleep(sleep);
      read_.load(words + (from_ + threadIdx.x) * words_of<W>);
    }
    return total;
  }

  std::size_t from_, to_;
  read_words<W> read_;
};

}  // namespace tally::cuda_backend
