#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/staged_array.cuh"
#include "tally/detail/cuda/recurrence/state_fold.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The tiles of few long recurrences, and the shared memory through which a block's warps pass them on.
namespace tally::cuda_backend {

/// Where a tile is.
template <class T>
struct place_of_tile {
  std::uint32_t sequence, in_sequence;
  std::size_t size;  ///< of the sequence
  T const *a, *b;    ///< its first step
  T* out;
};

/// `Plain`: forward, in whole words of 16 bytes of all arrays.
template <class T, bool Plain>
struct recurrence_tiles_problem : recurrence_problem<T> {
  static constexpr bool is_plain = Plain;
  std::uint32_t tiles_each;
  control* shared;
  std::uint64_t* words;  ///< those of a total for each tile
  std::size_t capacity;

  __device__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(this->sequences) * tiles_each; }
  __device__ __forceinline__ place_of_tile<T> place_of(std::uint32_t number) const
  {
    std::uint32_t const s = number / tiles_each;
    return {s,
            number - s * tiles_each,
            this->size,
            this->a == nullptr ? nullptr : this->a_of(s),
            this->b_of(s),
            this->out_of(s)};
  }
};

/// The warps of a block: writers, reducers, a loader and folders. Twenty warps have 96 registers each, and sixteen have
/// 128. Eight writers of eight rows are quicker for floats (.86 of a copy for .83 on an H200), and slower for elements
/// of two bytes (.75 for .81) and for doubles, which spill.
template <class T>
struct recurrence_tiles {
  static constexpr int rows_at_a_time = sizeof(T) == 4 ? 8 : 4;
  static constexpr int writers = sizeof(T) == 4 ? 8 : 12;
  static constexpr int reducers = 4;
  static constexpr int folders = 2;
  /// A folder goes on from the state before the span of the block's tile that was so many tiles before: its own last
  /// one, or that of the other folder, for which it waits. Doubles' totals take twice the memory, and doubles are slow
  /// to fold: half as many in turn gain .09 of a copy, and cost floats .02, and elements of two bytes .07.
  static constexpr int tiles_between = sizeof(T) == 8 ? 1 : folders;
  /// Whether reducers are every fourth warp. Then they share the instructions that a quarter of the multiprocessor
  /// keeps, and the other quarters need not have theirs: long segments of floats have .81 of a copy for .80, elements
  /// of two bytes .580 for .582.
  static constexpr bool reducers_are_apart = sizeof(T) >= 4;
  static constexpr int all_warps = writers + reducers + folders + 1;
  static constexpr int threads = (reducers_are_apart ? (all_warps + 3) / 4 * 4 : all_warps) * warp_lanes;

  /// The duty of a warp, as a number: writers come first, and then reducers, folders and the loader. Others do nothing.
  __device__ __forceinline__ static int duty_of(int warp)
  {
    if constexpr (!reducers_are_apart) return warp;
    static_assert(reducers == 4);
    int const in_quarter = warp / 4, quarter = warp % 4;
    if (quarter == 3) return in_quarter < reducers ? writers + in_quarter : all_warps;
    int const other = in_quarter * 3 + quarter;
    return other < writers ? other : other + reducers;
  }
};

/// The shared memory of a block: tiles that are on their way, or that its warps work on.
template <class P>
struct recurrence_tiles_memory {
  using S = typename P::stored;
  using W = typename P::W;
  using C = typename P::C;
  using shape = recurrence_tiles<typename P::T>;
  /// 132 blocks that draw in turn leave 4 spans between two of a block's tiles, and some draw late.
  using fold = state_fold<W, C, sizeof(W) == 8 ? 12 : 10, sizeof(W) == 8 ? 3 : 5>;
  static constexpr int stages = 6;
  static constexpr int strips = static_cast<int>(order::tile_strips), strip_rows = static_cast<int>(order::strip_rows);
  static constexpr int rows = strips * strip_rows, units = rows / shape::rows_at_a_time;
  /// Whether groups that begin anywhere are read and written as whole words, and shifted: long segments of floats among
  /// short ones have .72 of a copy instead of .67 on an H100, bfloat16 .41 for .36, but doubles .58 for .60.
  static constexpr bool shifts = sizeof(S) < 8;
  static constexpr std::size_t room = 16 + P::tile * sizeof(S) + 16;  // the tile begins anywhere in a word
  static_assert(shape::writers <= units);                             // no writer passes over a tile

  /// A tile of a sequence, as the loader finds it for the other warps.
  struct found {
    std::uint32_t tile;  ///< beyond the last one: there are no more
    std::uint32_t sequence, in_sequence;
    int size;
    bool goes_on;              ///< the tile of the block from whose state a folder goes on is of this sequence
    std::uint32_t first_span;  ///< the span of that tile, or 0
    std::size_t begin, end_of_sequence;
    S const *a, *b;  ///< its first step
    S* out;
  };
  struct stage {
    alignas(16) unsigned char a[room];
    alignas(16) unsigned char b[room];
    uninitialized<affine<W>> bases[rows];  ///< the rows' totals, and then what comes before each row in the tile
    uninitialized<affine<W>> last_before, last_own;  ///< the folds of the last row's groups but the last, and of that
    found at;
    W carry;
    arrival drawn, arrived;
    arrival totalled;  ///< the totals of all rows are there
    arrival ready;     ///< bases and carry are there
    arrival free;

    __device__ __forceinline__ staged_array<S> staged_a(P const& p)
    {
      return {a + 16, const_cast<S*>(at.a), 0, static_cast<int>(p.a_step), at.size, true};
    }
    __device__ __forceinline__ staged_array<S> staged_b(P const& p)
    {
      return {b + 16, const_cast<S*>(at.b), 0, static_cast<int>(p.b_step), at.size, true};
    }
  };
  stage all[stages];
  /// The states before the spans of the block's last two tiles. A folder reads one before it writes the next that
  /// another may wait for, and so none is overwritten too early.
  struct span_state {
    C before;
    arrival known;
  };
  span_state spans[2];
  uninitialized<typename fold::shared> fold_memory[shape::folders];
  std::uint32_t epoch;

  __device__ void begin()
  {
    for (stage& one : all) {
      one.drawn.begin(1);
      one.arrived.begin(1);
      one.totalled.begin(shape::reducers * warp_lanes);
      one.ready.begin(2 * warp_lanes);
      one.free.begin(units * warp_lanes);
    }
    for (span_state& one : spans) one.known.begin(warp_lanes);
    fence_asynchronous();
  }
};

/// Whether groups from `first` on are aligned in memory.
template <int Group, class S>
__device__ __forceinline__ bool are_groups(S const* first, std::ptrdiff_t step)
{
  return reinterpret_cast<std::uintptr_t>(step > 0 ? first : first + 1) % (Group * sizeof(S)) == 0;
}

/// `Count` pieces of `Size` steps of a tile, which are `Stride` steps from each other, in the registers of a lane.
template <class P, int Size, int Count, int Stride>
class steps_of_tile {
public:
  using S = typename P::stored;
  using W = typename P::W;

  /// From step `first` on. In the place of steps beyond the end there is anything.
  __device__ __forceinline__ steps_of_tile(typename recurrence_tiles_memory<P>::stage& stage, P const& p, int first)
  {
    if constexpr (P::is_plain) {
      S const* const of_a = reinterpret_cast<S const*>(stage.a + 16) + first;
      S const* const of_b = reinterpret_cast<S const*>(stage.b + 16) + first;
#pragma unroll
      for (int r = 0; r < Count; ++r) {
        a_[r].load_aligned(of_a + r * Stride);
        b_[r].load_aligned(of_b + r * Stride);
      }
    } else {
      auto const take = [&](staged_array<S> const& part, packed_group<S, Size>(&into)[Count]) {
        auto const sequence = [](int) { return 0; };
        auto const step = [=](int r) { return first + r * Stride; };
        if constexpr (recurrence_tiles_memory<P>::shifts)
          take_groups_anywhere(part, into, step);
        else
          take_groups<Size>(part, are_groups<Size>(part.array, part.step), into, sequence, step);
      };
      if (p.a_step == 0) {
        S const value = p.a == nullptr ? p.constant : *stage.at.a;
#pragma unroll
        for (int r = 0; r < Count; ++r) {
#pragma unroll
          for (int j = 0; j < Size; ++j) a_[r].set(j, value);
        }
      } else {
        take(stage.staged_a(p), a_);
      }
      take(stage.staged_b(p), b_);
    }
  }

  __device__ __forceinline__ affine<W> step(int r, int j) const
  {
    return {static_cast<W>(a_[r].get(j)), static_cast<W>(b_[r].get(j))};
  }
  /// The total of the group of piece r that begins with step j.
  __device__ __forceinline__ affine<W> total(int r, int j = 0) const
  {
    affine<W> all = step(r, j);
#pragma unroll
    for (int k = 1; k < P::group; ++k) all = composed(all, step(r, j + k));
    return all;
  }

private:
  packed_group<S, Size> a_[Count], b_[Count];
};

}  // namespace tally::cuda_backend
