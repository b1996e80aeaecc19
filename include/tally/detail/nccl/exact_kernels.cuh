#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/exact/level_sum.cuh"
#include "tally/detail/cuda/exact/reduce_kernel.cuh"
#include "tally/detail/cuda/exact/sequences_kernel.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/nccl/exact_call.hpp"

/// The kernels of exact sums on several GPUs: the sums of a rank's parts, which it shares, and scans on top of sums.
namespace tally::nccl_backend {

using cuda_backend::warp_lanes;

/// The exact sum of a part.
template <class T, class In, class Transform>
struct exact_total_problem {
  using element = T;
  using input = In;

  In in;
  std::size_t size;
  Transform transform;
  cuda_backend::exact::accumulator<T>* all;
};
/// Each block adds its share to *problem.all.
template <class P>
__global__ void __launch_bounds__(cuda_backend::exact::sum_threads, 3)
    exact_total_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using sum_type = cuda_backend::exact::accumulator<T>;
  constexpr int block = cuda_backend::exact::sum_threads;
  __shared__ sum_type own;
  int const thread = static_cast<int>(threadIdx.x);
  own.clear(thread, block);
  cuda_backend::take_turn();
  __syncthreads();
  cuda_backend::exact::level_sum<T, cuda_backend::exact::lanes::together, sum_type> sum;
  cuda_backend::exact::add_share(problem, sum, own, [] {});
  sum.end(own);
  __syncthreads();
  if (thread == 0) own.carry();
  __syncthreads();
  for (int i = own.first() + thread; i < own.end; i += block) problem.all->add_digit(i, own.digit[i]);
  if (thread != 0) return;
  if (own.depth > 0) problem.all->use(own.first(), own.end);
  problem.all->note(own.kinds);
}

/// Sequences of one length, whose initial values are the sums in memory with their numbers.
template <class In>
struct numbered_places : cuda_backend::exact::regular_places<In> {
  __device__ __forceinline__ auto at(std::size_t s) const
  {
    auto of = cuda_backend::exact::regular_places<In>::at(s);
    of.initial = static_cast<std::ptrdiff_t>(s);
    return of;
  }
};

/// The exact sums of parts of sequences, each of which is in `pieces` pieces.
template <class T, class In>
struct exact_totals_problem {
  using element = T;

  cuda_backend::exact::regular_places<In> places;
  std::size_t pieces;
  cuda_backend::exact::accumulator<T>* sums;

  template <class Sequence>
  __device__ __forceinline__ double term(Sequence const& of, std::size_t k) const
  {
    return as_term(static_cast<T>(places.element(of, k)));
  }
};
/// Warps, or lanes of their own, add pieces to the sums of their sequences.
template <class P, cuda_backend::exact::lanes Way>
__global__ void __launch_bounds__(cuda_backend::exact::sequence_threads, 3)
    exact_totals_kernel(__grid_constant__ P const problem)
{
  namespace exact = cuda_backend::exact;
  using T = typename P::element;
  constexpr bool together = Way == exact::lanes::together;
  constexpr int width = together ? 1 : warp_lanes;
  constexpr int in_hand = together ? exact::terms_in_hand_together : exact::terms_in_hand_alone;
  cuda_backend::take_turn();
  std::size_t const sequences = problem.places.sequences(), groups = (sequences + width - 1) / width;
  std::size_t const n = problem.places.where.along.extent, each = (n + problem.pieces - 1) / problem.pieces;
  std::size_t const step = static_cast<std::size_t>(gridDim.x) * exact::sequence_warps;
  for (std::size_t unit = blockIdx.x * exact::sequence_warps + threadIdx.x / warp_lanes; unit < groups * problem.pieces;
       unit += step) {
    std::size_t const s = unit % groups * width + (together ? 0 : threadIdx.x % warp_lanes);
    std::size_t const begin = unit / groups * each;
    if (s >= sequences || begin >= n) continue;
    exact::level_sum<T, Way, exact::accumulator<T>> sum;
    exact::add_elements<together ? warp_lanes : 1, in_hand>(problem, problem.places.at(s), begin,
                                                            n - begin > each ? begin + each : n, sum, problem.sums[s]);
    sum.end(problem.sums[s]);
  }
}

template <class T>
struct convert_sums {
  cuda_backend::exact::accumulator<T> const* from;
  exact_sum<T>* to;
  __device__ void operator()(std::size_t s) const
  {
    exact_sum<T> result;
    for (int i = from[s].first(); i < from[s].end; ++i) result.all().set_digit(i, from[s].digit[i]);
    result.note(static_cast<std::uint8_t>(from[s].kinds));
    to[s] = result.carried();
  }
};

/// Exact scans on top of sums in memory: that of a sequence has the number `initial`.
template <class P>
struct continued_exact_scan : P {
  exact_sum<typename P::element> const* before;

  template <class Sequence, class Accumulator>
  __device__ __forceinline__ void add_initial(Sequence const& of, Accumulator& sum) const
  {
    auto const& start = before[of.initial];
    constexpr int digits = exact_sum<typename P::element>::numbers::digits;
    int first = 0;
    while (first < digits && start.all().digit(first) == 0) ++first;
    if (first < digits) sum.use(first, digits);
    for (int i = first; i < digits; ++i) sum.add_digit(i, start.all().digit(i));
    sum.note(start.kinds());
    sum.carry();
  }
};

}  // namespace tally::nccl_backend
