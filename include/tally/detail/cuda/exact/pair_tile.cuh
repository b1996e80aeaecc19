#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The tiles of exact scans by pairs (pair_kernel.cuh), each of a warp, in shared memory.
namespace tally::cuda_backend::exact {

inline constexpr int pair_warps = 8;  ///< of a block
inline constexpr int pair_threads = pair_warps * warp_lanes;
inline constexpr int pair_terms = 16;  ///< of a lane
inline constexpr int pair_tile = warp_lanes * pair_terms;

/// The neighbouring tiles of a warp that finds their ends, or their sums.
inline constexpr int tiles_of_warp = 8, elements_of_warp = tiles_of_warp * pair_tile;

__device__ __forceinline__ unsigned lane_of_warp()
{
  return threadIdx.x % warp_lanes;
}

/// Terms lie in shared memory in words of 16 bytes.
template <class T>
inline constexpr int terms_of_word = static_cast<int>(16 / sizeof(T));
template <class T>
inline constexpr int words_of_lane = pair_terms / terms_of_word<T>;
template <class T>
using word_of_terms = packed_group<T, terms_of_word<T>>;

/// The place of a word. A lane's words are swapped among each other, so that lanes meet different banks, whether they
/// take neighbouring words or each its own.
template <class T>
__host__ __device__ constexpr unsigned place_of_word(unsigned word)
{
  return word ^ word / 8 % words_of_lane<T>;
}
/// The place of a tile's element.
template <class T>
__host__ __device__ constexpr unsigned place_in_tile(unsigned k)
{
  constexpr unsigned count = terms_of_word<T>;
  return place_of_word<T>(k / count) * count + k % count;
}

/// The sequences that end in a tile.
struct alignas(16) sequences_of_tile {
  std::size_t first, behind;
};

/// A tile in shared memory: its terms and later its results, and what is known of it.
template <class T>
struct alignas(16) tile_memory {
  T values[pair_tile];
  tile_sum before;                 ///< of scans
  std::uint16_t ends[warp_lanes];  ///< among each lane's terms: of scans of segments
  sequences_of_tile ended;         ///< of sums of segments
};

/// The shared memory of a warp: the tile that it works on, and the next one, which is copied meanwhile. And room for
/// sums of plain terms, or for bits.
template <class P>
struct warp_memory {
  using T = typename P::element;
  tile_memory<T> tiles[2];
  double sums[P::reduces && sizeof(T) <= 4 ? pair_tile + warp_lanes : 1];
  std::uint32_t bits[P::reduces ? warp_lanes : 1];
};

/// A lane's 16 terms, and later its results, in shared memory.
template <class T>
class own_terms {
public:
  static constexpr int words = words_of_lane<T>, in_word = terms_of_word<T>;

  __device__ __forceinline__ explicit own_terms(T* values)
      : first_(values + lane_of_warp() * pair_terms),
        swapped_(lane_of_warp() * words / 8 % words)
  {
  }
  __device__ __forceinline__ word_of_terms<T> word(int j) const
  {
    word_of_terms<T> result;
    result.load_aligned(first_ + (static_cast<unsigned>(j) ^ swapped_) * in_word);
    return result;
  }
  __device__ __forceinline__ void set_word(int j, word_of_terms<T> const& word) const
  {
    word.write_aligned(first_ + (static_cast<unsigned>(j) ^ swapped_) * in_word);
  }
  __device__ __forceinline__ T get(int i) const { return *place(i); }
  __device__ __forceinline__ void set(int i, T const& value) const { *place(i) = value; }

private:
  __device__ __forceinline__ T* place(int i) const
  {
    return first_ + (static_cast<unsigned>(i / in_word) ^ swapped_) * in_word + i % in_word;
  }
  T* first_;
  unsigned swapped_;
};

/// Copies a word of terms. It is there when `await_copies` returns.
template <class T>
__device__ __forceinline__ void copy_word_asynchronously(T* to, T const* from)
{
  copy_asynchronously(reinterpret_cast<uint4*>(to), reinterpret_cast<uint4 const*>(from));
}

template <class T>
__device__ __forceinline__ bool is_aligned_to_words(T const* p)
{
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

/// Begins to read a tile's terms to shared memory, where -0 stands for those that do not exist.
template <class P>
__device__ __forceinline__ void begin_tile(P const& problem, std::size_t first, std::size_t left,
                                           typename P::element* values)
{
  using T = typename P::element;
  unsigned const lane = lane_of_warp();
  if constexpr (P::reads_as_they_are) {
    T const* const from = problem.in + first;
    if (left >= pair_tile && is_aligned_to_words(from)) {
#pragma unroll
      for (int j = 0; j < words_of_lane<T>; ++j) {
        unsigned const word = j * warp_lanes + lane;
        copy_word_asynchronously(values + place_of_word<T>(word) * terms_of_word<T>, from + word * terms_of_word<T>);
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) {
      unsigned const k = i * warp_lanes + lane;
      if (k < left)
        copy_asynchronously(values + place_in_tile<T>(k), from + k);
      else
        values[place_in_tile<T>(k)] = static_cast<T>(-0.0);
    }
  } else {
    T terms[pair_terms];
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) {
      unsigned const k = i * warp_lanes + lane;
      terms[i] = static_cast<T>(-0.0);
      if (k < left) terms[i] = problem.term(first + k);
    }
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) values[place_in_tile<T>(i * warp_lanes + lane)] = terms[i];
  }
}

template <class P>
__device__ __forceinline__ void store_tile(P const& problem, std::size_t first, std::size_t left,
                                           typename P::element const* values)
{
  using T = typename P::element;
  unsigned const lane = lane_of_warp();
  if constexpr (P::writes_as_they_are) {
    T* const to = problem.out + first;
    if (left >= pair_tile && is_aligned_to_words(to)) {
#pragma unroll
      for (int j = 0; j < words_of_lane<T>; ++j) {
        unsigned const word = j * warp_lanes + lane;
        word_of_terms<T> results;
        results.load_aligned(values + place_of_word<T>(word) * terms_of_word<T>);
        results.store_aligned(to + word * terms_of_word<T>);
      }
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    unsigned const k = i * warp_lanes + lane;
    if (k < left) problem.put(first + k, values[place_in_tile<T>(k)]);
  }
}

}  // namespace tally::cuda_backend::exact
