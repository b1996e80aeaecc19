#pragma once

#include <cstddef>

#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// The warp of a block that draws its tiles, and finds the sums before them (pair_kernel.cuh).
namespace tally::cuda_backend::exact {

/// The lanes before this one back to the last one whose bit is set, or to the first lane.
__device__ __forceinline__ int reach_of(unsigned ended, int lane)
{
  unsigned const until = ended & ((2u << lane) - 1);
  return until == 0 ? lane : lane - (31 - __clz(static_cast<int>(until)));
}

/// Adds to each lane's sum those of the lanes before it, as far as it reaches.
template <class Sum>
__device__ __forceinline__ void add_lanes(Sum& sum, int reach, int lanes)
{
#pragma unroll
  for (int stride = 1; stride < warp_lanes; stride *= 2) {
    if (stride >= lanes || !__any_sync(whole_warp, stride <= reach)) break;
    Sum const left = shuffle_up(sum, stride);
    if (stride <= reach) sum.add(left);
  }
}

/// The shared state of a block's warps. Two tiles take turns.
struct pair_block {
  uninitialized<pair_sum> of_warps[2][pair_warps];  ///< the sums of the warps, and later those before them
  unsigned has_end_in_warp[2][pair_warps];
  unsigned long long tile;  ///< the next one; beyond the last: there are no more
};

template <class P>
class pair_folder {
public:
  __device__ __forceinline__ pair_folder(P const& problem, pair_block& block)
      : problem_(problem),
        block_(block),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        drawn_(blockIdx.x)
  {
  }

  /// Draws the block's next tile.
  __device__ __forceinline__ void draw()
  {
    auto const& states = problem_.states;
    if (lane_ == 0)
      block_.tile = problem_.is_checked ? drawn_ : states.has_failed() ? ~0ull : atomicAdd(states.ticket, 1ull);
    drawn_ += gridDim.x;
  }

  /// Adds up the warps of the drawn tile, and hands over its sum.
  __device__ __forceinline__ void hand_over(int turn)
  {
    auto const& states = problem_.states;
    tile_ = block_.tile;
    ended_warps_ =
        __ballot_sync(whole_warp, lane_ < pair_warps && block_.has_end_in_warp[turn][lane_ % pair_warps] != 0);
    pair_sum sum;
    if (lane_ < pair_warps) sum = *block_.of_warps[turn][lane_];
    add_lanes(sum, reach_of(ended_warps_, lane_), pair_warps);
    before_ = shuffle_up(sum, 1);
    if (lane_ == 0) before_ = pair_sum{};
    all_ = shuffle_from(sum, pair_warps - 1);
    if (problem_.is_checked || lane_ != 0) return;
    if (ended_warps_ != 0)
      states.publish(tile_, all_, pair_states::of_all);
    else if (tile_ != 0)
      states.publish(tile_, all_, pair_states::of_tile);
  }

  /// Finds the sum before the tile, and those before its warps. False if the call has failed.
  __device__ __forceinline__ bool look_back(int turn)
  {
    auto const& states = problem_.states;
    pair_sum carry;
    if (problem_.is_checked) {
      carry = states.before[tile_];
    } else {
      if (!exact::look_back(states, tile_, problem_.initial, carry)) return false;
      if (lane_ == 0) {
        if (states.before != nullptr) states.before[tile_] = carry;
        if (ended_warps_ == 0) {
          all_.add(carry);
          states.publish(tile_, all_, pair_states::of_all);
        }
      }
    }
    if ((ended_warps_ & ((1u << lane_) - 1)) == 0) before_.add(carry);
    if (lane_ < pair_warps) *block_.of_warps[turn][lane_] = before_;
    return true;
  }

private:
  P const& problem_;
  pair_block& block_;
  int lane_;
  unsigned long long drawn_;  ///< the next tile of a checked run, in which blocks take tiles in turns
  std::size_t tile_ = 0;
  pair_sum before_, all_;  ///< before the warp of this lane; the tile's
  unsigned ended_warps_ = 0;
};

}  // namespace tally::cuda_backend::exact
