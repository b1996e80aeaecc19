#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The sums before the tiles of a call by pairs (pair_kernel.cuh): a scan of the sums of tiles. A tile in which a
/// sequence ends hands on the terms behind its last end alone.
///
/// A scan finds them first, by two kernels. So long sequences are read twice, and of short ones little more than once.
/// That is sooner than one pass: there, blocks wait for each other's sums. Sums of sequences read each term once: their
/// tiles hand over the sums of what is before the first end and behind the last one, and the scan of these comes last.
namespace tally::cuda_backend::exact {

/// Loads a lane's share of the terms of [from, end) in a tile; -0 stands for others. Which lane has which term does not
/// matter: all are added up.
template <class P>
__device__ __forceinline__ void load_tile(P const& problem, std::size_t first, unsigned from, unsigned end,
                                          typename P::element (&terms)[pair_terms])
{
  using T = typename P::element;
  unsigned const lane = lane_of_warp();
  if constexpr (P::reads_as_they_are) {
    constexpr bool can_leave_out = sizeof(T) <= 4;  // without spills
    T const* const own = problem.in + first;
    if ((can_leave_out || from == 0) && end == pair_tile && is_aligned_to_words(own)) {
      word_of_terms<T> words[words_of_lane<T>];
#pragma unroll
      for (int j = 0; j < words_of_lane<T>; ++j) {
        unsigned const word = (j * warp_lanes + lane) * terms_of_word<T>;
        if (!can_leave_out || word + terms_of_word<T> > from) words[j].load_aligned(own + word);
      }
#pragma unroll
      for (int i = 0; i < pair_terms; ++i) {
        constexpr int count = terms_of_word<T>;
        bool const is_left_out = can_leave_out && (i / count * warp_lanes + lane) * count + i % count < from;
        terms[i] = is_left_out ? static_cast<T>(-0.0) : words[i / count].get(i % count);
      }
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    unsigned const k = i * warp_lanes + lane;
    terms[i] = static_cast<T>(-0.0);
    if (from <= k && k < end) terms[i] = problem.term(first + k);
  }
}

/// The sum of all lanes' terms.
template <class T>
__device__ __forceinline__ pair_sum sum_of_terms(T const (&terms)[pair_terms])
{
  if constexpr (adds_up_floats<T>) {
    float_sizes sizes;
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) sizes.add(static_cast<float>(terms[i]));
    if (sizes_of_all(sizes).have_plain_sums()) {
      plain_sum plain;
#pragma unroll
      for (int i = 0; i < pair_terms; ++i) plain.add(term_of(terms[i]));
#pragma unroll
      for (int mask = warp_lanes / 2; mask > 0; mask /= 2) plain.add(shuffle_xor(plain, mask));
      return plain;
    }
  }
  pair_sum sum;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) sum.add(term_of(terms[i]));
  add_all_lanes(sum);
  return sum;
}

/// The sum of every fourth term of [from, end), of four lanes.
template <class P>
__device__ __forceinline__ pair_sum sum_of_few_terms(P const& problem, std::size_t first, unsigned from, unsigned end)
{
  pair_sum sum;
#pragma unroll 4
  for (unsigned k = from; k < end; k += 4) sum.add(term_of(problem.term(first + k)));
#pragma unroll
  for (int mask = 1; mask < 4; mask *= 2) sum.add(shuffle_xor(sum, mask));
  return sum;
}

/// Finds the sums of tiles, by warps.
template <class P>
__global__ void __launch_bounds__(pair_threads, 4) tile_sums_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  auto const& problem = at_its_turn(given);
  auto const& ends = problem.ends;
  int const lane = static_cast<int>(lane_of_warp());
  std::size_t const tiles = ends.tiles(), size = ends.size(), before = ends.first(),
                    first = (blockIdx.x * std::size_t{pair_warps} + threadIdx.x / warp_lanes) * tiles_of_warp;
  if (first >= tiles) return;
  int const count = tiles - first < tiles_of_warp ? static_cast<int>(tiles - first) : tiles_of_warp;
  unsigned const own_from = lane < count ? ends.behind_last_end(first + lane) : 0,
                 own_end = lane < count && size - (first + lane) * pair_tile < pair_tile
                               ? static_cast<unsigned>(size - (first + lane) * pair_tile)
                               : pair_tile;
  tile_sum own{{}, own_from > 0 ? 1u : 0u};
  unsigned left = (1u << count) - 1;  // tiles
  if constexpr (P::ends_type::has_ends) {
    // Tiles with few terms behind their last ends, all at once, four lanes each.
    constexpr unsigned most = 64;
    unsigned const few = __ballot_sync(whole_warp, lane < count && own_end - own_from <= most);
    if (few != 0) {
      int const tile = lane / 4;
      unsigned const from = __shfl_sync(whole_warp, own_from, tile), end = __shfl_sync(whole_warp, own_end, tile);
      bool const is_few = (few >> tile & 1) != 0;
      pair_sum sum =
          sum_of_few_terms(problem, before + (first + tile) * pair_tile, is_few ? from + lane % 4 : end, end);
      sum = shuffle_from(sum, lane * 4 % warp_lanes);
      if (lane < count && (few >> lane & 1) != 0) own.sum = sum;
      left &= ~few;
    }
  }
#pragma unroll 1
  for (; left != 0; left &= left - 1) {
    int const i = __ffs(static_cast<int>(left)) - 1;
    unsigned const from = __shfl_sync(whole_warp, own_from, i), end = __shfl_sync(whole_warp, own_end, i);
    T terms[pair_terms];
    load_tile(problem, before + (first + i) * pair_tile, from, end, terms);
    pair_sum const sum = sum_of_terms(terms);
    if (lane == i) own.sum = sum;
  }
  if (lane >= count) return;
  if (own.has_end != 0) own.sum.add(problem.initial);
  problem.states.of_tiles[first + lane] = own;
}

/// The tiles whose sums a block scans.
inline constexpr int carries_threads = 512, carries_warps = carries_threads / warp_lanes, tiles_of_thread = 4,
                     tiles_of_group = carries_threads * tiles_of_thread;
constexpr std::size_t groups_of_tiles(std::size_t tiles)
{
  return (tiles + tiles_of_group - 1) / tiles_of_group;
}

/// The shared state of such a block.
struct carries_block {
  unsigned long long group;
  uninitialized<pair_sum> of_warps[carries_warps];  ///< and later the sums before them
  unsigned has_end_in_warp[carries_warps];
};

/// The sum that ends first in a tile.
template <class P>
struct first_sum {
  tile_sum up_to_end;
  std::size_t sequence;

  __device__ __forceinline__ void load(P const& problem, std::size_t tile)
  {
    up_to_end = problem.states.up_to_ends[tile];
    sequence = problem.ends.of_tile(tile).first;
  }
  /// Writes it, from that before the tile.
  __device__ __forceinline__ void put(P const& problem, pair_sum const& before) const
  {
    pair_sum sum = up_to_end.sum;
    sum.add(before);
    typename P::element result;
    if (!round_pair(sum, result)) problem.states.fail(pair_states::across_tiles);
    problem.put(static_cast<std::size_t>(problem.ends.out(sequence)), result);
  }
};

/// Gives the tiles of a group the sums before them, in place of their own. Of sums of sequences, writes those that end
/// first in a tile.
template <class P>
__global__ void __launch_bounds__(carries_threads) sums_before_tiles_kernel(__grid_constant__ P const given)
{
  auto& block = shared_by_block<carries_block>();
  auto const& problem = at_its_turn(given);
  auto const& states = problem.states;
  // All blocks, or none: those that run wait for each other.
  if constexpr (P::reduces)
    if (states.has_failed_in_tile()) return;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  // Blocks wait for those with lower numbers alone, which have begun.
  if (threadIdx.x == 0) block.group = atomicAdd(&states.counters->ticket, 1ull);
  __syncthreads();
  std::size_t const group = block.group, tiles = problem.ends.tiles(),
                    first = group * tiles_of_group + threadIdx.x * std::size_t{tiles_of_thread};
  tile_sum own[tiles_of_thread];
#pragma unroll
  for (int i = 0; i < tiles_of_thread; ++i) own[i] = first + i < tiles ? states.of_tiles[first + i] : tile_sum{{}, 0};
  pair_sum sum;
  bool has_end = false;
#pragma unroll
  for (int i = 0; i < tiles_of_thread; ++i) {
    if (own[i].has_end != 0)
      sum = own[i].sum;
    else
      sum.add(own[i].sum);
    has_end = has_end || own[i].has_end != 0;
  }
  unsigned const ended = __ballot_sync(whole_warp, has_end);
  add_lanes(sum, reach_of(ended, lane), warp_lanes);
  if (lane == warp_lanes - 1) {
    *block.of_warps[warp] = sum;
    block.has_end_in_warp[warp] = ended != 0;
  }
  __syncthreads();
  if (warp == 0) {
    bool const is_mine = lane < carries_warps;
    unsigned const ended_warps = __ballot_sync(whole_warp, is_mine && block.has_end_in_warp[lane % carries_warps] != 0);
    pair_sum of_warps;
    if (is_mine) of_warps = *block.of_warps[lane];
    add_lanes(of_warps, reach_of(ended_warps, lane), carries_warps);
    pair_sum all = shuffle_from(of_warps, carries_warps - 1);
    if (lane == 0) states.publish(group, all, ended_warps != 0 ? pair_states::of_all : pair_states::of_group);
    pair_sum const carry = look_back(states, group, problem.initial);
    if (ended_warps == 0) {
      all.add(carry);
      if (lane == 0) states.publish(group, all, pair_states::of_all);
    }
    of_warps = shuffle_up(of_warps, 1);
    if (lane == 0) of_warps = pair_sum{};
    if ((ended_warps & ((1u << lane) - 1)) == 0) of_warps.add(carry);
    if (is_mine) *block.of_warps[lane] = of_warps;
  }
  __syncthreads();
  sum = shuffle_up(sum, 1);
  if (lane == 0) sum = pair_sum{};
  if ((ended & ((1u << lane) - 1)) == 0) sum.add(*block.of_warps[warp]);
  auto const pass = [&](int i) {
    if (own[i].has_end != 0)
      sum = own[i].sum;
    else
      sum.add(own[i].sum);
  };
  if constexpr (P::reduces) {
    constexpr int batch = 4;  // whose loads a thread waits for together
#pragma unroll
    for (int from = 0; from < tiles_of_thread; from += batch) {
      first_sum<P> sums[batch];
      auto const has_sum = [&](int j) { return own[from + j].has_end != 0 && first + from + j > 0; };
#pragma unroll
      for (int j = 0; j < batch; ++j)
        if (has_sum(j)) sums[j].load(problem, first + from + j);
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (has_sum(j)) sums[j].put(problem, sum);
        pass(from + j);
      }
    }
  } else {
    bool is_exact = true;
#pragma unroll
    for (int i = 0; i < tiles_of_thread; ++i) {
      if (first + i >= tiles) break;
      states.of_tiles[first + i].sum = sum;
      is_exact = is_exact && sum.lost == 0;
      pass(i);
    }
    if (!is_exact) states.tell_inexact();
  }
}

}  // namespace tally::cuda_backend::exact
