#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/segment_tickets.cuh"
#include "tally/detail/cuda/batch/segment_words.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// The kernels for scans of segments by words (segment_words.cuh).
namespace tally::cuda_backend {

/// Whether a kind of problem can be done by words.
template <class P>
inline constexpr bool fits_words = [] {
  using T = typename P::element;
  using offset = std::iter_value_t<typename P::offset_iterator>;
  if constexpr (!P::reduces && !P::from_back && is_plain<typename P::input> && is_plain<typename P::offset_iterator> &&
                is_plain<typename P::output> && has_identity<typename P::operation, T>)
    return std::is_same_v<std::remove_cv_t<std::iter_value_t<typename P::input>>, T> &&
           std::is_same_v<std::iter_value_t<typename P::output>, T> && std::is_same_v<working_type<T>, T> &&
           (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T) &&
           (sizeof(offset) == 4 || sizeof(offset) == 8);
  else
    return false;
}();

/// The sizes of the kernels, and of tickets (segment_tickets.cuh).
template <class P>
struct words_kernel_shape {
  static constexpr int strip = static_cast<int>(order::strip<typename P::element>);
  static constexpr int warps = 4, threads = warps * warp_lanes;
  static constexpr int blocks_a_processor = sizeof(typename P::element) == 4 ? 4 : 3;
  static constexpr int ticket = 8 * strip, least_ticket = strip / 2;
  static constexpr int most_in_ticket = 32 * strip, least_in_ticket = 16 * strip;
  static constexpr std::size_t bytes = warps * sizeof(segment_words_memory<P>);
};

/// The tickets of a call with its elements, or none if the call is the general kernel's whatever they are.
template <class P>
__device__ __forceinline__ segment_tickets tickets_by_words(P const& problem)
{
  using shape = words_kernel_shape<P>;
  std::size_t const elements = problem.offset(problem.segments) - problem.offset(0);
  if (problem.in_long_ones != nullptr) {
    segment_tickets tickets = segment_tickets::of(elements - *problem.in_long_ones, problem.segments, shape{});
    tickets.most = ~std::uint32_t{};
    return tickets;
  }
  if (elements / shape::most_in_ticket >= problem.segments) return {};
  return segment_tickets::of(elements, problem.segments, shape{});
}

/// Looks at the tickets, in as many blocks as the scan has.
template <class P>
__global__ void __launch_bounds__(words_kernel_shape<P>::threads)
    look_at_tickets_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  if (problem.segments != 0) look_at(tickets_by_words(problem), problem, epoch_of(problem));
}

/// Scans segments, unless a ticket is too large.
template <class P>
__global__ void __launch_bounds__(words_kernel_shape<P>::threads, words_kernel_shape<P>::blocks_a_processor)
    segment_words_kernel(__grid_constant__ P const given)
{
  using shape = words_kernel_shape<P>;
  auto const& problem = at_its_turn(given);
  if (problem.segments == 0) return;
  extern __shared__ __align__(16) unsigned char room[];
  std::uint32_t const epoch = epoch_of(problem);
  std::uint64_t* const words = words_of_tickets(problem);
  if (static_cast<std::uint32_t>(load_relaxed(words + word_of_call) >> 32) == epoch) return;
  segment_tickets const tickets = tickets_by_words(problem);
  tickets_of_warp<shape> own_tickets(tickets, words, epoch);
  // The segments of a ticket. Their offsets are asked for a ticket ahead.
  struct share {
    std::size_t first, last, begin, end;
  };
  auto const take = [&] {
    share result{own_tickets.take() * tickets.segments, 0, 0, 0};
    if (result.first >= problem.segments) return result;
    result.last =
        problem.segments - result.first > tickets.segments ? result.first + tickets.segments : problem.segments;
    result.begin = problem.offset(result.first);
    result.end = problem.offset(result.last);
    return result;
  };
  typename P::operation op = problem.op;
  auto& own = reinterpret_cast<segment_words_memory<P>*>(room)[threadIdx.x / warp_lanes];
  segment_words<P> work(problem, own, op);
  std::size_t const longest = problem.in_long_ones != nullptr ? problem.longest : ~std::size_t{};
  for (share now = take(); now.first < problem.segments;) {
    share const next = take();
    work.work(now.first, now.last, now.begin, now.end, longest);
    now = next;
  }
}

}  // namespace tally::cuda_backend
