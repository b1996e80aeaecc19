#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/marked_heads.hpp"
#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/batch/warp_segments.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"

/// The heads of segments that offsets give, a bit for each element. Short segments are scanned by them
/// (short_runs.cuh).
namespace tally::cuda_backend {

/// Whether a kind of problem can go by heads.
template <class P>
inline constexpr bool fits_heads = fits_warps<P> && !P::reduces;

struct segment_heads_shape {
  static constexpr int threads = 256, each = 8;  ///< segments of a thread
  static constexpr int segments = threads * each;
  static constexpr std::uint32_t window = 2048;  ///< words of bits in shared memory
};

/// The arguments of the kernel that marks heads.
template <class P>
struct segment_heads_problem : P {
  std::uint32_t* bits;  ///< zeros, one for each element of whole parts
  std::size_t most;     ///< a bound on the number of elements
};

/// Marks the heads of segments that are not empty. Calls for the general kernel if a part that is not the last one has
/// no head.
template <class P>
__global__ void __launch_bounds__(segment_heads_shape::threads, 8)
    segment_heads_kernel(__grid_constant__ segment_heads_problem<P> const given)
{
  using shape = segment_heads_shape;
  constexpr std::size_t part = detail::batch::marked_heads::part;
  constexpr std::uint32_t none = ~0u;
  auto const& problem = at_its_turn(given);
  __shared__ std::uint32_t words[shape::window];
  std::size_t const segments = problem.segments, n = problem.offset(segments);
  auto const t = threadIdx.x;

  for (std::size_t first = std::size_t{blockIdx.x} * shape::segments; first < segments;
       first += std::size_t{gridDim.x} * shape::segments) {
    std::size_t const end = segments - first < shape::segments ? segments : first + shape::segments;
    std::size_t const from = problem.offset(first), upto = problem.offset(end);
    std::size_t const first_word = from / 32;
    std::uint32_t heads[shape::each];  // counted from the first word's first bit
    bool is_long = upto > problem.most || (first == 0 && from >= part);
    // A thread has neighbouring segments, whose heads often are bits of one word.
    std::size_t const own = first + t * shape::each;
    std::size_t offsets[shape::each + 1];
#pragma unroll
    for (int j = 0; j <= shape::each; ++j)
      offsets[j] = problem.offset(own + static_cast<std::size_t>(j) < end ? own + static_cast<std::size_t>(j) : end);
#pragma unroll
    for (int j = 0; j < shape::each; ++j) {
      std::size_t const head = offsets[j], tail = offsets[j + 1], behind = (head / part + 2) * part;
      heads[j] = head < tail ? static_cast<std::uint32_t>(head - first_word * 32) : none;
      is_long = is_long || (behind <= tail && behind < n);
    }
    if (__syncthreads_or(is_long) != 0) {
      if (t == 0) store_relaxed(words_of_tickets(problem) + word_of_call, tagged(1, epoch_of(problem)));
      return;
    }
    // No segment is long, so these are few.
    auto const all = static_cast<std::uint32_t>((upto + 31) / 32 - first_word);
    for (std::uint32_t at = 0; at < all; at += shape::window) {
      std::uint32_t const count = all - at < shape::window ? all - at : shape::window;
      for (std::uint32_t k = t; k < count; k += shape::threads) words[k] = 0;
      __syncthreads();
      std::uint32_t word = none, bits = 0;
#pragma unroll
      for (int j = 0; j < shape::each; ++j) {
        if (heads[j] == none) continue;
        if (std::uint32_t const next = heads[j] / 32 - at; next != word) {
          if (word < count) atomicOr(&words[word], bits);
          word = next, bits = 0;
        }
        bits |= 1u << heads[j] % 32;
      }
      if (word < count) atomicOr(&words[word], bits);
      __syncthreads();
      // The segments of other blocks have bits in the first and in the last word.
      for (std::uint32_t k = t; k < count; k += shape::threads) {
        bool const is_own = (at + k > 0 || from % 32 == 0) && (at + k + 1 < all || upto % 32 == 0);
        std::uint32_t* const word = problem.bits + first_word + at + k;
        if (is_own)
          *word = words[k];
        else
          atomicOr(word, words[k]);
      }
      __syncthreads();
    }
  }
}

/// The heads that the kernel above has marked, for the one behind it.
template <class Offsets>
struct heads_by_offsets {
  Offsets offsets;
  std::size_t segments;
  detail::count_in_memory fewer;
  std::uint32_t const* bits;
  control const* shared;
  std::uint64_t const* call;

  /// Whether the segments are short.
  __device__ bool find(detail::batch::marked_heads& heads) const
  {
    std::size_t const count = fewer.place != nullptr ? fewer.up_to(segments) : segments;
    heads = {bits, nullptr, static_cast<std::size_t>(detail::at_index(offsets, count))};
    auto const epoch = static_cast<std::uint32_t>(load_relaxed(&shared->next) >> 32) + 1;
    return heads.n != 0 && static_cast<std::uint32_t>(load_relaxed(call) >> 32) != epoch;
  }
};

}  // namespace tally::cuda_backend
