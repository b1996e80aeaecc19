#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/segment_tiles.cuh"
#include "tally/detail/cuda/recurrence/segments_units.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The lists that come before recurrences of segments: the tiles of long ones (list_tiles_kernel), and chunks of the
/// others.
namespace tally::cuda_backend {

/// The arguments of the kernel that lists the tiles of long segments. It lists chunks of the others too, where these
/// are so far between that a search for each chunk would take longer.
template <class Value>
struct recurrence_lists_problem : recurrence_segments_problem<Value> {
  std::size_t of_block;    ///< segments that a block looks at, at most as many as it has threads
  std::size_t chunk_size;  ///< places of a chunk: elements, and one for each segment. 0: no chunks are listed

  /// Whether look_at does anything.
  __device__ __forceinline__ bool looks() const { return chunk_size != 0; }
  /// Lists the chunks of a block's short segments. A chunk ends before a long segment, and where the block's places
  /// pass a multiple of `chunk_size`.
  __device__ __forceinline__ void look_at(std::size_t segment, bool is_there, std::size_t size) const
  {
    if (chunk_size == 0) return;
    constexpr int threads = segment_tiles_threads, warps = threads / warp_lanes;
    constexpr std::uint32_t none = 0xffffffff;
    __shared__ std::uint32_t places_of_warps[warps], heads_of_warps[warps], chunk_of[threads + 1];
    __shared__ std::uint32_t first_chunk;
    auto const own = static_cast<int>(threadIdx.x), lane = own % warp_lanes, warp = own / warp_lanes;
    bool const is_short = is_there && size <= this->longest;
    // At most 256 segments of at most `longest` elements.
    std::uint32_t const places = is_short ? static_cast<std::uint32_t>(size) + 1 : 0;
    std::uint32_t before = places;
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      std::uint32_t const left = shuffle_up(before, stride);
      before += lane >= stride ? left : 0;
    }
    if (lane == warp_lanes - 1) places_of_warps[warp] = before;
    before -= places;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < warps - 1; ++w) before += w < warp ? places_of_warps[w] : 0;
    std::uint32_t const chunk = is_short ? before / static_cast<std::uint32_t>(chunk_size) : none;
    if (own == 0) chunk_of[0] = none;
    chunk_of[own + 1] = chunk;
    __syncthreads();
    bool const is_head = is_short && chunk_of[own] != chunk;
    bool const is_end = is_short && (own + 1 == threads || chunk_of[own + 2] != chunk);
    unsigned const heads = __ballot_sync(whole_warp, is_head);
    if (lane == 0) heads_of_warps[warp] = static_cast<std::uint32_t>(__popc(heads));
    __syncthreads();
    std::uint32_t number = static_cast<std::uint32_t>(__popc(heads & (0xffffffffu >> (warp_lanes - 1 - lane))));
#pragma unroll
    for (int w = 0; w < warps - 1; ++w) number += w < warp ? heads_of_warps[w] : 0;
    if (own == threads - 1 && number > 0)
      first_chunk = static_cast<std::uint32_t>(atomicAdd(this->chunks.count, static_cast<unsigned long long>(number)));
    __syncthreads();
    if (is_head) this->chunks.all[first_chunk + number - 1].first = static_cast<std::uint32_t>(segment);
    if (is_end) this->chunks.all[first_chunk + number - 1].end = static_cast<std::uint32_t>(segment) + 1;
  }
  __device__ __forceinline__ void count_elements(std::size_t elements) const
  {
    atomicAdd(this->longs.elements, static_cast<unsigned long long>(elements));
  }
  /// Returns the first of `tiles` new places in the list.
  __device__ __forceinline__ std::uint64_t take(std::uint32_t tiles) const
  {
    return atomicAdd(this->longs.count, static_cast<unsigned long long>(tiles));
  }
  __device__ __forceinline__ void put(std::uint64_t place, std::uint32_t segment, std::size_t in_segment,
                                      std::size_t begin, std::size_t size) const
  {
    this->longs.tiles[place] = {begin, size, segment, static_cast<std::uint32_t>(in_segment)};
    this->longs.first_bad[place] = ~0ull;
  }
};

}  // namespace tally::cuda_backend
