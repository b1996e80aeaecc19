#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Where the sequences of exact scans by pairs (pair_kernel.cuh) end.
namespace tally::cuda_backend::exact {

/// The sequences that end in a tile.
struct sequences_of_tile {
  std::size_t first = 0, behind = 0;
};

/// One sequence.
struct one_sequence {
  static constexpr bool has_ends = false, has_bits = false;
  detail::element_count count;

  __device__ void read_count() { count.most = count.value(); }
  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return count.most; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }
};

/// Sequences of one length.
struct sequences_of_one_length {
  static constexpr bool has_ends = true, has_bits = false;
  std::size_t length, sequences;
  std::ptrdiff_t step;  ///< between the sums of neighbours

  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return length * sequences; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }

  /// The ends among a thread's elements of a tile. Bit i: a sequence ends with element i.
  __device__ __forceinline__ std::uint32_t ends_of_thread(std::size_t tile) const
  {
    std::size_t const k = tile * pair_tile + threadIdx.x * pair_terms;
    std::size_t within;
    if ((k | length) >> 32 == 0)
      within = static_cast<std::uint32_t>(k) % static_cast<std::uint32_t>(length);
    else
      within = k % length;
    std::size_t const left = k < size() ? size() - k : 0, elements = left < pair_terms ? left : pair_terms;
    std::uint32_t bits = 0;
    for (std::size_t i = length - 1 - within; i < elements; i += length) bits |= std::uint32_t{1} << i;
    return bits;
  }
  /// The sequences that end in a tile.
  __device__ sequences_of_tile of_tile(std::size_t tile) const
  {
    std::size_t const begin = tile * pair_tile, end = begin + pair_tile < size() ? begin + pair_tile : size();
    return {begin / length, end / length};
  }
  struct bounds {
    std::size_t begin, end;
  };
  __device__ bounds bounds_of(std::size_t sequence) const { return {sequence * length, (sequence + 1) * length}; }
  __device__ std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence) * step; }
};

/// Sequences between offsets. A tile has the ends that lie in it, and the empty sequences there.
template <class Offsets>
struct sequences_between {
  static constexpr bool has_ends = true, has_bits = true;
  Offsets offsets;
  detail::element_count segments;
  std::size_t* first_of_tile;  ///< the first sequence whose end lies in a tile; and, behind, the number of sequences
  std::uint16_t* bits;         ///< of each thread's elements, tile by tile: which end sequences

  __device__ void read_count() { segments.most = segments.value(); }
  __device__ std::size_t offset(std::size_t s) const { return static_cast<std::size_t>(detail::at_index(offsets, s)); }
  __device__ std::size_t first() const { return segments.most == 0 ? 0 : offset(0); }
  __device__ std::size_t size() const { return segments.most == 0 ? 0 : offset(segments.most) - offset(0); }
  __device__ std::size_t tiles() const
  {
    std::size_t const full = (size() + pair_tile - 1) / pair_tile;
    return full > 0 || segments.most == 0 ? full : 1;
  }

  __device__ __forceinline__ std::uint32_t ends_of_thread(std::size_t tile) const
  {
    return bits[tile * pair_threads + threadIdx.x];
  }
  __device__ sequences_of_tile of_tile(std::size_t tile) const
  {
    return {first_of_tile[tile], first_of_tile[tile + 1]};
  }
  using offset_type = std::remove_cvref_t<decltype(detail::at_index(std::declval<Offsets const&>(), 0))>;
  struct bounds {
    offset_type begin, end;
  };
  __device__ bounds bounds_of(std::size_t s) const
  {
    return {detail::at_index(offsets, s), detail::at_index(offsets, s + 1)};
  }
  __device__ std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence); }
};

/// Finds `first_of_tile`, with a thread for each tile.
template <class Ends>
__global__ void ends_of_tiles_kernel(__grid_constant__ Ends const given)
{
  take_turn();
  Ends all = given;
  all.read_count();
  std::size_t const tiles = all.tiles(), first = all.first();
  for (std::size_t tile = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; tile <= tiles;
       tile += std::size_t{gridDim.x} * blockDim.x) {
    std::size_t begin = 0, end = tile == 0 ? 0 : all.segments.most;
    if (tile == tiles) begin = end = all.segments.most;
    while (begin < end) {
      std::size_t const middle = begin + (end - begin) / 2;
      if (all.offset(middle + 1) > first + tile * pair_tile)
        end = middle;
      else
        begin = middle + 1;
    }
    all.first_of_tile[tile] = begin;
  }
}

inline constexpr int marking_threads = 256;

/// Finds `bits`, with a warp for each tile, which has a byte of shared memory for each of its elements.
template <class Ends>
__global__ void mark_ends_kernel(__grid_constant__ Ends const given)
{
  constexpr int batch = 8, rows = pair_tile / 16 / warp_lanes;
  static_assert(pair_terms == 16);
  take_turn();
  Ends all = given;
  all.read_count();
  unsigned const warp = threadIdx.x / warp_lanes, lane = threadIdx.x % warp_lanes;
  std::size_t const tile = blockIdx.x * std::size_t{marking_threads / warp_lanes} + warp;
  if (tile >= all.tiles()) return;
  std::size_t const begin = all.first() + tile * pair_tile;
  unsigned char* const marks = memory_of_block() + warp * pair_tile;
  auto* const of_threads = reinterpret_cast<uint4*>(marks);
#pragma unroll
  for (int i = 0; i < rows; ++i) of_threads[i * warp_lanes + lane] = uint4{0, 0, 0, 0};
  __syncwarp();
  auto const [first, behind] = all.of_tile(tile);
  for (std::size_t s = first + lane; s < behind; s += batch * warp_lanes) {
    std::size_t end[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) end[j] = s + j * warp_lanes < behind ? all.offset(s + j * warp_lanes + 1) : begin;
    // Sequences of nothing at the begin of all have no element before their end.
#pragma unroll
    for (int j = 0; j < batch; ++j)
      if (end[j] > begin) marks[end[j] - 1 - begin] = 1;
  }
  __syncwarp();
  auto const four = [](std::uint32_t marked) { return marked * 0x01020408u >> 24 & 0xf; };  // bit i: byte i is 1
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    uint4 const found = of_threads[i * warp_lanes + lane];
    all.bits[tile * pair_threads + i * warp_lanes + lane] =
        static_cast<std::uint16_t>(four(found.x) | four(found.y) << 4 | four(found.z) << 8 | four(found.w) << 12);
  }
}

/// Writes the sums of the sequences that end in a tile, which lie in the places of their last terms.
template <class P>
class sum_writer {
  static constexpr int batch = 4;  ///< sequences whose bounds a thread reads at a time
  using ends_type = typename P::ends_type;

public:
  __device__ __forceinline__ sum_writer(P const& problem, std::size_t tile)
      : problem_(problem),
        begin_(problem.ends.first() + tile * pair_tile),
        sequences_(problem.ends.of_tile(tile)),
        next_(sequences_.first + threadIdx.x)
  {
    read();
  }
  __device__ __forceinline__ void write(typename P::element const* values)
  {
    for (;;) {
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        std::size_t const s = next_ + j * pair_threads;
        if (s >= sequences_.behind) return;
        bool const is_empty = bounds_[j].begin == bounds_[j].end;
        auto const last = static_cast<unsigned>(static_cast<std::size_t>(bounds_[j].end) - 1 - begin_);
        problem_.put(static_cast<std::size_t>(problem_.ends.out(s)),
                     is_empty ? problem_.nothing : values[place_in_tile<typename P::element>(last)]);
      }
      next_ += batch * pair_threads;
      read();
    }
  }

private:
  __device__ __forceinline__ void read()
  {
#pragma unroll
    for (int j = 0; j < batch; ++j)
      if (next_ + j * pair_threads < sequences_.behind) bounds_[j] = problem_.ends.bounds_of(next_ + j * pair_threads);
  }

  P const& problem_;
  std::size_t begin_;
  sequences_of_tile sequences_;
  std::size_t next_;
  typename ends_type::bounds bounds_[batch];
};

}  // namespace tally::cuda_backend::exact
