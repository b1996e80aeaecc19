#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/ring.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/order.hpp"

/// Scans of long segments by the ring (ring.cuh): a kernel lists their tiles, and the ring takes them as those of a
/// batch. Shorter segments may be left to warps (warp_segments.cuh).
namespace tally::cuda_backend {

/// Whether a kind of problem can go by tiles.
template <class P>
inline constexpr bool fits_tiles =
    fits_warps<P> && !P::reduces && can_shift<typename P::element, static_cast<int>(order::group<typename P::element>)>;

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

/// The arguments of the kernel that lists the tiles.
template <class P>
struct segment_tiles_problem : P {
  listed_tiles list;
};

inline constexpr int segment_tiles_threads = 256;

/// Lists the tiles of segments of more than `longest` elements. A lane looks at a segment, and a warp lists the tiles
/// of those that its lanes have found.
template <class P>
__global__ void __launch_bounds__(segment_tiles_threads)
    list_tiles_kernel(__grid_constant__ segment_tiles_problem<P> const given)
{
  constexpr std::size_t tile = order::tile<typename P::element>;
  auto const& problem = at_its_turn(given);
  auto const lane = threadIdx.x % warp_lanes;
  std::size_t const lanes = static_cast<std::size_t>(gridDim.x) * segment_tiles_threads;
  for (std::size_t first = blockIdx.x * segment_tiles_threads + threadIdx.x - lane; first < problem.segments;
       first += lanes) {
    std::size_t const own = first + lane < problem.segments ? first + lane : problem.segments - 1;
    std::size_t const own_begin = problem.offset(own), own_size = problem.offset(own + 1) - own_begin;
    unsigned left = __ballot_sync(whole_warp, first + lane < problem.segments && own_size > problem.longest);
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
      int const of = __ffs(static_cast<int>(left)) - 1;
      std::size_t const begin = __shfl_sync(whole_warp, static_cast<unsigned long long>(own_begin), of),
                        size = __shfl_sync(whole_warp, static_cast<unsigned long long>(own_size), of);
      auto const tiles = static_cast<std::uint32_t>((size + tile - 1) / tile);
      std::uint64_t place = 0;
      if (lane == 0) {
        place = atomicAdd(reinterpret_cast<unsigned long long*>(problem.list.count), tiles);
        atomicAdd(reinterpret_cast<unsigned long long*>(problem.list.elements), size);
      }
      place = shuffle_from(place, 0);
      for (std::uint32_t t = lane; t < tiles; t += warp_lanes) {
        std::size_t const from = t * tile, rest = size - from;
        listed_tile own_tile;
        own_tile.sequence = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(of);
        own_tile.tile = t;
        own_tile.begin = from;
        own_tile.end = from + (rest < tile ? rest : tile);
        own_tile.first = begin;
        problem.list.places[place + t] = own_tile;
      }
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
