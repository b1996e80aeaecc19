#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/counted.hpp"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/exact/level_sum.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"

/// The exact sum of one array.
namespace tally::cuda_backend::exact {

inline constexpr int sum_threads = 256;

/// The arguments of a call's kernel.
template <class T, class In, class Out, class Transform>
struct sum_problem {
  using element = T;
  using input = In;
  static constexpr bool is_counted = false;
  /// The words with which a block publishes its sum: the range of digits and the kinds of terms, and the digits.
  static constexpr std::size_t words_of_block = accumulator<T>::digits + 1;

  In in;
  Out out;
  std::size_t size;
  Transform transform;
  working_type<T> init;  ///< an initial value, which is a term, or the value of nothing
  bool has_init;
  control* shared;
  std::uint64_t* words;
  std::size_t capacity;
};

/// The elements that a thread reads at a time, as they are stored: 64 bytes, and 16 elements at most.
template <class Stored>
inline constexpr int elements_in_hand = sizeof(Stored) >= 16  ? 4
                                        : sizeof(Stored) <= 4 ? 16
                                                              : 64 / sizeof(Stored);

/// Adds a block's share of the elements: pieces of 16 KiB in turns, so that all blocks read from one region of memory.
template <class P>
__device__ __forceinline__ void add_share(P const& problem, accumulator<typename P::element>& all)
{
  using T = typename P::element;
  using In = typename P::input;
  using stored = std::remove_cv_t<std::iter_value_t<In>>;
  constexpr int count = elements_in_hand<stored>;
  constexpr std::size_t piece = static_cast<std::size_t>(count) * sum_threads;
  auto transform = problem.transform;
  level_sum<T, lanes::together, accumulator<T>> sum;
  std::size_t head = 0, pieces = 0;
  if constexpr (is_plain<In> && 16 % sizeof(stored) == 0 && sizeof(stored) <= 8) {
    constexpr int group = static_cast<int>(16 / sizeof(stored)), groups = count / group;
    using packed = packed_group<stored, group>;
    head = (16 - reinterpret_cast<std::uintptr_t>(problem.in) % 16) % 16 / sizeof(stored);
    pieces = problem.size > head ? (problem.size - head) / piece : 0;
    stored const* const from = problem.in + head + threadIdx.x * group;
    packed next[groups];
    auto const load = [&](std::size_t p) {
#pragma unroll
      for (int g = 0; g < groups; ++g) next[g].load_aligned(from + p * piece + g * group * sum_threads);
    };
    std::size_t p = blockIdx.x;
    if (p < pieces) load(p);
    while (p < pieces) {
      double x[count];
#pragma unroll
      for (int k = 0; k < count; ++k)
        x[k] = static_cast<double>(element_of<T>(next[k / group].get(k % group), transform));
      p += gridDim.x;
      if (p < pieces) load(p);
      sum.add(x, all);
    }
  }
  // The rest, which is not in whole pieces: in memory, elements before the first aligned one, and the last ones.
  std::size_t const rest = problem.size - pieces * piece;
  std::size_t const parts = (rest + piece - 1) / piece;
  for (std::size_t p = (blockIdx.x + gridDim.x - pieces % gridDim.x) % gridDim.x; p < parts; p += gridDim.x) {
    double x[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      std::size_t const i = p * piece + k * sum_threads + threadIdx.x;
      x[k] = i < rest ? static_cast<double>(element_of<T>(
                            static_cast<stored>(
                                problem.in[static_cast<std::iter_difference_t<In>>(i < head ? i : i + pieces * piece)]),
                            transform))
                      : -0.0;
    }
    sum.add(x, all);
  }
  sum.end(all);
}

/// Publishes a block's sum, after carry(), by the threads of its first warp.
template <class T>
__device__ __forceinline__ void publish_sum(accumulator<T> const& own, std::uint64_t* words, std::uint32_t epoch)
{
  int const lane = static_cast<int>(threadIdx.x), count = own.end - own.first();
  for (int i = lane; i < count; i += warp_lanes)
    store_relaxed(words + 1 + i, tagged(static_cast<std::uint32_t>(own.digit[own.first() + i]), epoch));
  if (lane == 0)
    store_relaxed(words, tagged(static_cast<std::uint32_t>(own.first()) | static_cast<std::uint32_t>(own.end) << 8 |
                                    own.kinds << 16,
                                epoch));
}

/// Waits for the part of a word of this epoch.
__device__ __forceinline__ std::uint32_t awaited(std::uint64_t const* word, std::uint64_t read, std::uint32_t epoch)
{
  while (static_cast<std::uint32_t>(read >> 32) != epoch) {
    __nanosleep(32);
    read = load_relaxed(word);
  }
  return static_cast<std::uint32_t>(read);
}

/// Adds the sums that the other blocks publish. Each thread waits for a block; a warp adds up its digits.
template <class T>
__device__ __forceinline__ void gather_sums(accumulator<T>& all, std::uint64_t const* words, std::size_t words_of_block,
                                            std::uint32_t epoch)
{
  constexpr int at_once = 8;
  for (unsigned first = 1 + threadIdx.x / warp_lanes * warp_lanes; first < gridDim.x; first += sum_threads) {
    unsigned const block = first + threadIdx.x % warp_lanes;
    std::uint64_t const* const own = words + block * words_of_block;
    int begin = accumulator<T>::digits, end = 0;
    if (block < gridDim.x) {
      std::uint32_t const head = awaited(own, load_relaxed(own), epoch);
      all.note(head >> 16);
      begin = static_cast<int>(head & 0xff);
      end = static_cast<int>(head >> 8 & 0xff);
    }
    int const least = __reduce_min_sync(whole_warp, begin), most = __reduce_max_sync(whole_warp, end);
    for (int from = least; from < most; from += at_once) {
      std::uint64_t read[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (from + i >= begin && from + i < end) read[i] = load_relaxed(own + 1 + from + i - begin);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (from + i >= most) break;
        long long digit = 0;
        if (from + i >= begin && from + i < end) {
          std::uint32_t const part = awaited(own + 1 + from + i - begin, read[i], epoch);
          // The highest digit has the sign.
          digit = from + i + 1 == end ? static_cast<long long>(static_cast<std::int32_t>(part)) : part;
        }
#pragma unroll
        for (int mask = warp_lanes / 2; mask > 0; mask /= 2) digit += __shfl_xor_sync(whole_warp, digit, mask);
        if (threadIdx.x % warp_lanes == 0) all.add_digit(from + i, digit);
      }
    }
    if (threadIdx.x % warp_lanes == 0 && least < most) all.use(least, most);
  }
}

/// The sum of an array: each block adds its share, and block 0 adds up the blocks' sums.
template <class P>
__global__ void __launch_bounds__(sum_threads, 3) sum_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  __shared__ accumulator<T> all;
  __shared__ std::uint32_t epoch;
  all.clear(static_cast<int>(threadIdx.x), sum_threads);
  auto const& problem = at_its_turn(given);
  if (gridDim.x > 1 && threadIdx.x == 0)
    epoch = resolve(*problem.shared, draw_unseen(*problem.shared), gridDim.x).epoch;
  __syncthreads();
  add_share(problem, all);
  __syncthreads();
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) all.carry();
    if (blockIdx.x > 0) {
      __syncwarp();
      if (threadIdx.x >= warp_lanes) return;
      publish_sum(all, problem.words + blockIdx.x * P::words_of_block, epoch);
      __syncwarp();
      if (threadIdx.x == 0) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
      return;
    }
    __syncthreads();
    gather_sums(all, problem.words, P::words_of_block, epoch);
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  if (problem.has_init) {
    auto const init = static_cast<double>(problem.init);
    all.add(init);
  }
  all.carry();
  problem.out[0] =
      problem.size == 0 && !problem.has_init ? static_cast<T>(problem.init) : static_cast<T>(all.template nearest<T>());
  if (gridDim.x > 1) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
}

}  // namespace tally::cuda_backend::exact
