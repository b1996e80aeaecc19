#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "tally/detail/cuda/batch/bound.hpp"
#include "tally/detail/cuda/batch/list_tiles.cuh"
#include "tally/detail/cuda/batch/segment_tiles.cuh"
#include "tally/detail/cuda/batch/segment_tiles_reduction.cuh"
#include "tally/detail/cuda/batch/segments_by_warps.cuh"
#include "tally/detail/cuda/batch/segments_by_words.cuh"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/check.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/ring.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/path.hpp"

/// Segments by a list of their tiles: which calls may go so, and their launches.
namespace tally::cuda_backend {

/// Whether a kind of problem can go by tiles.
template <class P>
inline constexpr bool fits_tiles = (fits_warps<P> || fits_words<P>) &&
                                   can_shift<typename P::element, static_cast<int>(order::group<typename P::element>)>;

/// A list of the tiles of segments, at the end of the workspace. It is empty as the call begins.
class tile_list {
public:
  /// `most` is a bound on the number of elements, and segments of up to `longest` are not listed.
  tile_list(std::size_t most, std::size_t segments, std::size_t longest, std::size_t tile)
      : tiles_(most / tile + std::min(segments, most / (longest + 1)))
  {
  }
  std::size_t tiles() const { return tiles_; }  ///< a bound

  /// Makes room for the list and `others` more words. Returns false if there is none.
  bool place(prepared_call& call, std::size_t others)
  {
    std::size_t const all = others + listed_tiles::words(tiles_);
    call.reserve_words(call.can_grow() ? all : 0);
    if (call.capacity() < all || tiles_ >= folder_ticket - 1) return false;
    words_ = call.words() + capacity(call);
    return true;
  }
  /// Of the workspace before the list, in words.
  std::size_t capacity(prepared_call const& call) const { return call.capacity() - listed_tiles::words(tiles_); }

  template <class P>
  listed_tiles fill(prepared_call const& call, P const& problem) const
  {
    clear(call, listed_tiles::counters);
    listed_tiles const list(words_);
    launch_list_of_tiles(call, segment_tiles_problem<P>{problem, list, 0}, tiles_);
    return list;
  }
  /// At the end of the call: no word of this memory may look published later.
  void clear(prepared_call const& call) const { clear(call, listed_tiles::words(tiles_)); }

private:
  void clear(prepared_call const& call, std::size_t count) const
  {
    check_cuda(cudaMemsetAsync(words_, 0, count * sizeof(std::uint64_t), call.stream()), "clearing a list of tiles");
  }

  std::size_t tiles_;
  std::uint64_t* words_ = nullptr;
};

/// Scans segments if they are long on average, and returns whether it did: by the ring, or the long ones by the ring
/// and the others by words. They have the same initial value, and no last values are written.
template <class P>
bool try_scan_by_tiles(prepared_call& call, P problem, std::size_t most)
{
  using T = typename P::element;
  using tiles_problem = listed_tiles_problem<T, typename P::operation>;
  using ring = ring_memory<tiles_problem>;
  tuning const& by = tuning_in_use();
  if (call.facts().compute_capability < 90 || problem.initials != nullptr || problem.lasts != nullptr ||
      most < by.least_by_tiles || most / problem.segments < by.segments_by_tiles_and_words)
    return false;
  bool const by_words_too = most / problem.segments < by.segments_by_tiles;
  if (by_words_too && most > words_shape<T>::most) return false;
  if (by_words_too) problem.longest = by.longest_by_words;
  tile_list place(most, problem.segments, problem.longest, order::tile<T>);
  if (!place.place(call, place.tiles() * words_of<working_type<T>> + words_by_warps)) return false;
  detail::took(by_words_too ? "cuda: segments scanned by tiles and words" : "cuda: segments scanned by tiles");
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = place.capacity(call);
  listed_tiles const list = place.fill(call, problem);
  if (by_words_too) {
    problem.in_long_ones = list.elements;
    launch_by_words(call, problem, false);  // of the epoch that the ring ends
  }
  static std::array<void (*)(tiles_problem const), 1> entry{ring_kernel<tiles_problem>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], ring::shape::threads, sizeof(ring), known);
  int const blocks = call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident;
  launch(call, entry[0],
         tiles_problem{problem.in,
                       problem.out,
                       problem.in + most,
                       list,
                       problem.init,
                       problem.op,
                       {},
                       problem.exclusive ? work::exclusive_scan : work::inclusive_scan,
                       problem.shared,
                       problem.words,
                       problem.capacity},
         static_cast<unsigned>(blocks), ring::shape::threads, sizeof(ring));
  place.clear(call);
  return true;
}

/// Reduces segments tile by tile if they are long on average, and returns whether it did.
template <class P>
bool try_reduce_by_tiles(prepared_call& call, P problem, std::size_t most)
{
  using T = typename P::element;
  using totals_problem = segment_totals_problem<P>;
  if (call.facts().compute_capability < 80 || most < tuning_in_use().least_reduced_by_tiles ||
      most / problem.segments < tuning_in_use().segments_reduced_by_tiles)
    return false;
  tile_list place(most, problem.segments, 0, order::tile<T>);
  if (!place.place(call, place.tiles() * words_of<working_type<T>>)) return false;
  detail::took("cuda: segments reduced by tiles");
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = place.capacity(call);
  totals_problem const arguments{problem, place.fill(call, problem), tuning_in_use().listed_tiles_folded_by_warp};
  auto const blocks_for = [&](std::size_t tiles_each) {
    std::size_t const blocks = std::min<std::size_t>((place.tiles() - 1) / tiles_each + 1, 0x7fffffff);
    return static_cast<unsigned>(call.most_blocks() > 0 ? std::min(blocks, static_cast<std::size_t>(call.most_blocks()))
                                                        : blocks);
  };
  launch(call, total_listed_tiles_kernel<P>, arguments, blocks_for(1), reduce_threads);
  launch(call, fold_listed_tiles_kernel<P>, arguments, blocks_for(reduce_threads / warp_lanes * fold_tiles_of_warp),
         reduce_threads);
  place.clear(call);
  return true;
}

/// Runs a call on segments by tiles if they are long on average, and returns whether it did.
template <class P>
bool try_by_tiles(prepared_call& call, P const& problem, std::size_t most)
{
  if constexpr (fits_tiles<P>) {
    if (call.path() != execution::workspace::path::automatic || most == no_bound) return false;
    if constexpr (P::reduces)
      return try_reduce_by_tiles(call, problem, most);
    else
      return try_scan_by_tiles(call, problem, most);
  } else {
    return false;
  }
}

}  // namespace tally::cuda_backend
