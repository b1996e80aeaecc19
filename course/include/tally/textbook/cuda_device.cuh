#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "tally/detail/cuda/check.cuh"
#include "tally/textbook/cuda_block.cuh"

namespace tally::textbook {

/// A kernel of the textbook as a CUDA kernel.
template <class Kernel, class... Arguments>
__global__ void __launch_bounds__(1024) cuda_kernel(Kernel kernel, Arguments... arguments)
{
  extern __shared__ __align__(16) unsigned char memory[];
  kernel(cuda_block(memory), arguments...);
}

/// A GPU as a device of the textbook's algorithms. It launches kernels on one stream, one after the other, and gives
/// memory. It takes memory from CUDA once, and gives it again after `free_after`.
///
/// Throws    cuda_error, with CUDA's own words, whenever CUDA fails.
class cuda_device {
public:
  explicit cuda_device(std::size_t bytes) : capacity_(bytes)
  {
    cuda_backend::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    cuda_backend::check_cuda(cudaMalloc(&memory_, bytes), "taking device memory");
  }
  ~cuda_device()
  {
    cudaFree(memory_);
    cudaStreamDestroy(stream_);
  }
  cuda_device(cuda_device const&) = delete;
  cuda_device& operator=(cuda_device const&) = delete;

  cudaStream_t stream() const { return stream_; }

  template <class E>
  E* allocate(std::size_t n, char const*)
  {
    E* const begin = reinterpret_cast<E*>(memory_ + taken_);
    std::size_t const bytes = (n * sizeof(E) + 255) / 256 * 256;
    if (taken_ + bytes > capacity_)
      throw std::runtime_error("the device memory set aside for the textbook is too small");
    sizes_[begin] = n;
    taken_ += bytes;
    return begin;
  }
  template <class E>
  E* input(std::vector<E> const& values, char const* name)
  {
    E* const begin = allocate<E>(values.size(), name);
    cuda_backend::check_cuda(
        cudaMemcpyAsync(begin, values.data(), values.size() * sizeof(E), cudaMemcpyDefault, stream_), "copying");
    wait();
    return begin;
  }
  template <class E>
  void fill(E* begin, E const& value)
  {
    std::vector<E> const values(sizes_.at(begin), value);
    cuda_backend::check_cuda(
        cudaMemcpyAsync(begin, values.data(), values.size() * sizeof(E), cudaMemcpyDefault, stream_), "filling");
    wait();
  }
  template <class E>
  std::vector<E> to_host(E const* begin)
  {
    std::vector<E> values(sizes_.at(begin));
    cuda_backend::check_cuda(
        cudaMemcpyAsync(values.data(), begin, values.size() * sizeof(E), cudaMemcpyDefault, stream_), "copying");
    wait();
    return values;
  }
  /// A mark of how much has been allocated so far. `free_after(mark)` frees everything allocated after it.
  std::size_t taken() const { return taken_; }
  void free_after(std::size_t mark) { taken_ = mark; }

  template <class Kernel, class... Arguments>
  void launch(int blocks, int threads, Kernel const& kernel, Arguments const&... arguments)
  {
    shared_memory_meter const meter(threads, blocks);
    kernel(meter, arguments...);
    void (*const function)(Kernel, Arguments...) = cuda_kernel<Kernel, Arguments...>;
    if (meter.bytes() > 48 * 1024)
      cuda_backend::check_cuda(
          cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(meter.bytes())),
          "asking for shared memory");
    function<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), meter.bytes(), stream_>>>(kernel,
                                                                                                        arguments...);
    cuda_backend::check_cuda(cudaGetLastError(), Kernel::name);
  }
  void wait() { cuda_backend::check_cuda(cudaStreamSynchronize(stream_), "running kernels"); }

private:
  std::size_t capacity_, taken_ = 0;
  unsigned char* memory_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::map<void const*, std::size_t> sizes_;
};

}  // namespace tally::textbook
