#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/exact/pair_ends.cuh"
#include "tally/detail/cuda/exact/pair_folder.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// The threads of exact scans by pairs that add up terms and write results (pair_kernel.cuh).
namespace tally::cuda_backend::exact {

/// A thread's part of a tile, from the time when it is added up until the sum before it is known, but for its sums.
struct part_of_tile {
  std::size_t tile;
  std::uint32_t ends;       ///< bit i: a sequence ends with term i
  std::uint16_t exponents;  ///< of the warp's terms (float_sizes)
  std::uint8_t place;       ///< of the tile in memory
  bool is_plain;            ///< sums of the warp's terms are exact in doubles
  bool is_open;             ///< no sequence ends in the lanes before
  bool is_known;            ///< pairs tell the sums of sequences that begin and end among the thread's terms
};

/// The sums of such parts of two tiles, which take turns, in shared memory.
template <class P, int = kept_numbers<P>>
class kept_sums {
public:
  __device__ __forceinline__ explicit kept_sums(unsigned char* memory)
      : own_(reinterpret_cast<double*>(memory) + threadIdx.x)
  {
  }
  __device__ __forceinline__ void store(int turn, sums_of_thread const& sums)
  {
    store(turn, 0, sums.open);
    if constexpr (P::reduces) store(turn, 3, sums.closing);
  }
  __device__ __forceinline__ pair_sum open(int turn) const { return load(turn, 0); }
  __device__ __forceinline__ pair_sum closing(int turn) const { return load(turn, 3); }

private:
  __device__ __forceinline__ double& at(int turn, int i) const
  {
    return own_[(turn * kept_numbers<P> + i) * pair_threads];
  }
  __device__ __forceinline__ void store(int turn, int i, pair_sum const& sum)
  {
    at(turn, i) = sum.high;
    at(turn, i + 1) = sum.low;
    at(turn, i + 2) = sum.lost;
  }
  __device__ __forceinline__ pair_sum load(int turn, int i) const
  {
    return {at(turn, i), at(turn, i + 1), at(turn, i + 2)};
  }
  double* own_;
};
/// The same in registers.
template <class P>
class kept_sums<P, 0> {
public:
  __device__ __forceinline__ explicit kept_sums(unsigned char*) {}
  __device__ __forceinline__ void store(int turn, sums_of_thread const& sums)
  {
    last_open_ = open_;
    last_closing_ = closing_;
    open_ = sums.open;
    closing_ = sums.closing;
    turn_ = turn;
  }
  __device__ __forceinline__ pair_sum open(int turn) const { return turn == turn_ ? open_ : last_open_; }
  __device__ __forceinline__ pair_sum closing(int turn) const { return turn == turn_ ? closing_ : last_closing_; }

private:
  pair_sum last_open_, last_closing_, open_, closing_;
  int turn_ = 0;
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
        kept_(memory + tiles_in_memory<P> * bytes_of_values<T>),
        size_(problem.ends.size()),
        first_(problem.ends.first())
  {
  }

  /// Adds up each tile that the folder draws, and finishes the tile before it. So neither waits long for the other.
  __device__ __forceinline__ void run()
  {
    std::size_t const tiles = problem_.ends.tiles();
    part_of_tile last;
    bool has_last = false;
    hear(news::drawn, 0);
    std::size_t tile = block_.tile[0];
    std::uint32_t ends = 0;
    if (tile < tiles) ends = begin(tile, 0);
    int place = 0;  // of the tile in memory
    for (int turn = 0;; turn ^= 1) {
      bool const has_next = tile < tiles;
      part_of_tile next;
      if (has_next) {
        next = add_up(tile, ends, turn, place);
        if (lane() == 0) atomicAdd(&block_.added_up, 1u);
        tell(news::added_up, turn);
        place = place + 1 == tiles_in_memory<P> ? 0 : place + 1;
        hear(news::drawn, turn ^ 1);
        tile = block_.tile[turn ^ 1];
        if (tile < tiles) ends = begin(tile, place);
      }
      if (has_last) {
        hear(news::known, turn ^ 1);
        if (block_.folder_stops[turn ^ 1]) return;
        if (!finish(last, turn ^ 1)) {
          problem_.states.fail();
          block_.workers_stop = true;
          tell(news::added_up, turn ^ 1);
          return;
        }
      }
      if (!has_next) return;
      last = next;
      has_last = true;
    }
  }

private:
  /// Begins to read a tile. Returns the ends among this thread's elements.
  __device__ __forceinline__ std::uint32_t begin(std::size_t tile, int place) const
  {
    std::size_t const begin = tile * pair_tile;
    if constexpr (copies_ahead<P>) begin_tile(problem_, first_ + begin, size_ - begin, values(place));
    if constexpr (ends_type::has_ends)
      return problem_.ends.ends_of_thread(tile);
    else
      return 0;
  }

  /// Adds up the warps of a tile.
  __device__ __forceinline__ part_of_tile add_up(std::size_t tile, std::uint32_t ends, int turn, int place)
  {
    read(tile, place);
    T* const own = own_values(place);
    float_sizes sizes;
    bool is_plain = false;
    if constexpr (adds_up_floats<T>) {
      sizes = sizes_of_warp(problem_, own);
      is_plain = sizes.have_plain_sums();
    }
    sums_of_thread sums =
        is_plain ? add_terms<plain_sum>(problem_, own, ends) : add_terms<pair_sum>(problem_, own, ends);

    pair_sum& open = sums.open;
    unsigned const ended = ends_type::has_ends ? __ballot_sync(whole_warp, ends != 0) : 0;
    if (is_plain) {
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
    kept_.store(turn, sums);
    return {tile,
            ends,
            static_cast<std::uint16_t>(sizes.exponents()),
            static_cast<std::uint8_t>(place),
            is_plain,
            (ended & ((1u << lane()) - 1)) == 0,
            sums.is_known};
  }

  /// Waits until the terms of a tile are there. All workers have left the memory of those before: copies that were
  /// begun ahead, after the last meeting here; others meet first.
  __device__ __forceinline__ void read(std::size_t tile, int place) const
  {
    if constexpr (copies_ahead<P>) {
      await_terms();
    } else {
      std::size_t const begin = tile * pair_tile;
      loaded_terms<P> loaded;
      loaded.load(problem_, first_ + begin, size_ - begin);
      meet_workers();
      loaded.store(values(place));
    }
    meet_workers();
  }

  /// Writes the results of a tile, once the sums before its warps are known. False if a pair does not tell a result:
  /// then none is written.
  __device__ __forceinline__ bool finish(part_of_tile const& part, int turn) const
  {
    pair_sum before = kept_.open(turn);
    if (part.is_open) before.add(*block_.of_warps[turn][warp()]);
    float_sizes const sizes = float_sizes::of_exponents(part.exponents);
    T* const own = own_values(part.place);
    if constexpr (P::reduces) {
      bool is_known = part.is_known;
      bool const stay_plain = part.is_plain && __all_sync(whole_warp, sizes.have_plain_sums_on(before));
      if (part.ends != 0) {
        T& result = own[__ffs(static_cast<int>(part.ends)) - 1];
        pair_sum closing = kept_.closing(turn);
        if (stay_plain) {
          result = static_cast<T>(closing.high + before.high);
        } else {
          closing.add(before);
          is_known = round_pair(closing, result) && is_known;
        }
      }
      sum_writer<P> writer(problem_, part.tile);
      if (has_any_worker(!is_known)) return false;
      writer.write(values(part.place));
    } else {
      bool const is_known = problem_.is_exclusive
                                ? scan_in_own_way<true>(problem_, before, part.is_plain, sizes, own, part.ends)
                                : scan_in_own_way<false>(problem_, before, part.is_plain, sizes, own, part.ends);
      if (has_any_worker(!is_known)) return false;
      std::size_t const begin = part.tile * pair_tile;
      if (problem_.writes) store_tile(problem_, first_ + begin, size_ - begin, values(part.place));
    }
    return true;
  }

  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ __forceinline__ static int warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }
  /// The values of tiles take turns.
  __device__ __forceinline__ T* values(int place) const
  {
    return reinterpret_cast<T*>(memory_ + static_cast<std::size_t>(place) * bytes_of_values<T>);
  }
  __device__ __forceinline__ T* own_values(int place) const
  {
    return values(place) + place_in_tile<T>(threadIdx.x * pair_terms);
  }

  P const& problem_;
  pair_block& block_;
  unsigned char* memory_;
  kept_sums<P> kept_;
  std::size_t size_, first_;
};

}  // namespace tally::cuda_backend::exact
