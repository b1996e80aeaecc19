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

/// Long segments by the ring (ring.cuh): a kernel lists their tiles, and the ring takes them as those of a batch.
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
  std::uint32_t* count;  ///< zero at first
  listed_tile* places;

  /// Words of the workspace for the list of at most so many tiles.
  static constexpr std::size_t words(std::size_t tiles)
  {
    return 1 + tiles * sizeof(listed_tile) / sizeof(std::uint64_t);
  }
};

/// The arguments of the kernel that lists the tiles.
template <class P>
struct segment_tiles_problem : P {
  listed_tiles list;
};

inline constexpr int segment_tiles_threads = 256;

/// Lists the tiles of all segments, a warp a segment.
template <class P>
__global__ void __launch_bounds__(segment_tiles_threads)
    list_tiles_kernel(__grid_constant__ segment_tiles_problem<P> const given)
{
  constexpr std::size_t tile = order::tile<typename P::element>, warps = segment_tiles_threads / warp_lanes;
  auto const& problem = at_its_turn(given);
  auto const lane = threadIdx.x % warp_lanes;
  for (std::size_t s = blockIdx.x * warps + threadIdx.x / warp_lanes; s < problem.segments; s += gridDim.x * warps) {
    std::size_t const begin = problem.offset(s), end = problem.offset(s + 1);
    auto const tiles = static_cast<std::uint32_t>((end - begin + tile - 1) / tile);
    std::uint32_t first = 0;
    if (lane == 0 && tiles != 0) first = atomicAdd(problem.list.count, tiles);
    first = shuffle_from(first, 0);
    for (std::uint32_t t = lane; t < tiles; t += warp_lanes) {
      std::size_t const from = t * tile, rest = end - begin - from;
      problem.list.places[first + t] = {{static_cast<std::uint32_t>(s), t, from, from + (rest < tile ? rest : tile)},
                                        begin};
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

  __device__ std::uint32_t tiles() const { return *list.count; }
  __device__ listed_tile place_of(std::uint32_t tile) const { return list.places[tile]; }
  __device__ input input_from(std::size_t first) const { return {in + first}; }
  __device__ output output_from(std::size_t first) const { return {out + first}; }
  __device__ initial_value<T, Op> const& initial_of(std::uint32_t) const { return init; }
  __device__ bool has_in(unsigned char const* byte) const
  {
    return reinterpret_cast<unsigned char const*>(in) <= byte && byte < reinterpret_cast<unsigned char const*>(in_end);
  }
};

}  // namespace tally::cuda_backend
