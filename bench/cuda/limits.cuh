#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/cuda/race.hpp"
#include "tool/cli/bench/read_kernel.hpp"

/// The limits of this GPU: a copy by CUDA, kernels that only read, and an empty kernel.
namespace tally::bench {

inline contender copy_limit(auto const& data, std::size_t element_bytes)
{
  std::size_t const bytes = data.size() * element_bytes;
  return {"cudaMemcpy", 2.0 * static_cast<double>(bytes), [&data, bytes](cudaStream_t stream, int call) {
            check_cuda(cudaMemcpyAsync(data.out(call), data.in(call), bytes, cudaMemcpyDeviceToDevice, stream));
          }};
}

inline contender read_limit(auto const& data, std::size_t element_bytes, int blocks)
{
  std::size_t const bytes = data.size() * element_bytes;
  return {"read, " + std::to_string(blocks) + " blocks", static_cast<double>(bytes),
          [&data, bytes, blocks](cudaStream_t stream, int call) {
            timing::read_on_gpu(data.in(call), bytes, data.out(call), blocks, stream);
          }};
}

__global__ void empty_kernel()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A kernel that does nothing, launched as Tally's kernels are: no call takes less time.
inline contender launch_limit()
{
  return {"empty kernel", 0, [](cudaStream_t stream, int) {
            cudaLaunchConfig_t config{};
            config.gridDim = dim3(1);
            config.blockDim = dim3(256);
            config.stream = stream;
            cudaLaunchAttribute early{};
            early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
            early.val.programmaticStreamSerializationAllowed = 1;
            config.attrs = &early;
            config.numAttrs = 1;
            check_cuda(cudaLaunchKernelEx(&config, empty_kernel));
          }};
}

}  // namespace tally::bench
