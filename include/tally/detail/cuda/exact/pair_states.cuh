#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// How tiles hand over their sums, by pairs of doubles (pair_kernel.cuh).
namespace tally::cuda_backend::exact {

using detail::exact::pair_sum;

/// The states that tiles hand over, zeros at first.
struct pair_states {
  /// The words of a tile: four bytes of its sum each, and the state. They are read and written whole, so a sum is
  /// complete if all have the same state (handover.hpp).
  static constexpr int words = 5;
  enum state : std::uint32_t { unknown, of_tile, of_all };  ///< the sum of the tile alone, or of the sequence so far

  unsigned long long* ticket;
  unsigned* failed;
  std::uint64_t* of_tiles;
  pair_sum* before;  ///< of each tile, if not null: for a second run

  __device__ bool has_failed() const { return *const_cast<unsigned volatile*>(failed) != 0; }
  __device__ void fail() const { *const_cast<unsigned volatile*>(failed) = 1; }

  __device__ __forceinline__ void publish(std::size_t tile, pair_sum const& sum, state known) const
  {
    auto const upper = [](double x) { return static_cast<std::uint32_t>(__double2hiint(x)); };
    auto const lower = [](double x) { return static_cast<std::uint32_t>(__double2loint(x)); };
    // A bound has 20 bits, rounded up.
    std::uint32_t const lost = sum.lost == 0 ? 0 : sum.lost - sum.lost == 0 ? upper(sum.lost) + 1 : 0x7ff80000;
    std::uint32_t const parts[words] = {upper(sum.high), lower(sum.high), upper(sum.low), lower(sum.low), lost};
#pragma unroll
    for (int i = 0; i < words; ++i) store_relaxed(of_tiles + tile * words + i, tagged(parts[i], known));
  }
  __device__ __forceinline__ state read(std::size_t tile, pair_sum& sum) const
  {
    std::uint64_t read[words];
#pragma unroll
    for (int i = 0; i < words; ++i) read[i] = load_relaxed(of_tiles + tile * words + i);
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

/// The tries of a look back between looks at the word that tells whether the call has failed: reading it takes as long
/// as a try. On fibers each try looks, so that tests meet a failure between the lanes of a warp.
#ifdef __CUDACC__
inline constexpr unsigned tries_between_looks = 16;
#else
inline constexpr unsigned tries_between_looks = 1;
#endif

/// The sum of the sequence before a tile, by a warp, which does `meanwhile()` while it waits. False if the call has
/// failed.
template <class Meanwhile>
__device__ __forceinline__ bool look_back(pair_states const& states, std::size_t tile, double initial, pair_sum& sum,
                                          Meanwhile const& meanwhile)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  bool is_first = true;
  for (unsigned tries = 1;; ++tries) {
    pair_sum own;
    auto known = pair_states::of_all;
    if (static_cast<std::size_t>(lane) < tile)
      known = states.read(tile - 1 - lane, own);
    else if (static_cast<std::size_t>(lane) == tile)
      own.high = initial;
    unsigned const all = __ballot_sync(whole_warp, known == pair_states::of_all),
                   missing = __ballot_sync(whole_warp, known == pair_states::unknown);
    // The nearest tile that knows the sum of all.
    int const last = all == 0 ? warp_lanes - 1 : __ffs(static_cast<int>(all)) - 1;
    if ((missing & ((2u << last) - 1)) == 0) {
      if (is_first && last == 0) {
        sum = shuffle_from(own, 0);
        return true;
      }
      if (lane <= last) sum.add(own);
      if (all != 0) break;
      tile -= warp_lanes;
      is_first = false;
    } else {
      // All lanes leave together: each may read another value.
      if (tries % tries_between_looks == 0 && __any_sync(whole_warp, states.has_failed())) return false;
      meanwhile();
    }
  }
  add_all_lanes(sum);
  return true;
}

}  // namespace tally::cuda_backend::exact
