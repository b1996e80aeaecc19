#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "tally/detail/cuda/check.cuh"

namespace tally::test {

using cuda_backend::check_cuda;

/// n elements of device memory, poisoned unless made from values.
template <class T>
class device_array {
public:
  explicit device_array(std::size_t n) : size_(n)
  {
    check_cuda(cudaMalloc(&data_, (n + 1) * sizeof(T)));
    check_cuda(cudaMemset(data_, 0xA5, n * sizeof(T)));
    check_cuda(cudaDeviceSynchronize());
  }
  explicit device_array(std::vector<T> const& values) : device_array(values.size()) { assign(values); }
  ~device_array() { cudaFree(data_); }
  device_array(device_array const&) = delete;
  device_array& operator=(device_array const&) = delete;

  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  /// Done when this returns: a copy from memory that is not pinned may else be under way yet, and no stream of these
  /// tests waits for it.
  void assign(std::vector<T> const& values)
  {
    check_cuda(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyDefault));
    check_cuda(cudaDeviceSynchronize());
  }
  /// Waits for the whole device.
  std::vector<T> values() const
  {
    check_cuda(cudaDeviceSynchronize());
    std::vector<T> result(size_);
    check_cuda(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDefault));
    return result;
  }

private:
  T* data_ = nullptr;
  std::size_t size_;
};

class stream {
public:
  stream() { check_cuda(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  ~stream() { cudaStreamDestroy(handle_); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  operator cudaStream_t() const { return handle_; }
  void wait() const { check_cuda(cudaStreamSynchronize(handle_)); }

private:
  cudaStream_t handle_ = nullptr;
};

/// Distinct values of mixed magnitudes, whose sums depend on their bracketing.
inline std::uint64_t mixed(std::uint64_t z)
{
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
template <class T>
T value_at(std::size_t k)
{
  std::uint64_t const bits = mixed(k);
  auto const significand = static_cast<double>(static_cast<std::int64_t>(bits >> 32) - (std::int64_t(1) << 31));
  return static_cast<T>(significand * ((bits & 15) == 0 ? 0x1p-20 : 0x1p-30));
}
template <class T>
std::vector<T> values_to(std::size_t n)
{
  std::vector<T> values(n);
  for (std::size_t k = 0; k < n; ++k) values[k] = value_at<T>(k);
  return values;
}

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b)
{
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace tally::test
