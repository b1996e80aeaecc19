#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/problem.cuh"

/// Where the sequences of exact scans by pairs (pair_kernel.cuh) end.
namespace tally::cuda_backend::exact {

/// One sequence.
struct one_sequence {
  static constexpr bool has_ends = false, has_marks = false;
  detail::element_count count;

  __device__ void read_count() { count.most = count.value(); }
  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return count.most; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }
};

/// Sequences of one length.
struct sequences_of_one_length {
  static constexpr bool has_ends = true, has_marks = false;
  std::size_t length, sequences;
  std::ptrdiff_t step;  ///< between the sums of neighbours

  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return length * sequences; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }

  /// The ends among a thread's elements, the first of which is element k.
  struct own_ends {
    std::size_t sequence, sequences;
    std::uint32_t left, length;

    __device__ __forceinline__ own_ends(sequences_of_one_length const& all, std::size_t k, std::uint32_t const*,
                                        std::size_t)
        : sequences(all.sequences),
          length(at_most(all.length))
    {
      std::size_t within;
      if ((k | all.length) >> 32 == 0) {
        auto const place = static_cast<std::uint32_t>(k), of = static_cast<std::uint32_t>(all.length);
        sequence = place / of;
        within = place % of;
      } else {
        sequence = k / all.length;
        within = k % all.length;
      }
      left = sequence < sequences ? at_most(all.length - within) : none;
    }
    /// Whether element `i` ends a sequence. It is called once for each, in turn.
    __device__ __forceinline__ bool ends(int) { return --left == 0; }
    /// That sequence. It is called once for each end.
    __device__ __forceinline__ std::size_t ended()
    {
      std::size_t const own = sequence++;
      left = sequence < sequences ? length : none;
      return own;
    }

  private:
    static constexpr std::uint32_t none = std::uint32_t{1} << 30;
    __device__ static std::uint32_t at_most(std::size_t n) { return n < none ? static_cast<std::uint32_t>(n) : none; }
  };
  __device__ std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence) * step; }
};

/// Sequences between offsets. A tile has the ends that lie in it, and the empty sequences there.
template <class Offsets>
struct sequences_between {
  static constexpr bool has_ends = true, has_marks = true;
  Offsets offsets;
  detail::element_count segments;
  std::size_t* first_of_tile;  ///< the first sequence whose end lies in a tile; and, behind, the number of sequences

  __device__ void read_count() { segments.most = segments.value(); }
  __device__ std::size_t offset(std::size_t s) const { return static_cast<std::size_t>(detail::at_index(offsets, s)); }
  __device__ std::size_t first() const { return segments.most == 0 ? 0 : offset(0); }
  __device__ std::size_t size() const { return segments.most == 0 ? 0 : offset(segments.most) - offset(0); }
  __device__ std::size_t tiles() const
  {
    std::size_t const full = (size() + pair_tile - 1) / pair_tile;
    return full > 0 || segments.most == 0 ? full : 1;
  }

  struct own_ends {
    std::uint32_t const* marks;
    std::size_t first;
    std::uint32_t mark = 0;

    __device__ __forceinline__ own_ends(sequences_between const&, std::size_t, std::uint32_t const* of_thread,
                                        std::size_t first_of_all)
        : marks(of_thread),
          first(first_of_all)
    {
    }
    __device__ __forceinline__ bool ends(int i) { return (mark = marks[i]) != 0; }
    __device__ __forceinline__ std::size_t ended() const { return first + mark - 1; }
  };
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

/// Marks the ends in a tile, and writes the sums of sequences of nothing. Returns the number of the first sequence.
template <class P>
__device__ __forceinline__ std::size_t mark_ends(P const& problem, std::size_t tile, std::size_t begin,
                                                 std::uint32_t* marks)
{
  if constexpr (P::ends_type::has_marks) {
    auto const& ends = problem.ends;
    std::size_t const from = ends.first_of_tile[tile], to = ends.first_of_tile[tile + 1];
    for (int k = static_cast<int>(threadIdx.x); k < room_of_tile<std::uint32_t>; k += pair_threads) marks[k] = 0;
    meet_workers();
    for (std::size_t s = from + threadIdx.x; s < to; s += pair_threads) {
      std::size_t const first = ends.offset(s), end = ends.offset(s + 1);
      if (first < end)
        marks[place_in_tile<std::uint32_t>(static_cast<int>(end - 1 - begin))] =
            static_cast<std::uint32_t>(s - from) + 1;
      else if constexpr (P::reduces)
        problem.put(s, problem.nothing);
    }
    return from;
  } else {
    return 0;
  }
}

}  // namespace tally::cuda_backend::exact
