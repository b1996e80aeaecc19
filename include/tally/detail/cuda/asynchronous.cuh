#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

/// Bulk copies into shared memory, and the barriers that they report to. They need sm_90; for older devices these
/// functions compile to nothing, and no kernel that calls them is launched.
namespace tally::cuda_backend {

__device__ __forceinline__ std::uint32_t shared_address(void const* p)
{
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// A barrier in shared memory (mbarrier). A phase ends when `count` threads and the bytes that they announced have
/// arrived.
class arrival {
public:
  __device__ __forceinline__ void begin(int count)
  {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state_)), "r"(count) : "memory");
  }
  /// Releases what this thread has written.
  __device__ __forceinline__ void arrive()
  {
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(&state_)) : "memory");
  }
  __device__ __forceinline__ void arrive_and_expect(std::uint32_t bytes)
  {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state_)),
                 "r"(bytes)
                 : "memory");
#endif
  }
  /// Waits for the end of the phase of this parity, and acquires everything that was released to it.
  __device__ __forceinline__ void wait(std::uint32_t parity)
  {
#if __CUDA_ARCH__ >= 900
    std::uint32_t done;
    do {
      asm volatile("{\n"
                   ".reg .pred ended;\n"
                   "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 ended, [%1], %2;\n"
                   "selp.u32 %0, 1, 0, ended;\n"
                   "}"
                   : "=r"(done)
                   : "r"(shared_address(&state_)), "r"(parity)
                   : "memory");
    } while (done == 0);
#endif
  }
  /// Copies `bytes` (a multiple of 16) from global to shared memory, both aligned to 16, and reports to this barrier.
  __device__ __forceinline__ void bulk_load(void* to, void const* from, std::uint32_t bytes)
  {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(&state_))
                 : "memory");
#endif
  }

private:
  std::uint64_t state_;
};

/// Makes barriers that were just begun visible to bulk copies, and orders the threads' earlier accesses before later
/// bulk copies.
__device__ __forceinline__ void fence_asynchronous()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// The blocks of a cluster wait for each other. Each then sees what the others wrote before, in shared memory too.
__device__ __forceinline__ void arrive_at_cluster()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_cluster()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// Writes a value to block `rank`'s instance of the shared variable `own`.
template <class V>
__device__ __forceinline__ void store_to_block(V& own, std::uint32_t rank, V const& value)
{
#if __CUDA_ARCH__ >= 900
  static_assert(sizeof(V) % 4 == 0);
  std::uint32_t words[sizeof(V) / 4];
  memcpy(words, &value, sizeof(V));
  std::uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(&own)), "r"(rank));
#pragma unroll
  for (std::size_t k = 0; k < sizeof(V) / 4; ++k)
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address + static_cast<std::uint32_t>(4 * k)), "r"(words[k])
                 : "memory");
#endif
}

}  // namespace tally::cuda_backend
