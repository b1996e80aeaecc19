#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tally/detail/cuda/boxes.hpp"

/// Copies to and from shared memory that threads need not wait for, and the barriers that they report to.
///
/// Copies of a word by each thread need sm_80. Bulk copies, barriers and clusters need sm_90; for older devices these
/// functions compile to nothing, and no kernel that calls them is launched.
namespace tally::cuda_backend {

#ifdef __CUDACC__
using shared_location = std::uint32_t;
__device__ __forceinline__ shared_location shared_address(void const* p)
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

  /// Copies the box that begins at a column and a row of a matrix, and reports all its bytes to this barrier. Places
  /// outside of the matrix become zeros. `to` is aligned to 128 bytes.
  __device__ __forceinline__ void box_load(void* to, box_map const& from, int column, int row, int matrix)
  {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(shared_address(to)),
        "l"(&from), "r"(column), "r"(row), "r"(matrix), "r"(shared_address(&state_))
        : "memory");
#endif
  }

private:
  std::uint64_t state_;
};

/// Copies a box back. Places outside of the matrix are not written. The threads that wrote to shared memory have called
/// `fence_asynchronous` before.
__device__ __forceinline__ void box_store(box_map const& to, void const* from, int column, int row, int matrix)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&to),
               "r"(column), "r"(row), "r"(matrix), "r"(shared_address(from))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}
/// Waits until the boxes that this thread copies back have been read.
__device__ __forceinline__ void await_box_reads()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

/// Copies a word of Bytes (4, 8 or 16) through the first-level cache. `to` is an address in shared memory, and both are
/// aligned to the word.
template <int Bytes>
__device__ __forceinline__ void copy_word(std::uint32_t to, void const* from)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
#endif
}
/// Copies 16 bytes past the first-level cache.
__device__ __forceinline__ void copy_16(std::uint32_t to, void const* from)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
}
/// Copies a word, or writes zeros for it.
template <int Bytes>
__device__ __forceinline__ void copy_or_clear(std::uint32_t to, void const* from, bool copies)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("{\n"
               ".reg .pred clears;\n"
               "setp.eq.u32 clears, %3, 0;\n"
               "cp.async.ca.shared.global [%0], [%1], %2, clears;\n"
               "}" ::"r"(to),
               "l"(from), "n"(Bytes), "r"(static_cast<std::uint32_t>(copies))
               : "memory");
#endif
}
/// Copies `bytes` of 16, and zeros for the others.
__device__ __forceinline__ void copy_some_of_16(std::uint32_t to, void const* from, int bytes)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#endif
}
/// Copies a value of any size: at once if it is no word. Others arrive before `await_copies` returns.
template <class Word>
__device__ __forceinline__ void copy_asynchronously(Word* to, Word const* from)
{
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Word) == 16) {
    copy_16(shared_address(to), from);
    return;
  } else if constexpr ((sizeof(Word) == 4 || sizeof(Word) == 8) && alignof(Word) == sizeof(Word)) {
    copy_word<sizeof(Word)>(shared_address(to), from);
    return;
  }
#endif
  *to = *from;
}
/// Waits for all copies of words that this thread has begun.
__device__ __forceinline__ void await_copies()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
/// Ends a group of copies of words.
__device__ __forceinline__ void end_copy_group()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for all groups but the last `Later`.
template <int Later>
__device__ __forceinline__ void await_copy_groups()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Later) : "memory");
#endif
}
/// The barrier's phase ends only after all copies of words that this thread has begun.
__device__ __forceinline__ void arrive_after_copies(arrival& at)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&at)) : "memory");
#endif
}

/// Begins to read a place of memory into the second-level cache.
__device__ __forceinline__ void prefetch(void const* place)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(place) : "memory");
}

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
#else  // tests/fibers defines these
using shared_location = unsigned char*;
class arrival {
public:
  void begin(int count);
  void arrive();
  void arrive_and_expect(std::uint32_t bytes);
  void wait(std::uint32_t parity);
  void bulk_load(void* to, void const* from, std::uint32_t bytes);
  void box_load(void* to, box_map const& from, int column, int row, int matrix);

private:
  std::uint64_t state_;
};
shared_location shared_address(void* p);
template <int Bytes>
void copy_or_clear(shared_location to, void const* from, bool copies);
void copy_some_of_16(shared_location to, void const* from, int bytes);
void await_copies();
void end_copy_group();
template <int Later>
void await_copy_groups();
template <class Word>
void copy_asynchronously(Word* to, Word const* from);
void arrive_after_copies(arrival& at);
void box_store(box_map const& to, void const* from, int column, int row, int matrix);
void await_box_reads();
void prefetch(void const* place);
void fence_asynchronous();
#endif

}  // namespace tally::cuda_backend
