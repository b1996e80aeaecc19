#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Scans of long segments by the ring (ring.cuh): a kernel lists their tiles, and the ring takes them as those of a
/// batch. Shorter segments may be left to warps (warp_segments.cuh). Reductions take such a list too
/// (segment_tiles_reduction.cuh).
namespace tally::cuda_backend {

/// A tile in the list.
struct listed_tile : tile_place {
  std::size_t first;  ///< element of its segment
};

/// The list of tiles. Those of a segment follow each other; segments are in any order.
struct listed_tiles {
  static constexpr std::size_t counters = 2;

  std::uint64_t* count;     ///< of tiles; zero at first
  std::uint64_t* elements;  ///< of the segments of these tiles; zero at first
  listed_tile* places;

  explicit listed_tiles(std::uint64_t* words)
      : count(words),
        elements(words + 1),
        places(reinterpret_cast<listed_tile*>(words + counters))
  {
  }
  /// Words of the workspace for the list of at most so many tiles.
  static constexpr std::size_t words(std::size_t tiles)
  {
    return counters + tiles * sizeof(listed_tile) / sizeof(std::uint64_t);
  }
};

/// The arguments of the kernel that lists the tiles of a scan or of a reduction.
template <class P>
struct segment_tiles_problem : P {
  static constexpr std::size_t tile = order::tile<typename P::element>;

  listed_tiles list;
  std::size_t of_block;  ///< segments that a block looks at, at most as many as it has threads

  /// Whether look_at does anything.
  __device__ __forceinline__ bool looks() const { return P::reduces; }
  /// Looks at a segment, by its thread. Of a reduction, it writes the result of an empty one.
  __device__ __forceinline__ void look_at(std::size_t segment, bool is_there, std::size_t size) const
  {
    if constexpr (P::reduces)
      if (is_there && size == 0) this->put_result(segment, this->of_nothing(this->init_of(segment)));
  }
  __device__ __forceinline__ void count_elements(std::size_t elements) const
  {
    atomicAdd(reinterpret_cast<unsigned long long*>(list.elements), static_cast<unsigned long long>(elements));
  }
  /// Returns the first of `tiles` new places in the list.
  __device__ __forceinline__ std::uint64_t take(std::uint32_t tiles) const
  {
    return atomicAdd(reinterpret_cast<unsigned long long*>(list.count), static_cast<unsigned long long>(tiles));
  }
  __device__ __forceinline__ void put(std::uint64_t place, std::uint32_t segment, std::size_t in_segment,
                                      std::size_t begin, std::size_t size) const
  {
    std::size_t const from = in_segment * tile, rest = size - from;
    listed_tile at;
    at.sequence = segment;
    at.tile = static_cast<std::uint32_t>(in_segment);
    at.begin = from;
    at.end = from + (rest < tile ? rest : tile);
    at.first = begin;
    list.places[place] = at;
  }
};

inline constexpr int segment_tiles_threads = 256;

/// Lists the tiles of segments of more than `longest` elements. A block looks at some segments, a thread each, and
/// takes places for their tiles by one atomic. Then its threads share out the tiles. If a block has threads for all
/// segments, each block looks at all of them, and all blocks share out the tiles. P is segment_tiles_problem, or
/// recurrence_lists_problem (recurrence/segments_list.cuh).
template <class P>
__global__ void __launch_bounds__(segment_tiles_threads) list_tiles_kernel(__grid_constant__ P const given)
{
  constexpr std::size_t tile = P::tile;
  constexpr int threads = segment_tiles_threads, warps = threads / warp_lanes;
  __shared__ std::size_t begins[threads], sizes[threads];
  __shared__ std::uint32_t tiles_to[threads];  // the tiles of the segments up to each
  __shared__ std::uint32_t tiles_of_warps[warps];
  __shared__ std::uint64_t first_place;
  auto const& problem = at_its_turn(given);
  auto const own = static_cast<int>(threadIdx.x), lane = own % warp_lanes, warp = own / warp_lanes;
  bool const are_few = problem.segments <= threads, counts = !are_few || blockIdx.x == 0;
  std::size_t const of_block = are_few ? threads : problem.of_block, of_grid = gridDim.x * of_block;
  for (std::size_t first = are_few ? 0 : blockIdx.x * of_block; first < problem.segments; first += of_grid) {
    std::size_t const segment = first + static_cast<std::size_t>(own);
    bool const has_segment = static_cast<std::size_t>(own) < of_block;
    if (!are_few && !problem.looks()) {
      // Most of the time none is long: four rounds take one wait for memory.
      constexpr int rounds = 4;
      bool any_is_long = false;
#pragma unroll
      for (int k = 0; k < rounds; ++k) {
        std::size_t const s = segment + static_cast<std::size_t>(k) * of_grid;
        any_is_long |=
            has_segment && s < problem.segments && problem.offset(s + 1) - problem.offset(s) > problem.longest;
      }
      if (__syncthreads_or(any_is_long) == 0) {
        first += (rounds - 1) * of_grid;
        continue;
      }
    }
    bool const is_there = has_segment && segment < problem.segments;
    std::size_t begin = 0, size = 0;
    if (is_there) {
      begin = problem.offset(segment);
      size = problem.offset(segment + 1) - begin;
    }
    if (counts) problem.look_at(segment, is_there, size);
    bool const is_long = size > problem.longest;
    if (__syncthreads_or(is_long) == 0) continue;  // the arrays have been read
    std::uint32_t upto = is_long ? static_cast<std::uint32_t>((size + tile - 1) / tile) : 0;
    std::size_t elements = is_long ? size : 0;
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      std::uint32_t const before = shuffle_up(upto, stride);
      upto += lane >= stride ? before : 0;
      elements += shuffle_xor(elements, stride);
    }
    if (lane == 0 && elements > 0 && counts) problem.count_elements(elements);
    if (lane == warp_lanes - 1) tiles_of_warps[warp] = upto;
    begins[own] = begin;
    sizes[own] = size;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < warps - 1; ++w) upto += w < warp ? tiles_of_warps[w] : 0;
    tiles_to[own] = upto;
    if (own == threads - 1) first_place = counts ? problem.take(upto) : 0;
    __syncthreads();
    std::uint32_t const tiles = tiles_to[threads - 1];
    unsigned const sharing = are_few ? gridDim.x : 1, share = are_few ? blockIdx.x : 0;  // blocks
    for (std::size_t t = static_cast<std::size_t>(share) * threads + own; t < tiles;
         t += static_cast<std::size_t>(sharing) * threads) {
      int of = 0;  // the first segment with more tiles up to it
#pragma unroll
      for (int step = threads / 2; step > 0; step /= 2) of += tiles_to[of + step - 1] <= t ? step : 0;
      std::size_t const in_segment = t - (of > 0 ? tiles_to[of - 1] : 0);
      problem.put(first_place + t, static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(of), in_segment,
                  begins[of], sizes[of]);
    }
  }
}

/// The arguments of the ring. All segments have the same initial value.
template <class T, class Op>
struct listed_tiles_problem {
  using element = T;
  using operation = Op;
  using input = unaligned<T const>;
  using output = unaligned<T>;
  using transformation = std::identity;
  static constexpr bool is_batch = true, aligned_out = false;

  T const* in;
  T* out;
  T const* in_end;
  listed_tiles list;
  initial_value<T, Op> init;
  Op op;
  std::identity transform;
  work what;
  control* shared;
  std::uint64_t* words;  ///< words_of<working_type<T>> for each tile
  std::size_t capacity;

  __device__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(*list.count); }
  __device__ listed_tile place_of(std::uint32_t tile) const { return list.places[tile]; }
  /// The place of a tile, if there is one, will be needed soon. The list is not in the cache any more by then.
  __device__ void expect(std::uint32_t tile) const
  {
    if (tile < tiles()) prefetch(list.places + tile);
  }
  __device__ input input_from(std::size_t first) const { return {in + first}; }
  __device__ output output_from(std::size_t first) const { return {out + first}; }
  __device__ initial_value<T, Op> const& initial_of(std::uint32_t) const { return init; }
  __device__ bool has_in(unsigned char const* byte) const
  {
    return reinterpret_cast<unsigned char const*>(in) <= byte && byte < reinterpret_cast<unsigned char const*>(in_end);
  }
};

}  // namespace tally::cuda_backend
