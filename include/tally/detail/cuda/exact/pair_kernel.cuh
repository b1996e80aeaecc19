#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_worker.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// Exact scans, and sums of short sequences, by pairs of doubles (pair_sum.hpp): of sequences that lie one behind the
/// other.
///
/// The sums before all tiles are known when this kernel begins (pair_carries.cuh). So each warp works alone
/// (pair_worker.cuh): it takes tiles of 512 elements, whatever sequences these belong to, and each lane adds up 16
/// neighbours, and begins anew behind the end of a sequence. Pairs pass from lane to lane by scans that stop at such
/// ends. The brackets differ from those of one thread alone, and so do the bounds of what was dropped; the rounded
/// results cannot.
///
/// A result that the pair does not tell sets a flag, and the warps stop. The kernels behind then do the call again.
///
/// Where results replace the terms, that would come too late. So if all sums before tiles are exact, a warp leaves such
/// a tile as it is, and a kernel behind scans it alone (pair_repair.cuh). If they are not, the kernel runs twice, and
/// nothing is written before all results are known.
namespace tally::cuda_backend::exact {

/// The arguments of a call.
template <class T, class In, class Out, class Transform, class Ends, bool Reduces>
struct pairs_problem {
  using element = T;
  using ends_type = Ends;
  static constexpr bool reduces = Reduces;
  static constexpr bool reads_as_they_are = std::is_same_v<Transform, std::identity> && std::is_same_v<In, T const*>;
  static constexpr bool writes_as_they_are = std::is_same_v<Out, T*>;

  In in;
  Out out;
  Transform transform;
  Ends ends;
  double initial;  ///< the value with which each sequence begins
  T nothing;       ///< the sum of no terms
  bool is_exclusive;
  pair_results results;
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

/// The blocks of a multiprocessor, as many as shared memory has room for: with 80 registers a thread.
inline constexpr int pair_blocks = 3;

template <class P>
__global__ void __launch_bounds__(pair_threads, pair_blocks) pairs_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  if (__any_sync(whole_warp, problem.states.has_failed())) return;  // all lanes, or none
  if (problem.results == pair_results::look_at && !problem.states.is_inexact()) return;
  pair_worker<P>(problem, memory_of_block()).run();
}

}  // namespace tally::cuda_backend::exact
