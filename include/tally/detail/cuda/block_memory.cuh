#pragma once

/// The memory that the threads of a block share. A kernel that has all of its shared memory from here also compiles
/// without CUDA: tests/fibers then gives each block memory of its own.
namespace tally::cuda_backend {

#ifdef __CUDACC__
/// The shared memory that a launch gives to a block, aligned to 16 bytes.
__device__ __forceinline__ unsigned char* memory_of_block()
{
  extern __shared__ __align__(16) unsigned char bytes_of_block[];
  return bytes_of_block;
}
/// A T in shared memory, which CUDA does not construct, beside that of the launch.
template <class T>
__device__ __forceinline__ T& shared_by_block()
{
  __shared__ T shared;
  return shared;
}
#else
unsigned char* memory_of_block();
template <class T>
T& shared_by_block();
#endif

}  // namespace tally::cuda_backend
