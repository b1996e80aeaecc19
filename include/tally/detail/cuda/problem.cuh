#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/counted.hpp"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/compiled.hpp"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/rows.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The place of a tile: its sequence, and in it.
struct tile_place {
  std::uint32_t sequence;
  std::uint32_t tile;      ///< of the sequence
  std::size_t begin, end;  ///< elements of the sequence
};

/// The arguments of a call's kernel. The kernels of any number of tiles (ring.cuh, drawn_tiles_kernel) take a batch's
/// problem too (batch_problem.cuh): tiles are numbered through all of its sequences.
template <class T, class Op, class In, class Out, class Transform>
struct problem {
  using element = T;
  using operation = Op;
  using input = In;
  using output = Out;
  using transformation = Transform;
  static constexpr bool is_batch = false;
  static constexpr bool is_counted = false;

  In in;
  Out out;  ///< a reduction writes its value to the first element
  std::size_t size;
  initial_value<T, Op> init;
  Op op;
  Transform transform;
  work what;
  control* shared;
  std::uint64_t* words;  ///< words_of<working_type<T>> for each tile
  std::size_t capacity;  ///< words in the workspace
  bool backwards;        ///< for tests: blocks with own tiles have them from the last one on, or wait for none

  __host__ __device__ std::uint32_t tiles() const
  {
    return static_cast<std::uint32_t>((size + order::tile<T> - 1) / order::tile<T>);
  }
  __host__ __device__ std::size_t tile_end(std::uint32_t tile) const
  {
    std::size_t const end = (static_cast<std::size_t>(tile) + 1) * order::tile<T>;
    return end < size ? end : size;
  }
  /// The destination of the results before `end`.
  __device__ cuda_backend::destination<T, Out> destination(std::size_t end) const
  {
    return {out, end, aligned_for_groups<T>(out), what == work::exclusive_scan};
  }

  // The only sequence.
  __device__ tile_place place_of(std::uint32_t tile) const
  {
    return {0, tile, static_cast<std::size_t>(tile) * order::tile<T>, tile_end(tile)};
  }
  __device__ In const& input_of(std::uint32_t) const { return in; }
  __device__ initial_value<T, Op> const& initial_of(std::uint32_t) const { return init; }
  __device__ cuda_backend::destination<T, Out> destination_of(tile_place const& at) const
  {
    return destination(at.end);
  }
};

/// A problem whose number of elements lies in the device's memory; `size` is a bound on it. It has kernels of its own:
/// a kernel that may have to read the size computes nothing from it before its turn, and takes 0.04 to 0.14 us longer.
template <class P>
struct counted_problem : P {
  static constexpr bool is_counted = true;
  detail::count_in_memory count;

  __device__ void read_count() { this->size = count.up_to(this->size); }
};

/// The first line of every other kernel. A launch may begin before the kernel ahead of it in the stream has ended. This
/// lets the next kernel begin early too, and waits until all earlier work is done and visible.
__device__ __forceinline__ void take_turn()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The first line of every kernel whose problem may have a count in memory: `take_turn`, and the problem with the count
/// as it is then. There may be fewer tiles than the launch was made for, and none at all.
template <class P>
__device__ __forceinline__ decltype(auto) at_its_turn(P const& given)
{
  take_turn();
  if constexpr (requires(P own) { own.read_count(); }) {
    P own = given;
    own.read_count();
    return own;
  } else {
    return (given);
  }
}

/// Writes the reduction of no elements, by one thread.
template <class P>
__device__ __forceinline__ void reduce_nothing(P const& problem)
{
  problem.out[0] = static_cast<typename P::element>(problem.init.value);
}

}  // namespace tally::cuda_backend
