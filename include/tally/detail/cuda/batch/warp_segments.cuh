#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/batch/lane_segments.cuh"
#include "tally/detail/cuda/batch/long_segments.cuh"
#include "tally/detail/cuda/batch/segment_tickets.cuh"
#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/batch/warp_reduction.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"

/// The kernel for reductions of segments by warps that each work alone (warp_parts.cuh).
namespace tally::cuda_backend {

template <class P>
inline constexpr std::size_t warps_bytes = warp_shape<P>::warps * sizeof(warp_reduction_memory<P>);

/// The tickets of a call with its elements, or none if the call is the general kernel's whatever they are.
template <class P>
__device__ __forceinline__ warp_tickets tickets_of(P const& problem)
{
  using shape = warp_shape<P>;
  std::size_t const elements = problem.offset(problem.segments) - problem.offset(0);
  // Offsets in shared memory are words of four bytes.
  if (elements >> 31 != 0 || elements / shape::most_in_ticket >= problem.segments) return {};
  warp_tickets tickets = warp_tickets::of(elements, problem.segments, shape{});
  tickets.by_lanes = elements < shape::mean_by_lanes * problem.segments && problem.initials == nullptr;
  tickets.are_long = elements >= shape::least_mean_looked_at * problem.segments;
  if (tickets.by_lanes) {
    tickets.segments = lane_reduction<P>::ticket;
    tickets.count = (problem.segments + tickets.segments - 1) / tickets.segments;
    return tickets;
  }
  return 8 * elements < shape::least_mean_of_8 * problem.segments ? warp_tickets{} : tickets;
}

/// Whether one of some tickets is too large, by all threads of each block. All blocks look at the same ones, so they
/// leave together.
template <class P>
__device__ __forceinline__ bool looks_too_large(warp_tickets const& tickets, P const& problem, std::uint32_t epoch)
{
  using shape = warp_shape<P>;
  constexpr std::size_t all = static_cast<std::size_t>(shape::looked_at) * shape::threads;
  bool too_large = false;
#pragma unroll
  for (int j = 0; j < shape::looked_at; ++j) {
    std::size_t const k = (static_cast<std::size_t>(j) * shape::threads + threadIdx.x) * tickets.count / all;
    too_large |= is_too_large(tickets, problem, k);
  }
  if (too_large) store_relaxed(words_of_tickets(problem) + word_of_call, tagged(1, epoch));
  return __syncthreads_or(too_large) != 0;
}

template <class P>
__global__ void __launch_bounds__(warp_shape<P>::threads, warp_shape<P>::blocks_a_processor)
    warp_segments_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  if (problem.segments == 0) return;
  extern __shared__ __align__(16) unsigned char room[];
  std::uint32_t const epoch = epoch_of(problem);
  std::uint64_t* const words = words_of_tickets(problem);
  typename P::operation op = problem.op;
  auto& own = reinterpret_cast<warp_reduction_memory<P>*>(room)[threadIdx.x / warp_lanes];
  if (long_reduction<P>::is_for(problem))
    return long_reduction<P>(given, problem.segments, own, op, words + word_of_shares, epoch).work();
  warp_tickets const tickets = tickets_of(problem);
  if (tickets.are_long && looks_too_large(tickets, problem, epoch)) return;
  look_at(tickets, problem, epoch);
  if (tickets.count == 0) return;
  if (tickets.by_lanes) return lane_reduction<P>(problem, own, tickets, op).work(words + word_of_call, epoch);
  warp_reduction<P> work(problem, own, op);
  warp_parts<P>(problem, own.room, tickets, words, words + word_of_call, epoch)
      .for_each([&](warp_part const& part, auto const& elements) { work.work_on(part, elements); });
}

}  // namespace tally::cuda_backend
