#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/long_segments.cuh"
#include "tally/detail/cuda/batch/segment_tickets.cuh"
#include "tally/detail/cuda/batch/tree_reduction.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/order.hpp"

/// The kernel for reductions of segments straight from memory.
namespace tally::cuda_backend {

/// The sizes of the kernel, and of tickets (segment_tickets.cuh).
template <class P>
struct trees_shape {
  static constexpr int strip = static_cast<int>(order::strip<typename P::element>);
  static constexpr int warps = 8, threads = warps * warp_lanes;
  static constexpr int blocks_a_processor = sizeof(typename P::element) == 4 ? 3 : 2;
  static constexpr int ticket = 8 * strip, least_ticket = strip / 2;
  static constexpr int most_in_ticket = 32 * strip, least_in_ticket = 16 * strip;
  union memory {
    uninitialized<typename tree_reduction<P>::memory> trees;
    uninitialized<typename long_reduction<P>::memory> along;
  };
  static constexpr std::size_t bytes = warps * sizeof(memory);
};

/// The tickets of a call with its elements, or none if the call is the general kernel's whatever they are.
template <class P>
__device__ __forceinline__ segment_tickets tickets_of_trees(P const& problem)
{
  using shape = trees_shape<P>;
  std::size_t const elements = problem.offset(problem.segments) - problem.offset(0);
  if (elements / shape::most_in_ticket >= problem.segments) return {};
  segment_tickets result = segment_tickets::of(elements, problem.segments, shape{});
  if (result.segments > warp_lanes)
    result.template share_out<shape>(problem.segments, result.segments / warp_lanes * warp_lanes);
  return result;
}

/// Reduces segments, unless a ticket is too large or they are short on average, by a block whose warps have `memories`.
template <class P>
__device__ __forceinline__ void reduce_by_trees(P const& given, typename trees_shape<P>::memory* memories)
{
  using shape = trees_shape<P>;
  auto const& problem = at_its_turn(given);
  if (problem.segments == 0 || !is_reduced_by_trees(problem)) return;
  auto& own = memories[threadIdx.x / warp_lanes];
  std::uint32_t const epoch = epoch_of(problem);
  std::uint64_t* const words = words_of_tickets(problem);
  typename P::operation op = problem.op;
  if (long_reduction<P>::is_for(problem))
    return long_reduction<P>(given, problem.segments, *own.along, op, words + word_of_shares, epoch).work();
  segment_tickets const tickets = tickets_of_trees(problem);
  look_at(tickets, problem, epoch);
  if (tickets.count == 0) return;
  tickets_of_warp<shape> own_tickets(tickets, words, epoch);
  tree_reduction<P> work(problem, *own.trees, op);
  while (true) {
    std::size_t const ticket = own_tickets.take();
    std::size_t first = ticket * tickets.segments;
    if (first >= problem.segments) return;
    // A block may have found a ticket that is too large. One ticket in eight looks, since the word is one for all.
    if (ticket / 32 % 8 == 0 &&
        __any_sync(whole_warp, static_cast<std::uint32_t>(load_relaxed(words + word_of_call) >> 32) == epoch))
      return;
    std::size_t const last = problem.segments - first > tickets.segments ? first + tickets.segments : problem.segments;
    if (problem.offset(last) - problem.offset(first) > tickets.most) return;  // the call is the general kernel's
    for (; first < last; first += warp_lanes)
      work.reduce(first, static_cast<int>(last - first < warp_lanes ? last - first : warp_lanes));
  }
}

/// Reduces segments, on sm_80 and later.
template <class P>
__global__ void __launch_bounds__(trees_shape<P>::threads, trees_shape<P>::blocks_a_processor)
    tree_segments_kernel(__grid_constant__ P const given)
{
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(16) unsigned char room[];
  reduce_by_trees(given, reinterpret_cast<typename trees_shape<P>::memory*>(room));
#endif
}

}  // namespace tally::cuda_backend
