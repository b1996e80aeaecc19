#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/exact/pair_ends.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// Exact scans, and sums of short sequences, by pairs of doubles (pair_sum.hpp): of sequences that lie one behind the
/// other, in one pass over memory.
///
/// A block takes a tile of all elements, whatever sequences these belong to. Each thread adds up 16 neighbours, and
/// begins anew behind the end of a sequence. Pairs pass from thread to thread and from warp to warp by scans that stop
/// at such ends, and from tile to tile by a look back at the tiles before. The brackets differ from run to run, and so
/// do the bounds of what was dropped; the rounded results cannot.
///
/// A result that the pair does not tell sets a flag, and the blocks stop. The kernels behind then do the call again.
namespace tally::cuda_backend::exact {

/// The arguments of a call.
template <class T, class In, class Out, class Transform, class Ends, bool Reduces>
struct pairs_problem {
  using element = T;
  using ends_type = Ends;
  static constexpr bool reduces = Reduces;

  In in;
  Out out;
  Transform transform;
  Ends ends;
  double initial;  ///< the value with which each sequence begins
  T nothing;       ///< the sum of no terms
  bool is_exclusive;
  bool writes;      ///< or only finds out whether pairs tell all results
  bool is_checked;  ///< by an earlier run, which has left the sums before the tiles
  pair_states states;

  __device__ void read_count()
    requires requires(Ends& of) { of.read_count(); }
  {
    ends.read_count();
  }
  __device__ __forceinline__ T term(std::size_t k) const
  {
    if constexpr (std::is_same_v<Transform, std::identity>) {
      return static_cast<T>(detail::at_index(in, k));
    } else {
      Transform own = transform;
      return static_cast<T>(own(detail::at_index(in, k)));
    }
  }
  __device__ __forceinline__ void put(std::size_t k, T const& result) const { detail::at_index(out, k) = result; }
  __device__ __forceinline__ void put_sum(std::size_t sequence, pair_sum const& sum) const
  {
    T result;
    if (!round_pair(sum, result)) states.fail();
    put(static_cast<std::size_t>(ends.out(sequence)), result);
  }
  __device__ __forceinline__ void put_sum(std::size_t sequence, plain_sum const& sum) const
  {
    put(static_cast<std::size_t>(ends.out(sequence)), static_cast<T>(sum.value));
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

/// Adds up the warps' sums, hands over the tile's, and finds the sum before each warp, by one warp. False if the call
/// has failed.
template <class P>
__device__ __forceinline__ bool join_warps(P const& problem, std::size_t tile, uninitialized<pair_sum>* of_warps,
                                           unsigned ended_warps)
{
  auto const& states = problem.states;
  int const lane = static_cast<int>(threadIdx.x);
  pair_sum sum, before;
  if (lane < pair_warps) sum = *of_warps[lane];
  add_lanes(sum, reach_of(ended_warps, lane), pair_warps);
  before = shuffle_up(sum, 1);
  if (lane == 0) before = pair_sum{};
  pair_sum all = shuffle_from(sum, pair_warps - 1), carry;
  bool is_known = true;
  if (problem.is_checked) {
    carry = states.before[tile];
  } else {
    if (lane == 0) {
      if (ended_warps != 0)
        states.publish(tile, all, pair_states::of_all);
      else if (tile != 0)
        states.publish(tile, all, pair_states::of_tile);
    }
    is_known = look_back(states, tile, problem.initial, carry);
    if (lane == 0 && is_known) {
      if (states.before != nullptr) states.before[tile] = carry;
      if (ended_warps == 0) {
        all.add(carry);
        states.publish(tile, all, pair_states::of_all);
      }
    }
  }
  if ((ended_warps & ((1u << lane) - 1)) == 0) before.add(carry);
  if (lane < pair_warps) *of_warps[lane] = before;
  return is_known;
}

struct no_ends {};

template <class P>
__global__ void __launch_bounds__(pair_threads, 4) pairs_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  using ends_type = typename P::ends_type;
  extern __shared__ __align__(16) unsigned char raw[];
  T* const values = reinterpret_cast<T*>(raw);
  std::uint32_t* const marks = reinterpret_cast<std::uint32_t*>(raw + bytes_of_values<T>);
  __shared__ uninitialized<pair_sum> of_warps[pair_warps];
  __shared__ unsigned has_end_in_warp[pair_warps];
  __shared__ unsigned long long drawn;
  __shared__ bool goes_on;
  auto const& problem = at_its_turn(given);
  auto const& states = problem.states;
  std::size_t const size = problem.ends.size(), first = problem.ends.first(), tiles = problem.ends.tiles();
  int const t = static_cast<int>(threadIdx.x), lane = t % warp_lanes, warp = t / warp_lanes;
  if (problem.is_checked && states.has_failed()) return;
  for (std::size_t turn = blockIdx.x;; turn += gridDim.x) {
    if (t == 0) drawn = problem.is_checked ? turn : states.has_failed() ? ~0ull : atomicAdd(states.ticket, 1ull);
    __syncthreads();
    std::size_t const tile = drawn;
    if (tile >= tiles) return;
    std::size_t const begin = tile * pair_tile, left = size - begin;
    loaded_terms<P> loaded;
    loaded.load(problem, first + begin, left);
    std::size_t const first_sequence = mark_ends(problem, tile, first + begin, marks);
    loaded.store(values);
    __syncthreads();

    T* const own = values + place_in_tile<T>(t * pair_terms);
    auto const ends = [&] {
      if constexpr (ends_type::has_ends)
        return typename ends_type::own_ends(problem.ends, begin + t * pair_terms,
                                            marks + place_in_tile<std::uint32_t>(t * pair_terms), first_sequence);
      else
        return no_ends{};
    }();
    [[maybe_unused]] float_sizes sizes;
    bool is_plain = false;
    if constexpr (adds_up_floats<T>) {
      sizes = sizes_of_warp(problem, own);
      is_plain = sizes.have_plain_sums();
    }
    sums_of_thread sums = is_plain ? add_terms<plain_sum>(problem, own, ends) : add_terms<pair_sum>(problem, own, ends);

    unsigned const ended = ends_type::has_ends ? __ballot_sync(whole_warp, sums.has_end) : 0;
    if (is_plain) {
      plain_sum open{sums.open.high};
      add_lanes(open, reach_of(ended, lane), warp_lanes);
      sums.open = open;
    } else {
      add_lanes(sums.open, reach_of(ended, lane), warp_lanes);
    }
    if (lane == warp_lanes - 1) {
      *of_warps[warp] = sums.open;
      has_end_in_warp[warp] = ended != 0;
    }
    pair_sum sum = shuffle_up(sums.open, 1);
    if (lane == 0) sum = pair_sum{};
    __syncthreads();
    if (warp == 0) {
      unsigned const ended_warps =
          __ballot_sync(whole_warp, lane < pair_warps && has_end_in_warp[lane % pair_warps] != 0);
      bool const is_known = join_warps(problem, tile, of_warps, ended_warps);
      if (lane == 0) goes_on = is_known;
    }
    __syncthreads();
    if (!goes_on) return;
    if ((ended & ((1u << lane) - 1)) == 0) sum.add(*of_warps[warp]);

    if constexpr (P::reduces) {
      bool const stay_plain = is_plain && __all_sync(whole_warp, sizes.have_plain_sums_on(sum));
      if (sums.has_end) {
        if (stay_plain) {
          problem.put_sum(sums.closed, plain_sum{sums.closing.high + sum.high});
        } else {
          sums.closing.add(sum);
          problem.put_sum(sums.closed, sums.closing);
        }
      }
    } else {
      bool const is_known = problem.is_exclusive ? scan_in_own_way<true>(problem, sum, is_plain, sizes, own, ends)
                                                 : scan_in_own_way<false>(problem, sum, is_plain, sizes, own, ends);
      if (__syncthreads_or(!is_known ? 1 : 0) != 0) {
        if (t == 0) states.fail();
        return;
      }
      if (problem.writes) store_tile(problem, first + begin, left, values);
    }
  }
}

}  // namespace tally::cuda_backend::exact
