#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Where the sequences of exact scans by pairs (pair_kernel.cuh) end.
namespace tally::cuda_backend::exact {

/// The sequences that a thread looks at to find which end in a tile: half of those of a tile, and 256 at most.
inline unsigned ends_for_thread(std::size_t sequences, std::size_t tiles)
{
  return static_cast<unsigned>(std::bit_floor(std::clamp(sequences / (2 * tiles), std::size_t{1}, std::size_t{256})));
}

/// One sequence.
struct one_sequence {
  static constexpr bool has_ends = false, has_bits = false;
  detail::element_count count;

  __device__ void read_count() { count.most = count.value(); }
  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return count.most; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }
  __device__ unsigned behind_last_end(std::size_t) const { return 0; }
};

/// Sequences of one length.
struct sequences_of_one_length {
  static constexpr bool has_ends = true, has_bits = false;
  std::size_t length, sequences;
  std::ptrdiff_t step;  ///< between the sums of neighbours

  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return length * sequences; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }

  /// The ends among a lane's elements of a tile. Bit i: a sequence ends with element i.
  __device__ __forceinline__ std::uint32_t ends_of_lane(std::size_t tile) const
  {
    std::size_t const k = tile * pair_tile + lane_of_warp() * pair_terms;
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
  /// The first place of a tile behind the last end in it; 0 if no sequence ends there.
  __device__ unsigned behind_last_end(std::size_t tile) const
  {
    std::size_t const begin = tile * pair_tile, end = of_tile(tile).behind * length;
    return end > begin ? static_cast<unsigned>(end - begin) : 0;
  }
  /// The sequences that end in a tile.
  __device__ sequences_of_tile of_tile(std::size_t tile) const
  {
    std::size_t const begin = tile * pair_tile, end = begin + pair_tile < size() ? begin + pair_tile : size();
    return {begin / length, end / length};
  }
  /// Their lower 32 bits, which tell places in a tile.
  struct bounds {
    unsigned begin, end;
    __device__ bool are_of_nothing() const { return false; }
  };
  __device__ bounds bounds_of(std::size_t sequence) const
  {
    unsigned const begin = static_cast<unsigned>(sequence) * static_cast<unsigned>(length);
    return {begin, begin + static_cast<unsigned>(length)};
  }
  __device__ std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence) * step; }
};

/// Sequences between offsets. A tile has the ends that lie in it, and the empty sequences there.
template <class Offsets>
struct sequences_between {
  static constexpr bool has_ends = true, has_bits = true;
  Offsets offsets;
  detail::element_count segments;
  sequences_of_tile* ended;     ///< the sequences that end in each tile; zeros at first, and where none ends
  std::uint16_t* bits;          ///< of each lane's elements, tile by tile: which end sequences
  unsigned ends_of_thread = 1;  ///< the sequences that a thread looks at to find `ended`

  __device__ void read_count() { segments.most = segments.value(); }
  __device__ std::size_t offset(std::size_t s) const { return static_cast<std::size_t>(detail::at_index(offsets, s)); }
  __device__ std::size_t first() const { return segments.most == 0 ? 0 : offset(0); }
  __device__ std::size_t size() const { return segments.most == 0 ? 0 : offset(segments.most) - offset(0); }
  __device__ std::size_t tiles() const
  {
    std::size_t const full = (size() + pair_tile - 1) / pair_tile;
    return full > 0 || segments.most == 0 ? full : 1;
  }

  /// Begins to copy the ends among each lane's elements of a tile, by a warp.
  __device__ __forceinline__ void begin_ends(std::size_t tile, std::uint16_t* to) const
  {
    unsigned const lane = lane_of_warp();
    if (lane < warp_lanes / 2)
      copy_asynchronously(reinterpret_cast<std::uint32_t*>(to) + lane,
                          reinterpret_cast<std::uint32_t const*>(bits + tile * warp_lanes) + lane);
  }
  /// The same, at once.
  __device__ __forceinline__ std::uint32_t ends_of_lane(std::size_t tile) const
  {
    return bits[tile * warp_lanes + lane_of_warp()];
  }
  /// Begins to copy which sequences end in a tile, by a warp.
  __device__ __forceinline__ void begin_tile(std::size_t tile, sequences_of_tile& to) const
  {
    if (lane_of_warp() == 0)
      copy_asynchronously(reinterpret_cast<uint4*>(&to), reinterpret_cast<uint4 const*>(ended + tile));
  }
  /// The first place of a tile behind the last end in it; 0 if no sequence ends there.
  __device__ unsigned behind_last_end(std::size_t tile) const
  {
    auto const [first_ended, behind] = of_tile(tile);
    if (first_ended == behind) return 0;
    std::size_t const begin = first() + tile * pair_tile, end = offset(behind);
    return end > begin ? static_cast<unsigned>(end - begin) : 0;  // or sequences of nothing at the begin of all
  }
  __device__ sequences_of_tile of_tile(std::size_t tile) const { return ended[tile]; }
  using offset_type = std::remove_cvref_t<decltype(detail::at_index(std::declval<Offsets const&>(), 0))>;
  /// The tile in which a sequence ends. Sequences of nothing at the begin of all end in the first one.
  __device__ std::size_t tile_of(std::size_t s) const
  {
    std::size_t const terms = offset(s + 1) - first();
    return terms == 0 ? 0 : (terms - 1) / pair_tile;
  }
  /// The first sequence of (from, last] that ends behind a tile; `last` does, and `from` does not.
  __device__ std::size_t find_behind(std::size_t tile, std::size_t from, std::size_t last) const
  {
    while (last - from > 1) {
      std::size_t const middle = from + (last - from) / 2;
      (tile_of(middle) > tile ? last : from) = middle;
    }
    return last;
  }
  struct bounds {
    offset_type begin, end;
    __device__ bool are_of_nothing() const { return begin == end; }
  };
  __device__ bounds bounds_of(std::size_t s) const
  {
    return {detail::at_index(offsets, s), detail::at_index(offsets, s + 1)};
  }
  __device__ std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence); }
};

/// Finds `ended`. A thread has `ends_of_thread` neighbouring sequences, and looks at the last end before them and at
/// their last one. Only where these are in different tiles it searches.
template <class Ends>
__global__ void ends_of_tiles_kernel(__grid_constant__ Ends const given)
{
  take_turn();
  Ends all = given;
  all.read_count();
  unsigned const count = all.ends_of_thread;
  std::size_t const sequences = all.segments.most, begin = (blockIdx.x * std::size_t{blockDim.x} + threadIdx.x) * count;
  if (begin >= sequences) return;
  std::size_t const last = sequences - begin < count ? sequences - 1 : begin + count - 1, last_tile = all.tile_of(last);
  std::size_t s = begin, tile = all.tile_of(begin == 0 ? 0 : begin - 1);
  if (begin == 0) all.ended[tile].first = 0;
  while (tile != last_tile) {
    // Sequence s - 1 ends in `tile`, and `last` does not.
    std::size_t const next = all.tile_of(s) != tile ? s : all.find_behind(tile, s, last);
    all.ended[tile].behind = next;
    tile = all.tile_of(next);
    all.ended[tile].first = next;
    s = next + 1;
  }
  if (last + 1 == sequences) all.ended[last_tile].behind = sequences;
}

/// Finds `bits`. A warp has a byte of shared memory for each element of its tiles.
template <class Ends>
__global__ void mark_ends_kernel(__grid_constant__ Ends const given)
{
  constexpr int batch = 8, rows = elements_of_warp / 16 / warp_lanes;
  static_assert(pair_terms == 16);
  take_turn();
  Ends all = given;
  all.read_count();
  unsigned const warp = threadIdx.x / warp_lanes, lane = lane_of_warp();
  std::size_t const tiles = all.tiles(), tile = (blockIdx.x * std::size_t{pair_warps} + warp) * tiles_of_warp;
  if (tile >= tiles) return;
  std::size_t const begin = all.first() + tile * pair_tile;
  unsigned char* const marks = memory_of_block() + warp * elements_of_warp;
  auto* const of_lanes = reinterpret_cast<uint4*>(marks);
#pragma unroll
  for (int i = 0; i < rows; ++i) of_lanes[i * warp_lanes + lane] = uint4{0, 0, 0, 0};
  __syncwarp();
  // The first and the last tile in which sequences end.
  sequences_of_tile own{};
  if (lane < tiles_of_warp && tile + lane < tiles) own = all.ended[tile + lane];
  unsigned const ended = __ballot_sync(whole_warp, own.first != own.behind);
  std::size_t const first = __shfl_sync(whole_warp, own.first, ended == 0 ? 0 : __ffs(static_cast<int>(ended)) - 1),
                    behind = __shfl_sync(whole_warp, own.behind, 31 - __clz(static_cast<int>(ended | 1)));
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
    if (tile + i >= tiles) break;
    uint4 const found = of_lanes[i * warp_lanes + lane];
    all.bits[(tile + i) * warp_lanes + lane] =
        static_cast<std::uint16_t>(four(found.x) | four(found.y) << 4 | four(found.z) << 8 | four(found.w) << 12);
  }
}

/// Writes the sums of the sequences that end in a tile. It begins to read the first ones' bounds at once.
template <class P>
class sum_writer {
  static constexpr int batch = 4;  ///< sequences whose bounds a lane reads at a time
  using bounds = typename P::ends_type::bounds;

public:
  __device__ __forceinline__ sum_writer(P const& problem, std::size_t tile, sequences_of_tile const& ended)
      : problem_(problem),
        begin_(static_cast<unsigned>(problem.ends.first() + tile * pair_tile)),
        ended_(ended),
        left_out_(tile == 0 ? ended.behind : ended.first)
  {
    read(bounds_, ended.first + lane_of_warp());
  }
  /// Writes sums.of(the first term's place in the tile, that of the last one) of each sequence, but for the first one:
  /// it may have begun before the tile, unless that is the first tile. A lane calls sums.hand_over_up_to(the place of
  /// its last term), and one lane sums.hand_over_behind(the place behind all sequences that end in the tile).
  template <class Sums>
  __device__ __forceinline__ void write(Sums const& sums) const
  {
    if (ended_.first == ended_.behind && lane_of_warp() == 0) sums.hand_over_behind(0);
    for_each([&](std::size_t s, bounds const& all) {
      unsigned const behind = static_cast<unsigned>(all.end) - begin_;
      if (s == left_out_) {
        sums.hand_over_up_to(behind - 1);
      } else {
        auto result = problem_.nothing;
        if (!all.are_of_nothing()) result = sums.of(static_cast<unsigned>(all.begin) - begin_, behind - 1);
        problem_.put(static_cast<std::size_t>(problem_.ends.out(s)), result);
      }
      if (s + 1 == ended_.behind) sums.hand_over_behind(behind);
    });
  }
  /// The ends among a lane's elements, by a warp that has room for a word a lane.
  __device__ __forceinline__ std::uint32_t ends_of_lane(std::uint32_t* room) const
  {
    room[lane_of_warp()] = 0;
    __syncwarp();
    for_each([&](std::size_t, bounds const& all) {
      // Sequences of nothing at the begin of all have no element before their end.
      if (unsigned const behind = static_cast<unsigned>(all.end) - begin_; behind > 0)
        atomicOr(room + (behind - 1) / pair_terms, 1u << (behind - 1) % pair_terms);
    });
    __syncwarp();
    return room[lane_of_warp()];
  }

private:
  /// Calls f(sequence, its bounds) for every 32nd sequence.
  template <class F>
  __device__ __forceinline__ void for_each(F const& f) const
  {
    bounds all[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) all[j] = bounds_[j];
    for (std::size_t s = ended_.first + lane_of_warp(); s < ended_.behind;) {
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (s + j * warp_lanes >= ended_.behind) break;
        f(s + j * warp_lanes, all[j]);
      }
      s += batch * warp_lanes;
      read(all, s);
    }
  }
  __device__ __forceinline__ void read(bounds (&to)[batch], std::size_t s) const
  {
#pragma unroll
    for (int j = 0; j < batch; ++j)
      if (s + j * warp_lanes < ended_.behind) to[j] = problem_.ends.bounds_of(s + j * warp_lanes);
  }

  P const& problem_;
  unsigned begin_;  ///< the lower bits
  sequences_of_tile ended_;
  std::size_t left_out_;
  bounds bounds_[batch];
};

}  // namespace tally::cuda_backend::exact
