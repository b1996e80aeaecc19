#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/segment_tickets.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/recurrence/words_of_segments.cuh"

/// The kernel for recurrences of segments by words (words_of_segments.cuh).
namespace tally::cuda_backend {

/// The sizes of the kernel, and of tickets (batch/segment_tickets.cuh).
template <class P>
struct recurrence_words_launch {
  static constexpr int warps = 4, threads = warps * warp_lanes;
  static constexpr int blocks_a_processor = sizeof(typename P::T) == 4 ? 4 : 3;  ///< as many as registers allow
  static constexpr int ticket = 32 * static_cast<int>(P::strip), least_ticket = static_cast<int>(P::strip);
  static constexpr int most_in_ticket = 0, least_in_ticket = 0;  ///< no ticket is too large: long segments are left out
  static constexpr std::size_t bytes = warps * sizeof(recurrence_words_memory<P>);
};

/// The work of a block: its warps have `memories`, one each.
template <class P>
__device__ __forceinline__ void recur_by_words(recurrence_words_memory<P>* memories, P const& p)
{
  using shape = recurrence_words_launch<P>;
  take_turn();
  std::size_t const elements = p.offset(p.segments) - p.offset(0) - *p.longs.elements;
  segment_tickets const tickets = segment_tickets::of(elements, p.segments, shape{});
  tickets_of_warp<shape> own_tickets(tickets, p.drawn, 1);
  // The segments of a ticket. Their offsets are asked for a ticket ahead.
  struct share {
    std::size_t first, last, begin, end;
  };
  auto const take = [&] {
    share result{own_tickets.take() * tickets.segments, 0, 0, 0};
    if (result.first >= p.segments) return result;
    result.last = p.segments - result.first > tickets.segments ? result.first + tickets.segments : p.segments;
    result.begin = p.offset(result.first);
    result.end = p.offset(result.last);
    return result;
  };
  recurrences_by_words<P> words(p, memories[threadIdx.x / warp_lanes]);
  for (share now = take(); now.first < p.segments;) {
    share const next = take();
    words.work(now.first, now.last, now.begin, now.end);
    now = next;
  }
}

/// Recurrences of segments that begin with the same state, on sm_90 and later.
template <class P>
__global__ void __launch_bounds__(recurrence_words_launch<P>::threads, recurrence_words_launch<P>::blocks_a_processor)
    recur_words_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(16) unsigned char room[];
  recur_by_words(reinterpret_cast<recurrence_words_memory<P>*>(room), p);
#endif
}

inline constexpr int last_states_threads = 256;

/// Copies the last states of segments that are not long from their results, by a thread each.
template <class P>
__global__ void __launch_bounds__(last_states_threads) put_last_states_kernel(__grid_constant__ P const p)
{
  take_turn();
  std::size_t const s = static_cast<std::size_t>(blockIdx.x) * last_states_threads + threadIdx.x;
  if (s >= p.segments) return;
  std::size_t const begin = p.offset(s), end = p.offset(s + 1);
  if (end - begin <= p.longest) p.lasts[s] = begin == end ? p.before_of(s) : p.out[end - 1];
}

}  // namespace tally::cuda_backend
