#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/batch/lane_segments.cuh"
#include "tally/detail/cuda/batch/segment_tickets.cuh"
#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/batch/warp_reduction.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"

/// The kernel for reductions of short segments by warps that each work alone (warp_parts.cuh).
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
  if (tickets.by_lanes) {
    tickets.segments = lane_reduction<P>::ticket;
    tickets.count = (problem.segments + tickets.segments - 1) / tickets.segments;
    return tickets;
  }
  return 8 * elements < shape::least_mean_of_8 * problem.segments ? warp_tickets{} : tickets;
}

template <class P>
__global__ void __launch_bounds__(warp_shape<P>::threads, warp_shape<P>::blocks_a_processor)
    warp_segments_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  if (problem.segments == 0 || is_reduced_by_trees(problem)) return;
  extern __shared__ __align__(16) unsigned char room[];
  std::uint32_t const epoch = epoch_of(problem);
  std::uint64_t* const words = words_of_tickets(problem);
  typename P::operation op = problem.op;
  auto& own = reinterpret_cast<warp_reduction_memory<P>*>(room)[threadIdx.x / warp_lanes];
  warp_tickets const tickets = tickets_of(problem);
  look_at(tickets, problem, epoch);
  if (tickets.count == 0) return;
  if (tickets.by_lanes) return lane_reduction<P>(problem, own, tickets, op).work(words + word_of_call, epoch);
  warp_reduction<P> work(problem, own, op);
  warp_parts<P>(problem, own.room, tickets, words, words + word_of_call, epoch)
      .for_each([&](warp_part const& part, auto const& elements) { work.work_on(part, elements); });
}

}  // namespace tally::cuda_backend
