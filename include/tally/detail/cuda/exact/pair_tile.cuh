#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/warp.cuh"

/// The tiles of exact scans by pairs (pair_kernel.cuh), in registers and in shared memory.
namespace tally::cuda_backend::exact {

inline constexpr int pair_threads = 256;  ///< that add up terms; one warp more folds their sums
inline constexpr int pair_warps = pair_threads / warp_lanes;
inline constexpr int pair_terms = 16;  ///< of a thread
inline constexpr int pair_tile = pair_threads * pair_terms;
inline constexpr int pair_block_threads = pair_threads + warp_lanes;
inline constexpr int pair_blocks = 3;  ///< in a multiprocessor, with 72 registers a thread

#ifdef __CUDACC__
/// The threads that add up terms wait for each other.
__device__ __forceinline__ void meet_workers()
{
  asm volatile("bar.sync 1, %0;" ::"n"(pair_threads) : "memory");
}
/// They wait, and all learn whether one of them has `it`.
__device__ __forceinline__ bool has_any_worker(bool it)
{
  int any;
  asm volatile("{\n"
               ".reg .pred own, all;\n"
               "setp.ne.s32 own, %1, 0;\n"
               "bar.red.or.pred all, 1, %2, own;\n"
               "selp.s32 %0, 1, 0, all;\n"
               "}"
               : "=r"(any)
               : "r"(it ? 1 : 0), "n"(pair_threads)
               : "memory");
  return any != 0;
}
#else  // tests/fibers defines these
void meet_workers();
bool has_any_worker(bool it);
#endif

/// The place of a tile's element in shared memory: lanes meet different banks, whether they take neighbours or each its
/// own 16.
template <class V>
__host__ __device__ constexpr int place_in_tile(int k)
{
  return sizeof(V) >= 8 ? k + k / 16 : sizeof(V) == 4 ? k + k / 32 : k + k / 16 * static_cast<int>(4 / sizeof(V));
}
template <class V>
inline constexpr int room_of_tile = place_in_tile<V>(pair_tile - 1) + 1;

template <class T>
inline constexpr std::size_t bytes_of_values = (room_of_tile<T> * sizeof(T) + 15) / 16 * 16;
template <class Ends>
inline constexpr std::size_t bytes_of_marks =
    Ends::has_marks ? (room_of_tile<std::uint32_t> * sizeof(std::uint32_t) + 15) / 16 * 16 : 0;
/// The tiles whose terms a block has at a time. Sums are done with the terms of a tile when they begin the next one.
template <class P>
inline constexpr int tiles_in_memory = P::reduces ? 1 : 2;
/// The shared memory of a block: its tiles' elements, and the marks of ends behind them.
template <class P>
inline constexpr std::size_t pair_bytes =
    tiles_in_memory<P> * bytes_of_values<typename P::element> + bytes_of_marks<typename P::ends_type>;

/// A thread's part of a tile, as neighbouring threads read it. -0 stands for elements that do not exist.
template <class P>
struct loaded_terms {
  using T = typename P::element;
  T value[pair_terms];

  __device__ __forceinline__ void load(P const& problem, std::size_t first, std::size_t left)
  {
    int const t = static_cast<int>(threadIdx.x);
    if (left >= pair_tile) {
#pragma unroll
      for (int i = 0; i < pair_terms; ++i) value[i] = problem.term(first + i * pair_threads + t);
    } else {
#pragma unroll
      for (int i = 0; i < pair_terms; ++i) {
        int const k = i * pair_threads + t;
        value[i] = static_cast<T>(-0.0);
        if (static_cast<std::size_t>(k) < left) value[i] = problem.term(first + k);
      }
    }
  }
  __device__ __forceinline__ void store(T* values) const
  {
#pragma unroll
    for (int i = 0; i < pair_terms; ++i)
      values[place_in_tile<T>(i * pair_threads + static_cast<int>(threadIdx.x))] = value[i];
  }
};

template <class P>
__device__ __forceinline__ void store_tile(P const& problem, std::size_t first, std::size_t left,
                                           typename P::element const* values)
{
  using T = typename P::element;
  int const t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    int const k = i * pair_threads + t;
    if (left >= pair_tile || static_cast<std::size_t>(k) < left) problem.put(first + k, values[place_in_tile<T>(k)]);
  }
}

}  // namespace tally::cuda_backend::exact
