#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tally/detail/atomic.hpp"
#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/sort/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The first kernel of a radix sort reads all keys once. It counts the keys by each of their digits, and finds the bits
/// in which keys differ, and whether they are in order already.
namespace tally::cuda_backend::sorting {

/// `Copies` counters of a digit lie next to each other, and each lane uses one of them: with one copy, lanes whose
/// digits lie in one bank of shared memory would wait for one another. Counting 2^24 keys of 4 bytes takes 51.6 us with
/// one copy, 53.2 with eight, 44.8 with 32.
template <class P, int Copies>
struct digit_counting {
  using key = typename P::key_type;
  using bits = typename P::bits;
  static constexpr int threads = 1024;
  static constexpr int key_digits = static_cast<int>(sizeof(key));
  /// A thread loads two groups of 16 bytes at a time.
  static constexpr int of_group = 16 / static_cast<int>(sizeof(key));
  static constexpr int groups = 2;
  static constexpr std::size_t tile = static_cast<std::size_t>(threads) * of_group * groups;
  static constexpr std::size_t counters = static_cast<std::size_t>(key_digits) * digits * Copies;
  static constexpr std::size_t shared_bytes = counters * sizeof(std::uint32_t);

  P const& problem;
  std::uint32_t* own;  ///< the counter of digit 0 of pass 0 that the lane uses
  std::uint64_t in_some = 0, not_in_some = 0;
  bool disorder = false;

  __device__ void count(bits x, bits before)
  {
    in_some |= x;
    not_in_some |= static_cast<bits>(~x);
    disorder = disorder || x < before;
#pragma unroll
    for (int p = 0; p < key_digits; ++p) {
      auto const d = static_cast<unsigned>(x >> (digit_bits * p)) & (digits - 1);
      atomicAdd(own + (static_cast<unsigned>(p) * digits + d) * Copies, 1u);
    }
  }

  /// Counts a tile whose keys are all there, from an aligned address.
  __device__ void count_tile(std::size_t begin)
  {
    struct alignas(16) group {
      key keys[of_group];
    };
    auto const* const from = reinterpret_cast<group const*>(problem.keys[0] + begin) + threadIdx.x;
    group read[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) read[g] = from[g * threads];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      bits x[of_group];
#pragma unroll
      for (int k = 0; k < of_group; ++k) x[k] = problem.of(read[g].keys[k]);
      bits before = shuffle_up(x[of_group - 1], 1);
      std::size_t const first =
          begin + static_cast<std::size_t>(g * threads + static_cast<int>(threadIdx.x)) * of_group;
      if (threadIdx.x % warp_lanes == 0) before = first == 0 ? x[0] : problem.of(problem.keys[0][first - 1]);
#pragma unroll
      for (int k = 0; k < of_group; ++k) {
        count(x[k], before);
        before = x[k];
      }
    }
  }
  /// Counts the keys of [begin, end), from any address.
  __device__ void count_few(std::size_t begin, std::size_t end)
  {
    for (std::size_t k = begin + threadIdx.x; k < end; k += threads) {
      bits const x = problem.of(problem.keys[0][k]);
      count(x, k == 0 ? x : problem.of(problem.keys[0][k - 1]));
    }
  }

  /// Adds what the block has found to what all have.
  __device__ void add_to_all(std::uint32_t const* counters_of_block)
  {
    using word = typename P::word_type;
    auto* const to = &problem.state->counts[0][0];
    for (unsigned d = threadIdx.x; d < static_cast<unsigned>(problem.passes()) * digits; d += threads) {
      std::uint32_t sum = 0;
#pragma unroll
      for (unsigned c = 0; c < Copies; ++c) sum += counters_of_block[d * Copies + (c + threadIdx.x) % Copies];
      if (sum != 0) detail::add_atomically(to + d, static_cast<word>(sum));
    }
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      in_some |= __shfl_xor_sync(whole_warp, in_some, stride);
      not_in_some |= __shfl_xor_sync(whole_warp, not_in_some, stride);
    }
    bool const some_disorder = __any_sync(whole_warp, disorder) != 0;
    if (threadIdx.x % warp_lanes != 0) return;
    auto const join = [](std::uint64_t& all, std::uint64_t x) {
      if (x != 0) atomicOr(reinterpret_cast<unsigned long long*>(&all), static_cast<unsigned long long>(x));
    };
    join(problem.state->in_some, in_some);
    join(problem.state->not_in_some, not_in_some);
    join(problem.state->disorder, some_disorder ? 1 : 0);
  }
};

template <class P, int Copies>
__global__ void __launch_bounds__(digit_counting<P, Copies>::threads)
    count_digits_kernel(__grid_constant__ P const problem)
{
  using counting = digit_counting<P, Copies>;
  auto* const counters = reinterpret_cast<std::uint32_t*>(memory_of_block());
  for (unsigned k = threadIdx.x; k < counting::counters; k += counting::threads) counters[k] = 0;
  __syncthreads();

  counting block{problem, counters + threadIdx.x % Copies};
  // The keys before the first aligned one, and behind the last whole tile, are few: the last block takes them.
  auto const address = reinterpret_cast<std::uintptr_t>(problem.keys[0]);
  std::size_t const ahead = (16 - address % 16) % 16 / sizeof(typename P::key_type);
  std::size_t const head = ahead < problem.n ? ahead : problem.n;
  std::size_t const tiles = (problem.n - head) / counting::tile;
  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x) block.count_tile(head + t * counting::tile);
  if (blockIdx.x == gridDim.x - 1) {
    block.count_few(0, head);
    block.count_few(head + tiles * counting::tile, problem.n);
  }
  __syncthreads();
  block.add_to_all(counters);
}

}  // namespace tally::cuda_backend::sorting
