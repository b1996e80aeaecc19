#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/exact/pair_ends.cuh"
#include "tally/detail/cuda/exact/pair_folder.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// Exact scans, and sums of short sequences, by pairs of doubles (pair_sum.hpp): of sequences that lie one behind the
/// other, in one pass over memory.
///
/// A block takes a tile of all elements, whatever sequences these belong to. Each thread adds up 16 neighbours, and
/// begins anew behind the end of a sequence. Pairs pass from thread to thread and from warp to warp by scans that stop
/// at such ends, and from tile to tile by a look back at the tiles before (pair_folder.cuh). The brackets differ from
/// run to run, and so do the bounds of what was dropped; the rounded results cannot.
///
/// A result that the pair does not tell sets a flag, and the blocks stop. The kernels behind then do the call again.
namespace tally::cuda_backend::exact {

/// The arguments of a call.
template <class T, class In, class Out, class Transform, class Ends, bool Reduces>
struct pairs_problem {
  using element = T;
  using ends_type = Ends;
  static constexpr bool reduces = Reduces;

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
  __device__ __forceinline__ void put_sum(std::size_t sequence, pair_sum const& sum) const
  {
    T result;
    if (!round_pair(sum, result)) states.fail();
    put(static_cast<std::size_t>(ends.out(sequence)), result);
  }
  __device__ __forceinline__ void put_sum(std::size_t sequence, plain_sum const& sum) const
  {
    put(static_cast<std::size_t>(ends.out(sequence)), static_cast<T>(sum.value));
  }
};

struct no_ends {};

/// A thread's part of a tile, from the time when it is added up until the sum before it is known.
struct part_of_tile {
  std::size_t begin;    ///< of the tile
  sums_of_thread sums;  ///< `open` is the sum before the thread in its warp
  float_sizes sizes;    ///< of the warp's terms
  bool is_plain;        ///< sums of the warp's terms are exact in doubles
  bool is_open;         ///< no sequence ends in the lanes before
};

/// A thread that adds up terms and writes results.
template <class P>
class pair_worker {
public:
  using T = typename P::element;
  using ends_type = typename P::ends_type;

  __device__ __forceinline__ pair_worker(P const& problem, pair_block& block, unsigned char* memory)
      : problem_(problem),
        block_(block),
        memory_(memory),
        size_(problem.ends.size()),
        first_(problem.ends.first())
  {
  }

  /// Reads a tile, and adds up its warps.
  __device__ __forceinline__ part_of_tile add_up(std::size_t tile, int turn) const
  {
    part_of_tile part;
    part.begin = tile * pair_tile;
    loaded_terms<P> loaded;
    loaded.load(problem_, first_ + part.begin, size_ - part.begin);
    std::size_t const first_sequence = mark_ends(problem_, tile, first_ + part.begin, marks());
    loaded.store(values(turn));
    meet_workers();

    T* const own = own_values(turn);
    auto const ends = own_ends(part.begin, first_sequence);
    part.is_plain = false;
    if constexpr (adds_up_floats<T>) {
      part.sizes = sizes_of_warp(problem_, own);
      part.is_plain = part.sizes.have_plain_sums();
    }
    part.sums = part.is_plain ? add_terms<plain_sum>(problem_, own, ends) : add_terms<pair_sum>(problem_, own, ends);

    pair_sum& open = part.sums.open;
    unsigned const ended = ends_type::has_ends ? __ballot_sync(whole_warp, part.sums.has_end()) : 0;
    if (part.is_plain) {
      plain_sum plain{open.high};
      add_lanes(plain, reach_of(ended, lane()), warp_lanes);
      open = plain;
    } else {
      add_lanes(open, reach_of(ended, lane()), warp_lanes);
    }
    if (lane() == warp_lanes - 1) {
      *block_.of_warps[turn][warp()] = open;
      block_.has_end_in_warp[turn][warp()] = ended != 0;
    }
    open = shuffle_up(open, 1);
    if (lane() == 0) open = pair_sum{};
    part.is_open = (ended & ((1u << lane()) - 1)) == 0;
    return part;
  }

  /// Writes the results of a tile, once the sums before its warps are known. False if a pair does not tell a result:
  /// then none is written.
  __device__ __forceinline__ bool finish(part_of_tile& part, int turn) const
  {
    pair_sum& before = part.sums.open;
    if (part.is_open) before.add(*block_.of_warps[turn][warp()]);
    if constexpr (P::reduces) {
      bool const stay_plain = part.is_plain && __all_sync(whole_warp, part.sizes.have_plain_sums_on(before));
      if (part.sums.has_end()) {
        pair_sum& closing = part.sums.closing;
        if (stay_plain) {
          problem_.put_sum(part.sums.closed, plain_sum{closing.high + before.high});
        } else {
          closing.add(before);
          problem_.put_sum(part.sums.closed, closing);
        }
      }
    } else {
      T* const own = own_values(turn);
      found_ends const ends{part.sums.ends};
      bool const is_known = problem_.is_exclusive
                                ? scan_in_own_way<true>(problem_, before, part.is_plain, part.sizes, own, ends)
                                : scan_in_own_way<false>(problem_, before, part.is_plain, part.sizes, own, ends);
      if (has_any_worker(!is_known)) return false;
      if (problem_.writes) store_tile(problem_, first_ + part.begin, size_ - part.begin, values(turn));
    }
    return true;
  }

private:
  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ __forceinline__ static int warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }
  /// The values of tiles take turns. Marks lie behind them, and are read while a tile is added up only.
  __device__ __forceinline__ T* values(int turn) const
  {
    return reinterpret_cast<T*>(memory_ + static_cast<std::size_t>(turn % tiles_in_memory<P>) * bytes_of_values<T>);
  }
  __device__ __forceinline__ std::uint32_t* marks() const
  {
    return reinterpret_cast<std::uint32_t*>(memory_ + tiles_in_memory<P> * bytes_of_values<T>);
  }
  __device__ __forceinline__ T* own_values(int turn) const
  {
    return values(turn) + place_in_tile<T>(static_cast<int>(threadIdx.x) * pair_terms);
  }
  __device__ __forceinline__ auto own_ends(std::size_t begin, std::size_t first_sequence) const
  {
    int const first = static_cast<int>(threadIdx.x) * pair_terms;
    if constexpr (ends_type::has_ends)
      return typename ends_type::own_ends(problem_.ends, begin + static_cast<std::size_t>(first),
                                          marks() + place_in_tile<std::uint32_t>(first), first_sequence);
    else
      return no_ends{};
  }

  P const& problem_;
  pair_block& block_;
  unsigned char* memory_;
  std::size_t size_, first_;
};

/// While the workers add up a tile, the folder finds the sum before the tile in front of it. So neither waits long for
/// the other.
template <class P>
__global__ void __launch_bounds__(pair_block_threads, pair_blocks) pairs_kernel(__grid_constant__ P const given)
{
  auto& block = shared_by_block<pair_block>();
  auto const& problem = at_its_turn(given);
  std::size_t const tiles = problem.ends.tiles();
  if (problem.is_checked && problem.states.has_failed()) return;
  pair_worker<P> const worker(problem, block, memory_of_block());
  pair_folder<P> folder(problem, block);
  bool const folds = threadIdx.x >= pair_threads;
  if (folds) folder.draw();
  __syncthreads();
  part_of_tile last, next;
  bool has_last = false;  // a tile that is not finished
  for (int turn = 0;; turn ^= 1) {
    std::size_t const tile = block.tile;
    bool const has_next = tile < tiles;
    bool is_known = true;
    if (!folds) {
      if (has_next) next = worker.add_up(tile, turn);
    } else if (has_last) {
      is_known = folder.look_back(turn ^ 1);
    }
    if (__syncthreads_or(!is_known ? 1 : 0) != 0) return;
    if (!folds) {
      if (has_last) is_known = worker.finish(last, turn ^ 1);
    } else if (has_next) {
      folder.hand_over(turn);
      folder.draw();
    }
    if (__syncthreads_or(!is_known ? 1 : 0) != 0) {
      if (threadIdx.x == 0) problem.states.fail();
      return;
    }
    if (!has_next) return;
    last = next;
    has_last = true;
  }
}

}  // namespace tally::cuda_backend::exact
