#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/exact/pair_folder.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_worker.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// Exact scans, and sums of short sequences, by pairs of doubles (pair_sum.hpp): of sequences that lie one behind the
/// other, in one pass over memory.
///
/// A block takes a tile of all elements, whatever sequences these belong to. Each of its workers (pair_worker.cuh)
/// adds up 16 neighbours, and begins anew behind the end of a sequence. Pairs pass from thread to thread and from warp
/// to warp by scans that stop at such ends, and from tile to tile by a look back at the tiles before, by a warp of its
/// own (pair_folder.cuh). The brackets differ from run to run, and so do the bounds of what was dropped; the rounded
/// results cannot.
///
/// A block has three tiles at a time: while one is read, the workers add up another, and the folder finds the sum
/// before the one in front of that. So nobody waits long for another.
///
/// A result that the pair does not tell sets a flag, and the blocks stop. The kernels behind then do the call again.
namespace tally::cuda_backend::exact {

/// The arguments of a call.
template <class T, class In, class Out, class Transform, class Ends, bool Reduces>
struct pairs_problem {
  using element = T;
  using ends_type = Ends;
  static constexpr bool reduces = Reduces;
  static constexpr bool reads_as_they_are = std::is_same_v<Transform, std::identity> && std::is_same_v<In, T const*>;

  In in;
  Out out;
  Transform transform;
  Ends ends;
  double initial;  ///< the value with which each sequence begins
  T nothing;       ///< the sum of no terms
  bool is_exclusive;
  bool writes;      ///< or only finds out whether pairs tell all results
  bool is_checked;  ///< by an earlier run, which has left the sums before the tiles
  pair_states states;

  __device__ void read_count()
    requires requires(Ends& of) { of.read_count(); }
  {
    ends.read_count();
  }
  __device__ __forceinline__ T term(std::size_t k) const
  {
    if constexpr (std::is_same_v<Transform, std::identity>) {
      return static_cast<T>(detail::at_index(in, k));
    } else {
      Transform own = transform;
      return static_cast<T>(own(detail::at_index(in, k)));
    }
  }
  __device__ __forceinline__ void put(std::size_t k, T const& result) const { detail::at_index(out, k) = result; }
};

template <class P>
__global__ void __launch_bounds__(pair_block_threads, pair_blocks) pairs_kernel(__grid_constant__ P const given)
{
  auto& block = shared_by_block<pair_block>();
  auto const& problem = at_its_turn(given);
  if (problem.is_checked && problem.states.has_failed()) return;
  if (threadIdx.x == 0) block.begin();
  __syncthreads();
  if (threadIdx.x < pair_threads)
    pair_worker<P>(problem, block, memory_of_block()).run();
  else
    pair_folder<P>(problem, block).run();
}

}  // namespace tally::cuda_backend::exact
