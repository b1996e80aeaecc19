#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/results.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Shared memory by way of which a warp reads and writes elements whose groups are not aligned. Neighbouring lanes then
/// read and write neighbouring elements, where each lane would else touch a group of its own with every access.
namespace tally::cuda_backend {

/// No such memory: elements that are not aligned are read and written a group a lane.
struct no_staging {};

/// Memory of `Warps` warps for `Count` elements each.
template <class Stored, class Result, int Warps, std::size_t Count>
struct staging_of {
  static constexpr std::size_t bytes = Count * std::max(sizeof(Stored), sizeof(Result));
  static constexpr bool fits = Warps * bytes <= 40 * 1024;

  struct memory {
    alignas(16) unsigned char warps[Warps][bytes];

    template <class V>
    __device__ V* of_warp(int warp)
    {
      return reinterpret_cast<V*>(warps[warp]);
    }
  };
  using shared = std::conditional_t<fits, memory, no_staging>;
};

/// Moves up to `Most` elements from read(k) to write(k, element), by a warp. Many are on their way at once. Reads go up
/// to the next multiple of a batch.
template <int Most, class Read, class Write>
__device__ __forceinline__ void copy_up_to(int lane, int count, Read const& read, Write const& write)
{
  constexpr int all = Most / warp_lanes, batch = all < 16 ? all : 16;
#pragma unroll 1
  for (int first = lane; first < count; first += batch * warp_lanes) {
    std::decay_t<decltype(read(0))> some[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) some[j] = read(first + j * warp_lanes);
#pragma unroll
    for (int j = 0; j < batch; ++j) write(first + j * warp_lanes, some[j]);
  }
}

/// The same for exactly `Count` elements, whole batches.
template <int Count, class Read, class Write>
__device__ __forceinline__ void copy_in_order(int lane, Read const& read, Write const& write)
{
  constexpr int all = Count / warp_lanes;
  static_assert(Count % warp_lanes == 0 && all % (all < 16 ? all : 16) == 0);
  copy_up_to<Count>(lane, Count, read, write);
}

/// The staging of a block that has a tile of the problem, a strip a warp. Only batches have it.
template <class P, bool = P::is_batch>
struct tile_staging {
  using shared = no_staging;
};
template <class P>
struct tile_staging<P, true> : staging_of<typename P::input::value_type, typename P::output::value_type,
                                          static_cast<int>(order::tile_strips), order::strip<typename P::element>> {};

/// A destination whose groups go to the warp's memory, `base` elements before.
template <class T, class Out, class Result>
struct staged_destination : destination<T, Out> {
  Result* memory;
  std::size_t base;

  template <int Rows, class Results>
  __device__ __forceinline__ void store(std::size_t first, Results (&results)[Rows], typename Results::W left_neighbour,
                                        int lane) const
  {
    this->shift(results, left_neighbour, lane);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      auto const group = results[r].template packed<Result>();
      Result* const to = memory + (first - base) + r * order::row<T>;
#pragma unroll
      for (int j = 0; j < Results::group; ++j) to[j] = group.get(j);
    }
  }
};

}  // namespace tally::cuda_backend
