#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/exact/pair_ends.cuh"
#include "tally/detail/cuda/exact/pair_plain_sums.cuh"
#include "tally/detail/cuda/exact/pair_states.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// A warp of exact scans by pairs (pair_kernel.cuh).
namespace tally::cuda_backend::exact {

/// A lane's part of a tile that is added up.
struct part_of_tile {
  sums_of_lane sums;  ///< the open one is that of the lanes before
  bool is_open;       ///< no sequence ends in the lanes before
};

/// The tiles of a warp between looks at the word that tells whether the call has failed. All warps read it: at each
/// tile they would wait for each other. On fibers a warp looks at every second tile, so that few tiles are enough.
#ifdef __CUDACC__
inline constexpr int tiles_between_looks = 16;
#else
inline constexpr int tiles_between_looks = 2;
#endif

template <class P>
class pair_worker {
public:
  using T = typename P::element;
  using ends_type = typename P::ends_type;

  __device__ __forceinline__ pair_worker(P const& problem, unsigned char* memory)
      : problem_(problem),
        memory_(*reinterpret_cast<warp_memory<P>*>(memory + threadIdx.x / warp_lanes * sizeof(warp_memory<P>))),
        size_(problem.ends.size()),
        first_(problem.ends.first())
  {
  }

  /// Writes the results of the warp's tiles. The next tile is read while one is worked on.
  __device__ __forceinline__ void run()
  {
    std::size_t const tiles = problem_.ends.tiles();
    std::size_t const step = gridDim.x * std::size_t{pair_warps};
    std::size_t tile = blockIdx.x * std::size_t{pair_warps} + threadIdx.x / warp_lanes;
    if (tile < tiles) begin(tile, 0);
    for (int count = 0; tile < tiles; ++count) {
      std::size_t const next = tile + step;
      await_copies();
      __syncwarp();
      if (count % tiles_between_looks == tiles_between_looks - 1 &&
          __any_sync(whole_warp, problem_.states.has_failed()))
        return;  // with no copy on its way
      if (next < tiles) begin(next, ~count & 1);
      if (!finish(tile, memory_.tiles[count & 1])) give_up(tile);
      tile = next;
    }
  }

private:
  using tile_memory = exact::tile_memory<T>;

  /// The sums of sequences in the places of their last terms.
  struct results_in_tile {
    T const* values;
    __device__ T of(unsigned, unsigned last) const { return values[place_in_tile<T>(last)]; }
    // finish_sums has done it.
    __device__ void hand_over_up_to(unsigned) const {}
    __device__ void hand_over_behind(unsigned) const {}
  };

  /// Begins to read a tile, and what is known of it.
  __device__ __forceinline__ void begin(std::size_t tile, int place) const
  {
    tile_memory& memory = memory_.tiles[place];
    std::size_t const begin = tile * pair_tile;
    begin_tile(problem_, first_ + begin, size_ - begin, memory.values);
    if constexpr (!P::reduces) problem_.states.begin_sum(tile, memory.before);
    if constexpr (ends_type::has_bits) {
      if constexpr (P::reduces)
        problem_.ends.begin_tile(tile, memory.ended);
      else
        problem_.ends.begin_ends(tile, memory.ends);
    }
  }
  /// A tile has results that pairs do not tell, and none was written.
  __device__ __forceinline__ void give_up(std::size_t tile) const
  {
    if (!P::reduces && problem_.results == pair_results::replace)
      problem_.states.leave(tile);
    else
      problem_.states.fail(pair_states::in_tile);
  }

  __device__ __forceinline__ bool finish(std::size_t tile, tile_memory& memory) const
  {
    own_terms<T> const own(memory.values);
    float_sizes sizes;
    bool is_plain = false;
    if constexpr (adds_up_floats<T>) {
      sizes = sizes_of_warp(problem_, own);
      is_plain = sizes.have_plain_sums();
    }
    std::uint32_t ends = 0;
    if constexpr (P::reduces) {
      sequences_of_tile ended;
      if constexpr (ends_type::has_bits)
        ended = memory.ended;
      else
        ended = problem_.ends.of_tile(tile);
      sum_writer<P> const writer(problem_, tile, ended);
      if constexpr (adds_up_floats<T>)
        if (is_plain) {
          writer.write(plain_sums<P>(problem_, tile, memory.values, memory_.sums));
          __syncwarp();
          return true;
        }
      if constexpr (ends_type::has_bits)
        ends = writer.ends_of_lane(memory_.bits);
      else
        ends = problem_.ends.ends_of_lane(tile);
      unsigned const ended_lanes = __ballot_sync(whole_warp, ends != 0);
      if (!finish_sums(tile, own, ends, ended_lanes)) return false;
      writer.write(results_in_tile{memory.values});
      __syncwarp();
      return true;
    } else {
      if constexpr (ends_type::has_bits)
        ends = memory.ends[lane_of_warp()];
      else if constexpr (ends_type::has_ends)
        ends = problem_.ends.ends_of_lane(tile);
      unsigned const ended = ends_type::has_ends ? __ballot_sync(whole_warp, ends != 0) : 0;
      bool is_known;
      if constexpr (ends_type::has_ends)
        is_known = ended != 0 ? scan<true>(memory.before.sum, own, is_plain, sizes, ends, ended)
                              : scan<false>(memory.before.sum, own, is_plain, sizes, ends, ended);
      else
        is_known = scan<false>(memory.before.sum, own, is_plain, sizes, ends, ended);
      if (!__all_sync(whole_warp, is_known)) return false;
      __syncwarp();
      std::size_t const begin = tile * pair_tile;
      if (problem_.results != pair_results::look_at) store_tile(problem_, first_ + begin, size_ - begin, memory.values);
      return true;
    }
  }

  /// Adds up a tile's terms.
  template <bool HasEnds>
  __device__ __forceinline__ part_of_tile add_up(own_terms<T> const& own, bool is_plain, std::uint32_t ends,
                                                 unsigned ended) const
  {
    part_of_tile part;
    int const lane = static_cast<int>(lane_of_warp()), reach = HasEnds ? reach_of(ended, lane) : lane;
    pair_sum& open = part.sums.open;
    if (is_plain) {
      part.sums = add_terms<plain_sum, HasEnds, false>(problem_.initial, own, ends);
      plain_sum plain{open.high};
      add_lanes(plain, reach, warp_lanes);
      open = shuffle_up(plain, 1);
    } else {
      part.sums = add_terms<pair_sum, HasEnds, false>(problem_.initial, own, ends);
      add_lanes(open, reach, warp_lanes);
      open = shuffle_up(open, 1);
    }
    if (lane == 0) open = pair_sum{};
    part.is_open = (ended & ((1u << lane) - 1)) == 0;
    return part;
  }

  /// The sum before this lane's terms.
  __device__ __forceinline__ static pair_sum before_lane(part_of_tile const& part, pair_sum const& before_tile,
                                                         bool is_plain)
  {
    pair_sum before = part.sums.open;
    if (!part.is_open) return before;
    if (is_plain) {
      before = before_tile;
      before.add(part.sums.open.high);
    } else {
      before.add(before_tile);
    }
    return before;
  }

  /// Puts the results of a scan in the places of the terms. False if a pair does not tell one.
  template <bool HasEnds>
  __device__ __forceinline__ bool scan(pair_sum const& before_tile, own_terms<T> const& own, bool is_plain,
                                       float_sizes const& sizes, std::uint32_t ends, unsigned ended) const
  {
    pair_sum const before = before_lane(add_up<HasEnds>(own, is_plain, ends, ended), before_tile, is_plain);
    return problem_.is_exclusive ? scan_in_own_way<true, HasEnds>(problem_, before, is_plain, sizes, own, ends)
                                 : scan_in_own_way<false, HasEnds>(problem_, before, is_plain, sizes, own, ends);
  }

  /// Reads a lane's terms again, from element k on.
  __device__ __forceinline__ void read_again(std::size_t k, own_terms<T> const& own) const
  {
#pragma unroll 1
    for (int i = 0; i < pair_terms; ++i)
      own.set(i, k + i < size_ ? problem_.term(first_ + k + i) : static_cast<T>(-0.0));
  }

  /// Puts the sums of sequences in the places of their last terms, and hands over those of the terms before the first
  /// end and behind the last one. False if a pair does not tell a result.
  __device__ __forceinline__ bool finish_sums(std::size_t tile, own_terms<T> const& own, std::uint32_t ends,
                                              unsigned ended) const
  {
    int const lane = static_cast<int>(lane_of_warp());
    sums_of_lane sums;
    if constexpr (std::is_same_v<T, double>) {
      if (!__all_sync(whole_warp, add_exact_terms(problem_.initial, own, ends, sums))) {
        read_again(tile * pair_tile + lane * pair_terms, own);
        sums = add_terms_closely(problem_.initial, own, ends);
      }
    } else {
      sums = add_terms<pair_sum, true, true>(problem_.initial, own, ends);
    }
    pair_sum open = sums.open, closing = sums.closing;
    add_lanes(open, reach_of(ended, lane), warp_lanes);
    if (lane == warp_lanes - 1) problem_.states.of_tiles[tile] = {open, ended != 0 ? 1u : 0u};
    open = shuffle_up(open, 1);
    bool is_known = sums.is_known;
    if (ends != 0) {
      if (lane > 0) closing.add(open);
      bool const is_first = (ended & ((1u << lane) - 1)) == 0;
      if (is_first && tile > 0) {
        problem_.states.up_to_ends[tile] = {closing, 1};
      } else {
        T result;
        if (is_first) closing.add(problem_.initial);
        is_known = round_pair(closing, result) && is_known;
        own.set(__ffs(static_cast<int>(ends)) - 1, result);
      }
    }
    __syncwarp();
    return __all_sync(whole_warp, is_known);
  }

  P const& problem_;
  warp_memory<P>& memory_;
  std::size_t size_, first_;
};

}  // namespace tally::cuda_backend::exact
