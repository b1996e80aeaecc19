#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "tally/detail/atomic.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/check.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/path.hpp"

/// Maps on a GPU: over indices, and over blocks by teams. A team is the threads of a thread block.
namespace tally::cuda_backend {

// Maps over indices.

inline constexpr unsigned map_threads = 256;

template <class F>
__global__ void __launch_bounds__(map_threads) for_each_kernel(F f, std::size_t n)
{
  std::size_t const step = static_cast<std::size_t>(gridDim.x) * map_threads;
  for (std::size_t k = static_cast<std::size_t>(blockIdx.x) * map_threads + threadIdx.x; k < n; k += step) f(k);
}

template <class F>
void for_each_on_device(prepared_call const& call, std::size_t n, F const& f)
{
  if (n == 0) return;
  // Eight blocks of 256 fill a multiprocessor.
  auto const most = static_cast<std::size_t>(call.processors()) * 8;
  std::size_t const all = (n + map_threads - 1) / map_threads;
  detail::took(all <= most ? "cuda: map, an index a thread" : "cuda: map, several indices a thread");
  auto const blocks = static_cast<unsigned>(std::min(all, most));
  for_each_kernel<<<blocks, map_threads, 0, call.stream()>>>(f, n);
  check_cuda(cudaGetLastError(), "launching a map");
}

// Maps over blocks, by teams.

template <int Threads>
class block_team {
public:
  __device__ static constexpr int size() { return Threads; }
  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int rows() { return Threads / warp_lanes; }
  __device__ static int row() { return rank() / warp_lanes; }
  __device__ static constexpr int lanes() { return warp_lanes; }
  __device__ static int lane() { return rank() % warp_lanes; }
  __device__ void wait() const { __syncthreads(); }
  __device__ void wait_for_row() const { __syncwarp(); }
  template <class T>
  __device__ T from_lane(T const& x, int lane) const
  {
    return shuffle_from(x, lane);
  }
  __device__ std::uint32_t vote(bool x) const { return __ballot_sync(whole_warp, x); }
  template <class T>
  __device__ void add(T& to, T x) const
  {
    detail::add_atomically(&to, x);
  }
  __device__ void join(std::uint32_t& to, std::uint32_t bits) const { atomicOr(&to, bits); }
};

template <class Work>
struct team_problem {
  Work work;
  std::size_t n;
  std::size_t block;
};

/// A thread has at most 64 registers, so that there are always some teams to hide the waits of others. Teams stay
/// resident and take one block after another, so nothing is gained if the kernel begins before the one ahead of it ends
/// (see `turn`): a radix sort of 2^26 keys by teams took 2.11 ms with that, and 1.84 without.
template <class Work>
__global__ void __launch_bounds__(Work::team_size, 1024 / Work::team_size)
    team_kernel(__grid_constant__ team_problem<Work> const problem)
{
  __shared__ uninitialized<typename Work::memory> own;
  std::size_t const n = problem.n, block = problem.block, blocks = n / block + (n % block != 0);
  for (std::size_t b = blockIdx.x; b < blocks; b += gridDim.x) {
    problem.work(block_team<Work::team_size>{}, *own, b * block, n - b * block < block ? n : (b + 1) * block);
    __syncthreads();  // the team's memory has been read
  }
}

template <class Work>
void for_each_block_by_team_on_device(prepared_call const& call, std::size_t n, std::size_t block, Work const& work)
{
  if (n == 0) return;
  static known_kernels known{};
  auto const at_a_time = static_cast<std::size_t>(blocks_at_a_time(call, team_kernel<Work>, Work::team_size, 0, known));
  std::size_t const blocks = n / block + (n % block != 0);
  detail::took(blocks <= at_a_time ? "cuda: teams, a block each" : "cuda: teams, several blocks each");
  auto const teams = static_cast<unsigned>(std::min(blocks, at_a_time));
  launch(call, team_kernel<Work>, team_problem<Work>{work, n, block}, teams, Work::team_size, 0, 1, turn::at_the_end);
}

}  // namespace tally::cuda_backend
