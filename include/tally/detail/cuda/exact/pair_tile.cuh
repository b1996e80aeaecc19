#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#include "tally/detail/cuda/asynchronous.cuh"
#endif
#include "tally/detail/cuda/warp.cuh"

/// The tiles of exact scans by pairs (pair_kernel.cuh), in registers and in shared memory.
namespace tally::cuda_backend::exact {

inline constexpr int pair_threads = 256;  ///< that add up terms; one warp more folds their sums
inline constexpr int pair_warps = pair_threads / warp_lanes;
inline constexpr int pair_terms = 16;  ///< of a thread
inline constexpr int pair_tile = pair_threads * pair_terms;
inline constexpr int pair_block_threads = pair_threads + warp_lanes;
inline constexpr int pair_blocks = 3;  ///< in a multiprocessor, with 72 registers a thread

/// News that the workers and the folder of a block tell each other at barriers. Two tiles take turns.
enum class news : int {
  added_up = 2,  ///< by the workers: the sums of a tile's warps
  known = 4,     ///< by the folder: the sums before these
  drawn = 6      ///< by the folder: the next tile
};

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
/// Tells what this thread has written. It waits for nobody.
__device__ __forceinline__ void tell(news what, int turn)
{
  asm volatile("bar.arrive %0, %1;" ::"r"(static_cast<int>(what) + turn), "n"(pair_block_threads) : "memory");
}
/// Waits until all of the other side have told it.
__device__ __forceinline__ void hear(news what, int turn)
{
  asm volatile("bar.sync %0, %1;" ::"r"(static_cast<int>(what) + turn), "n"(pair_block_threads) : "memory");
}
/// Copies a term to shared memory. It is there when `await_terms` returns.
template <class T>
__device__ __forceinline__ void begin_copy(T* to, T const* from)
{
  copy_asynchronously(to, from);
}
__device__ __forceinline__ void await_terms()
{
  await_copies();
}
#else  // tests/fibers defines these
void meet_workers();
bool has_any_worker(bool it);
void tell(news what, int turn);
void hear(news what, int turn);
template <class T>
void begin_copy(T* to, T const* from);
void await_terms();
#endif

/// The place of a tile's element in shared memory: lanes meet different banks, whether they take neighbours or each its
/// own 16.
template <class V>
__host__ __device__ constexpr unsigned place_in_tile(unsigned k)
{
  return sizeof(V) >= 8 ? k + k / 16 : sizeof(V) == 4 ? k + k / 32 : k + k / 16 * static_cast<unsigned>(4 / sizeof(V));
}
template <class V>
inline constexpr int room_of_tile = place_in_tile<V>(pair_tile - 1) + 1;

template <class T>
inline constexpr std::size_t bytes_of_values = (room_of_tile<T> * sizeof(T) + 15) / 16 * 16;
/// Whether the terms of the next tile are copied while a tile is finished.
template <class P>
inline constexpr bool copies_ahead = sizeof(typename P::element) == 4 && P::reads_as_they_are;
/// The tiles whose terms or results a block has at a time: the one that is added up, the one before, and the one that
/// is copied ahead.
template <class P>
inline constexpr int tiles_in_memory = copies_ahead<P> ? 3 : 2;
/// The numbers that a thread keeps in shared memory of a tile that is added up: registers for them would spill. Doubles
/// take too much of that memory themselves.
template <class P>
inline constexpr int kept_numbers = sizeof(typename P::element) == 8 ? 0
                                    : P::reduces                     ? 6
                                                                     : 3;
/// The shared memory of a block.
template <class P>
inline constexpr std::size_t pair_bytes = tiles_in_memory<P> * bytes_of_values<typename P::element> +
                                          2 * std::size_t{kept_numbers<P>} * pair_threads * sizeof(double);

/// How far apart the elements lie that a thread reads as its neighbours read theirs.
template <class V>
inline constexpr int places_of_threads = place_in_tile<V>(pair_threads);

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
    T* const own = values + place_in_tile<T>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) own[i * places_of_threads<T>] = value[i];
  }
};

/// Begins to copy a tile's terms to shared memory.
template <class P>
__device__ __forceinline__ void begin_tile(P const& problem, std::size_t first, std::size_t left,
                                           typename P::element* values)
{
  using T = typename P::element;
  T* const own = values + place_in_tile<T>(threadIdx.x);
  T const* const from = problem.in + first + threadIdx.x;
  if (left >= pair_tile) {
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) begin_copy(own + i * places_of_threads<T>, from + i * pair_threads);
  } else {
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) {
      if (threadIdx.x + static_cast<std::size_t>(i * pair_threads) < left)
        begin_copy(own + i * places_of_threads<T>, from + i * pair_threads);
      else
        own[i * places_of_threads<T>] = static_cast<T>(-0.0);
    }
  }
}

template <class P>
__device__ __forceinline__ void store_tile(P const& problem, std::size_t first, std::size_t left,
                                           typename P::element const* values)
{
  using T = typename P::element;
  T const* const own = values + place_in_tile<T>(threadIdx.x);
  std::size_t const begin = first + threadIdx.x;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i)
    if (left >= pair_tile || threadIdx.x + static_cast<std::size_t>(i * pair_threads) < left)
      problem.put(begin + i * pair_threads, own[i * places_of_threads<T>]);
}

}  // namespace tally::cuda_backend::exact
