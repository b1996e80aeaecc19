#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include <cuda/atomic>

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// A value for each thread: a register of the GPU.
template <class E>
struct cuda_per_thread {
  mutable E value;
  TALLY_HD E& operator[](int) const { return value; }
};

/// A thread block of a GPU as a block of the textbook (block.hpp). Its threads are whole warps.
class cuda_block {
public:
  __device__ explicit cuda_block(unsigned char* memory) : memory_(memory) {}

  __device__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ int index() const { return static_cast<int>(blockIdx.x); }
  __device__ int count() const { return static_cast<int>(gridDim.x); }

  template <class F>
  __device__ void step(F const& f) const
  {
    f(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <class F>
  __device__ void each(F const& f) const
  {
    f(static_cast<int>(threadIdx.x));
  }

  template <class E>
  __device__ E* shared(int n, char const*) const
  {
    E* const begin = reinterpret_cast<E*>(memory_ + taken_);
    taken_ += (n * sizeof(E) + 15) / 16 * 16;
    return begin;
  }
  template <class E>
  __device__ cuda_per_thread<E> registers() const
  {
    return {};
  }

  template <class E>
  __device__ cuda_per_thread<E> shuffle_up(cuda_per_thread<E> const& own, int distance) const
  {
    return by_words(own, [&](unsigned word) { return __shfl_up_sync(all, word, static_cast<unsigned>(distance)); });
  }
  template <class E>
  __device__ cuda_per_thread<E> shuffle_down(cuda_per_thread<E> const& own, int distance) const
  {
    return by_words(own, [&](unsigned word) { return __shfl_down_sync(all, word, static_cast<unsigned>(distance)); });
  }
  template <class E>
  __device__ cuda_per_thread<E> shuffle_xor(cuda_per_thread<E> const& own, int distance) const
  {
    return by_words(own, [&](unsigned word) { return __shfl_xor_sync(all, word, distance); });
  }

  template <class E>
  __device__ E broadcast(E const* x, int k) const
  {
    return x[k];
  }
  template <class E, class V>
  __device__ E atomic_add(E* x, int k, V v) const
  {
    return atomicAdd(x + k, static_cast<E>(v));
  }
  template <class E, class V>
  __device__ void store_release(E* x, int k, V v) const
  {
    ::cuda::atomic_ref<E, ::cuda::thread_scope_device>(x[k]).store(static_cast<E>(v), ::cuda::memory_order_release);
  }
  template <class E>
  __device__ E load_acquire(E* x, int k) const
  {
    return ::cuda::atomic_ref<E, ::cuda::thread_scope_device>(x[k]).load(::cuda::memory_order_acquire);
  }
  __device__ void pause() const { __nanosleep(32); }

private:
  static constexpr unsigned all = 0xffffffff;

  template <class E, class F>
  __device__ static cuda_per_thread<E> by_words(cuda_per_thread<E> const& own, F const& shuffled)
  {
    static_assert(std::is_trivially_copyable_v<E>);
    unsigned words[(sizeof(E) + 3) / 4] = {};
    memcpy(words, &own.value, sizeof(E));
    for (unsigned& word : words) word = shuffled(word);
    cuda_per_thread<E> received;
    memcpy(&received.value, words, sizeof(E));
    return received;
  }

  unsigned char* memory_;
  mutable std::size_t taken_ = 0;
};

/// Finds how much shared memory a kernel takes: runs it on the host, without its steps.
class shared_memory_meter {
public:
  TALLY_HD shared_memory_meter(int threads, int blocks) : threads_(threads), blocks_(blocks) {}

  TALLY_HD int size() const { return threads_; }
  TALLY_HD int index() const { return 0; }
  TALLY_HD int count() const { return blocks_; }
  template <class F>
  TALLY_HD void step(F const&) const
  {
  }
  template <class F>
  TALLY_HD void each(F const&) const
  {
  }
  template <class E>
  TALLY_HD E* shared(int n, char const*) const
  {
    bytes_ += (static_cast<std::size_t>(n) * sizeof(E) + 15) / 16 * 16;
    return nullptr;
  }
  template <class E>
  TALLY_HD cuda_per_thread<E> registers() const
  {
    return {};
  }
  template <class E>
  TALLY_HD cuda_per_thread<E> shuffle_up(cuda_per_thread<E> const& own, int) const
  {
    return own;
  }
  template <class E>
  TALLY_HD cuda_per_thread<E> shuffle_down(cuda_per_thread<E> const& own, int) const
  {
    return own;
  }
  template <class E>
  TALLY_HD cuda_per_thread<E> shuffle_xor(cuda_per_thread<E> const& own, int) const
  {
    return own;
  }
  // Members for use within steps, which are compiled here and do not run.
  template <class E, class V>
  TALLY_HD E atomic_add(E*, int, V const&) const
  {
    return {};
  }
  template <class E, class V>
  TALLY_HD void store_release(E*, int, V const&) const
  {
  }
  template <class E>
  TALLY_HD E load_acquire(E*, int) const
  {
    return {};
  }
  TALLY_HD void pause() const {}
  template <class E>
  TALLY_HD E broadcast(E const*, int) const
  {
    return {};
  }
  std::size_t bytes() const { return bytes_; }

private:
  int threads_, blocks_;
  mutable std::size_t bytes_ = 0;
};

}  // namespace tally::textbook
