#pragma once

#include <algorithm>
#include <cstddef>

#include <cuda_runtime.h>

#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/check.cuh"
#include "tally/detail/path.hpp"

/// A map on a GPU.
namespace tally::cuda_backend {

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

}  // namespace tally::cuda_backend
