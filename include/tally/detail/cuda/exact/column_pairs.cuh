#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/sequences_kernel.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Exact sums by pairs of doubles (pair_sum.hpp) of sequences that lie side by side, as columns do: neighbouring lanes
/// add up neighbouring sequences. Of few sequences each is in pieces, and a second kernel adds up the sums of these.
///
/// A sum that its pair does not tell sets a flag. The kernels behind then do the call again, by levels.
namespace tally::cuda_backend::exact {

/// The arguments of a call: those of sums_problem, and these.
template <class P>
struct column_pairs_problem : P {
  pair_sum* of_pieces;  ///< of a sequence with several pieces, one behind the other
  unsigned* failed;     ///< whether a pair did not tell a sum; 0 at first

  /// Adds the initial value and rounds, and writes the result.
  template <class Sequence>
  __device__ __forceinline__ void finish(Sequence const& of, pair_sum sum) const
  {
    typename P::element result = this->nothing;
    if (this->begins()) sum.add(this->initial_of(of));
    if (of.size == 0 && !this->begins()) return this->put(of, result);
    if (!round_pair(sum, result)) *const_cast<unsigned volatile*>(failed) = 1;
    this->put(of, result);
  }
};

/// The terms of a sequence that a lane reads at a time: 64 bytes, and 16 terms at most.
template <class T>
inline constexpr int column_terms = sizeof(T) == 8 ? 8 : 16;

/// Adds Count terms.
template <class T, int Count>
__device__ __forceinline__ void add_terms_of_column(T const (&x)[Count], pair_sum& sum)
{
  if constexpr (adds_up_floats<T>) {
    float_sizes sizes;
#pragma unroll
    for (int i = 0; i < Count; ++i) sizes.add(static_cast<float>(x[i]));
    if (sizes.have_plain_sums()) {
      plain_sum plain;
#pragma unroll
      for (int i = 0; i < Count; ++i) plain.add(term_of(x[i]));
      return sum.add(plain.value);
    }
  }
#pragma unroll
  for (int i = 0; i < Count; ++i) sum.add(term_of(x[i]));
}

/// The sum of the terms [begin, end) of a sequence.
template <class P, class Sequence>
__device__ __forceinline__ pair_sum sum_of_column(P const& problem, Sequence const& of, std::size_t begin,
                                                  std::size_t end)
{
  using T = typename P::element;
  constexpr int count = column_terms<T>;
  auto all = problem.places.in_memory(of);
  all.first += static_cast<std::ptrdiff_t>(begin) * all.step;
  pair_sum sum;
  T x[count];
  for (; end - begin >= count; begin += count, all.first += count * all.step) {
#pragma unroll
    for (int i = 0; i < count; ++i) x[i] = static_cast<T>(all[i]);
    add_terms_of_column(x, sum);
  }
  if (begin < end) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      x[i] = static_cast<T>(-0.0);
      if (begin + i < end) x[i] = static_cast<T>(all[i]);
    }
    add_terms_of_column(x, sum);
  }
  return sum;
}

/// Adds up pieces, or whole sequences if there is one piece of each.
template <class P>
__global__ void __launch_bounds__(sequence_threads, 4) column_pairs_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  std::size_t const pieces = problem.pieces, sequences = problem.places.sequences(),
                    groups = (sequences + warp_lanes - 1) / warp_lanes;
  auto const lane = static_cast<std::size_t>(threadIdx.x % warp_lanes);
  for (std::size_t unit = blockIdx.x * std::size_t{sequence_warps} + threadIdx.x / warp_lanes; unit < groups * pieces;
       unit += static_cast<std::size_t>(gridDim.x) * sequence_warps) {
    std::size_t const s = unit % groups * warp_lanes + lane, piece = unit / groups;
    if (s >= sequences) continue;
    auto const of = problem.places.at(s);
    std::size_t const share = (of.size + pieces - 1) / pieces, end = (piece + 1) * share,
                      begin = piece * share < of.size ? piece * share : of.size;
    pair_sum const sum = sum_of_column(problem, of, begin, end < of.size ? end : of.size);
    if (pieces > 1)
      problem.of_pieces[s * pieces + piece] = sum;
    else
      problem.finish(of, sum);
  }
}

/// The lanes that add up the pieces of a sequence: a power of two.
inline unsigned lanes_of_pieces(std::size_t pieces)
{
  return static_cast<unsigned>(std::bit_ceil(std::min(pieces, std::size_t{warp_lanes})));
}

/// Adds up the sums of pieces, by `at_a_time` lanes for each sequence.
template <class P>
__global__ void __launch_bounds__(sequence_threads) column_pieces_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  std::size_t const pieces = problem.pieces, sequences = problem.places.sequences();
  unsigned const lanes = problem.at_a_time, lane = threadIdx.x % lanes;
  std::size_t const s = (blockIdx.x * std::size_t{sequence_threads} + threadIdx.x) / lanes;
  pair_sum sum;
  if (s < sequences)
    for (std::size_t piece = lane; piece < pieces; piece += lanes) sum.add(problem.of_pieces[s * pieces + piece]);
  for (unsigned mask = lanes / 2; mask > 0; mask /= 2) sum.add(shuffle_xor(sum, static_cast<int>(mask)));
  if (lane == 0 && s < sequences) problem.finish(problem.places.at(s), sum);
}

}  // namespace tally::cuda_backend::exact
