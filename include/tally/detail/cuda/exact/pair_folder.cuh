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
  unsigned long long tile[2];          ///< those that are drawn; beyond the last: there are no more
  unsigned added_up;                   ///< warps of all tiles so far
  bool folder_stops[2], workers_stop;  ///< as the call has failed

  __device__ void begin()
  {
    added_up = 0;
    folder_stops[0] = folder_stops[1] = workers_stop = false;
  }
};

template <class P>
class pair_folder {
public:
  __device__ __forceinline__ pair_folder(P const& problem, pair_block& block)
      : problem_(problem),
        block_(block),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        own_(blockIdx.x)
  {
  }

  /// Draws tiles, hands over their sums, and finds the sums before them, until there are no more tiles or the call has
  /// failed. The sum of a tile is handed over as soon as it is there, although the one before may still be looked for:
  /// other blocks wait for it.
  __device__ void run()
  {
    std::size_t const tiles = problem_.ends.tiles();
    unsigned long long drawn = draw(0);
    bool has_last = false;  // a tile whose sum is handed over, and no more
    for (int turn = 0;; turn ^= 1) {
      unsigned long long const tile = drawn;
      bool const has_next = tile < tiles;
      bool is_handed_over = !has_next;
      expected_ += pair_warps;
      if (has_next) drawn = draw(turn ^ 1);
      if (has_last) {
        bool const is_known = look_back(turn ^ 1, [&] {
          if (is_handed_over || !is_added_up()) return;
          hear(news::added_up, turn);
          hand_over(tile, turn);
          is_handed_over = true;
        });
        if (!is_known && lane_ == 0) block_.folder_stops[turn ^ 1] = true;
        tell(news::known, turn ^ 1);
        if (!is_known) return;
      }
      if (!has_next) return;
      if (!is_handed_over) {
        hear(news::added_up, turn);
        if (__any_sync(whole_warp, block_.workers_stop)) return;
        hand_over(tile, turn);
      }
      last_ = next_;
      has_last = true;
    }
  }

private:
  /// Sums that are handed over.
  struct tile_sums {
    std::size_t tile;
    pair_sum before, all;  ///< before the warp of this lane; the tile's
    unsigned ended_warps;
  };

  /// Draws a tile for the block.
  __device__ __forceinline__ unsigned long long draw(int turn)
  {
    auto const& states = problem_.states;
    unsigned long long drawn = own_;
    if (!problem_.is_checked && lane_ == 0) {
      drawn = atomicAdd(states.ticket, 1ull);
      if (states.has_failed()) drawn = ~0ull;
    }
    own_ += gridDim.x;
    drawn = __shfl_sync(whole_warp, drawn, 0);
    if (lane_ == 0) block_.tile[turn] = drawn;
    tell(news::drawn, turn);
    return drawn;
  }

  /// Whether all warps have added up the tile.
  __device__ __forceinline__ bool is_added_up()
  {
    unsigned added_up = 0;
    if (lane_ == 0) added_up = atomicAdd(&block_.added_up, 0u);
    return __shfl_sync(whole_warp, added_up, 0) == expected_;
  }

  /// Adds up the warps of a tile, and hands over its sum.
  __device__ __forceinline__ void hand_over(std::size_t tile, int turn)
  {
    auto const& states = problem_.states;
    unsigned const ended =
        __ballot_sync(whole_warp, lane_ < pair_warps && block_.has_end_in_warp[turn][lane_ % pair_warps] != 0);
    pair_sum sum;
    if (lane_ < pair_warps) sum = *block_.of_warps[turn][lane_];
    add_lanes(sum, reach_of(ended, lane_), pair_warps);
    next_ = {tile, shuffle_up(sum, 1), shuffle_from(sum, pair_warps - 1), ended};
    if (lane_ == 0) next_.before = pair_sum{};
    if (problem_.is_checked || lane_ != 0) return;
    if (ended != 0)
      states.publish(tile, next_.all, pair_states::of_all);
    else if (tile != 0)
      states.publish(tile, next_.all, pair_states::of_tile);
  }

  /// Finds the sum before the last tile, and those before its warps. False if the call has failed.
  template <class Meanwhile>
  __device__ __forceinline__ bool look_back(int turn, Meanwhile const& meanwhile)
  {
    auto const& states = problem_.states;
    pair_sum carry;
    if (problem_.is_checked) {
      carry = states.before[last_.tile];
    } else {
      if (!exact::look_back(states, last_.tile, problem_.initial, carry, meanwhile)) return false;
      if (lane_ == 0) {
        if (states.before != nullptr) states.before[last_.tile] = carry;
        if (last_.ended_warps == 0) {
          last_.all.add(carry);
          states.publish(last_.tile, last_.all, pair_states::of_all);
        }
      }
    }
    if ((last_.ended_warps & ((1u << lane_) - 1)) == 0) last_.before.add(carry);
    if (lane_ < pair_warps) *block_.of_warps[turn][lane_] = last_.before;
    return true;
  }

  P const& problem_;
  pair_block& block_;
  int lane_;
  unsigned long long own_;  ///< the next tile of a checked run, in which blocks take tiles in turns
  unsigned expected_ = 0;   ///< warps that have added up their part, once the next tile is added up
  tile_sums last_, next_;
};

}  // namespace tally::cuda_backend::exact
