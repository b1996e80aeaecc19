#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/cuda/race.hpp"

/// What the memory of this GPU gives: a copy by CUDA, and the quickest of some kernels that only read.
namespace tally::bench {

inline contender copy_limit(auto const& data, std::size_t element_bytes)
{
  std::size_t const bytes = data.size() * element_bytes;
  return {"cudaMemcpy", 2.0 * static_cast<double>(bytes), [&data, bytes](cudaStream_t stream, int call) {
            check(cudaMemcpyAsync(data.out(call), data.in(call), bytes, cudaMemcpyDeviceToDevice, stream));
          }};
}

/// Reads 16 bytes a thread and step, `Unrolled` of them on their way at a time; writes only what never comes.
template <int Unrolled>
__global__ void read_kernel(uint4 const* in, std::size_t n, uint4* never)
{
  std::size_t const stride = std::size_t(gridDim.x) * blockDim.x;
  uint4 all{};
  std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  for (; k + (Unrolled - 1) * stride < n; k += Unrolled * stride) {
    uint4 some[Unrolled];
#pragma unroll
    for (int j = 0; j < Unrolled; ++j) some[j] = __ldcs(in + k + j * stride);
#pragma unroll
    for (int j = 0; j < Unrolled; ++j) {
      all.x ^= some[j].x;
      all.y ^= some[j].y;
      all.z ^= some[j].z;
      all.w ^= some[j].w;
    }
  }
  for (; k < n; k += stride) all.x ^= in[k].x;
  if (all.x == 0x12345678 && all.y == 0x9abcdef0 && all.z == 0x13579bdf && all.w == 0x2468ace0) *never = all;
}

inline contender read_limit(auto const& data, std::size_t element_bytes, int blocks)
{
  std::size_t const bytes = data.size() * element_bytes;
  return {"read, " + std::to_string(blocks) + " blocks", static_cast<double>(bytes),
          [&data, bytes, blocks](cudaStream_t stream, int call) {
            read_kernel<8><<<static_cast<unsigned>(blocks), 512, 0, stream>>>(
                reinterpret_cast<uint4 const*>(data.in(call)), bytes / 16, reinterpret_cast<uint4*>(data.out(call)));
          }};
}

__global__ void empty_kernel()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A kernel that does nothing, launched as Tally's are: no call takes less.
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
            check(cudaLaunchKernelEx(&config, empty_kernel));
          }};
}

}  // namespace tally::bench
