#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// The sums before the tiles of a call by pairs of doubles (pair_kernel.cuh), and how groups of tiles hand over theirs
/// (pair_carries.cuh).
namespace tally::cuda_backend::exact {

using detail::exact::pair_sum;

/// A sum of terms of a tile: of those behind the last end of a sequence in it; in a scan, later, of those before the
/// tile; and of those up to the first end.
struct alignas(16) tile_sum {
  pair_sum sum;
  std::uint64_t has_end;  ///< 1 or 0. Without padding, which would be copied before it is written.
};

/// The use that a scan makes of its results.
enum class pair_results {
  write,    ///< to memory of their own
  look_at,  ///< whether pairs tell them all, if a sum before a tile is not exact
  replace   ///< the terms
};

/// The words of a call, zeros at first.
struct pair_counters {
  unsigned long long ticket;  ///< the next group of tiles
  unsigned failed;            ///< whether, and where, a pair did not tell a result, so that others do the call
  unsigned is_inexact;        ///< whether a sum before a tile is not exact: of scans
  unsigned has_left_tiles;    ///< whether tiles are left to the repair (pair_repair.cuh)
};

/// The states of a call, zeros at first but for the sums of tiles.
struct pair_states {
  /// The words of a group: four bytes of its sum each, and the state. They are read and written whole, so a sum is
  /// complete if all have the same state (handover.hpp).
  static constexpr int words = 5;
  enum state : std::uint32_t { unknown, of_group, of_all };  ///< the sum of the group alone, or of the sequence so far
  /// Where a pair did not tell a result: in a tile, or in a sum that ends first in a tile.
  enum failure : unsigned { none, in_tile, across_tiles };
  static constexpr std::uint64_t left_tile = 2;  ///< for tile_sum::has_end, which nobody reads any more

  pair_counters* counters;
  std::uint64_t* of_groups;
  tile_sum* of_tiles;
  tile_sum* up_to_ends;  ///< of tiles that do not begin all, the sums up to their first ends: of sums alone

  __device__ unsigned volatile& failed() const { return counters->failed; }
  __device__ bool has_failed() const { return failed() != none; }
  __device__ bool has_failed_in_tile() const { return failed() == in_tile; }
  __device__ void fail(failure where) const { failed() = where; }

  __device__ bool is_inexact() const { return counters->is_inexact != 0; }
  __device__ void tell_inexact() const { const_cast<unsigned volatile&>(counters->is_inexact) = 1; }

  /// Leaves a tile to the repair, by a warp.
  __device__ void leave(std::size_t tile) const
  {
    if (threadIdx.x % warp_lanes != 0) return;
    of_tiles[tile].has_end = left_tile;
    const_cast<unsigned volatile&>(counters->has_left_tiles) = 1;
  }
  __device__ bool has_left_tiles() const { return counters->has_left_tiles != 0; }
  __device__ bool is_left(std::size_t tile) const { return of_tiles[tile].has_end == left_tile; }

  /// Begins to copy the sum before a tile, by a warp.
  __device__ __forceinline__ void begin_sum(std::size_t tile, tile_sum& to) const
  {
    constexpr unsigned words = sizeof(tile_sum) / sizeof(uint4);
    unsigned const lane = threadIdx.x % warp_lanes;
    if (lane < words)
      copy_asynchronously(reinterpret_cast<uint4*>(&to) + lane, reinterpret_cast<uint4 const*>(of_tiles + tile) + lane);
  }

  __device__ __forceinline__ void publish(std::size_t group, pair_sum const& sum, state known) const
  {
    auto const upper = [](double x) { return static_cast<std::uint32_t>(__double2hiint(x)); };
    auto const lower = [](double x) { return static_cast<std::uint32_t>(__double2loint(x)); };
    // A bound has 20 bits, rounded up.
    std::uint32_t const lost = sum.lost == 0 ? 0 : sum.lost - sum.lost == 0 ? upper(sum.lost) + 1 : 0x7ff80000;
    std::uint32_t const parts[words] = {upper(sum.high), lower(sum.high), upper(sum.low), lower(sum.low), lost};
#pragma unroll
    for (int i = 0; i < words; ++i) store_relaxed(of_groups + group * words + i, tagged(parts[i], known));
  }
  __device__ __forceinline__ state read(std::size_t group, pair_sum& sum) const
  {
    std::uint64_t read[words];
#pragma unroll
    for (int i = 0; i < words; ++i) read[i] = load_relaxed(of_groups + group * words + i);
    auto const known = static_cast<std::uint32_t>(read[0] >> 32);
    bool is_complete = true;
#pragma unroll
    for (int i = 1; i < words; ++i) is_complete = is_complete && static_cast<std::uint32_t>(read[i] >> 32) == known;
    auto const part = [&](int i) { return static_cast<int>(static_cast<std::uint32_t>(read[i])); };
    sum.high = __hiloint2double(part(0), part(1));
    sum.low = __hiloint2double(part(2), part(3));
    sum.lost = __hiloint2double(part(4), 0);
    return is_complete ? static_cast<state>(known) : unknown;
  }
};

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

/// The sum of the lanes' sums, in all lanes. Of sums without a low part, whose sums have none either, that takes a
/// third of the additions.
__device__ __forceinline__ void add_all_lanes(pair_sum& sum)
{
  bool is_plain = __all_sync(whole_warp, sum.low == 0 && sum.lost == 0);
#pragma unroll
  for (int mask = warp_lanes / 2; mask > 0; mask /= 2) {
    if (is_plain) {
      auto const [high, error] = detail::exact::two_sum(sum.high, shuffle_xor(sum.high, mask));
      sum.high = high;
      sum.low = error;
      is_plain = __all_sync(whole_warp, error == 0);
    } else {
      sum.add(shuffle_xor(sum, mask));
    }
  }
}

/// The sum of the sequence before a group, by a warp.
__device__ __forceinline__ pair_sum look_back(pair_states const& states, std::size_t group, double initial)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  pair_sum sum;
  for (;;) {
    pair_sum own;
    auto known = pair_states::of_all;
    if (static_cast<std::size_t>(lane) < group)
      known = states.read(group - 1 - lane, own);
    else if (static_cast<std::size_t>(lane) == group)
      own.high = initial;
    unsigned const all = __ballot_sync(whole_warp, known == pair_states::of_all),
                   missing = __ballot_sync(whole_warp, known == pair_states::unknown);
    // The nearest group that knows the sum of all.
    int const last = all == 0 ? warp_lanes - 1 : __ffs(static_cast<int>(all)) - 1;
    if ((missing & ((2u << last) - 1)) != 0) continue;
    if (lane <= last) sum.add(own);
    if (all != 0) break;
    group -= warp_lanes;
  }
  add_all_lanes(sum);
  return sum;
}

}  // namespace tally::cuda_backend::exact
