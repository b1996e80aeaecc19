#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/cuda/race.hpp"
#include "tally/cuda.hpp"
#include "tally/half.hpp"
#include "tally/operators.hpp"

namespace tally::bench {

/// Random elements of each type. Floating-point values are uniform in [0, 1), so that sums neither overflow nor cancel;
/// integers have random bits.
struct random_element {
  TALLY_HD static std::uint64_t bits(std::uint64_t z)
  {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  template <class T>
  TALLY_HD static T make(std::uint64_t k)
  {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(bits(k));
    else if constexpr (std::is_convertible_v<float, T> || std::is_constructible_v<T, float>)
      return static_cast<T>(static_cast<float>(bits(k) >> 40) * 0x1p-24f);
    else
      return T{make<decltype(T::value)>(k), static_cast<std::uint32_t>(k)};
  }
};
template <>
TALLY_HD inline affine<float> random_element::make(std::uint64_t k)
{
  return {make<float>(2 * k), make<float>(2 * k + 1)};
}
template <>
TALLY_HD inline moments<float> random_element::make(std::uint64_t k)
{
  return moments<float>(make<float>(k));
}

template <class T>
__global__ void fill_with_random(T* out, std::size_t n, std::uint64_t seed)
{
  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < n;
       k += std::size_t(gridDim.x) * blockDim.x)
    out[k] = random_element::make<T>(k + seed);
}

/// `count` inputs of n elements and as many outputs. Calls take them in turn, so that no call finds its own input in
/// the cache.
template <class T>
class buffers {
public:
  buffers(std::size_t n, int count) : n_(n)
  {
    for (int k = 0; k < count; ++k) {
      inputs_.push_back(take());
      fill_with_random<<<1056, 256>>>(inputs_.back(), n, std::uint64_t(k) << 40);
      check_cuda(cudaGetLastError());
      outputs_.push_back(take());
    }
    check_cuda(cudaDeviceSynchronize());
  }
  ~buffers()
  {
    for (T* memory : inputs_) cudaFree(memory);
    for (T* memory : outputs_) cudaFree(memory);
  }
  buffers(buffers const&) = delete;
  buffers& operator=(buffers const&) = delete;

  std::size_t size() const { return n_; }
  T const* in(int call) const { return inputs_[static_cast<std::size_t>(call) % inputs_.size()]; }
  T* out(int call) const { return outputs_[static_cast<std::size_t>(call) % outputs_.size()]; }

private:
  T* take() const
  {
    T* memory = nullptr;
    check_cuda(cudaMalloc(&memory, n_ * sizeof(T) + 16));
    return memory;
  }
  std::size_t n_;
  std::vector<T*> inputs_, outputs_;
};

}  // namespace tally::bench
