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

/// The arguments of a kernel of tiles that are plain, but begin anywhere in a word: forward, at the same place in a
/// word of all arrays, none of which is constant.
template <class P>
struct plain_from_anywhere : P {
  static constexpr bool is_plain = true;
};
template <class P>
inline constexpr bool is_from_anywhere = false;
template <class P>
inline constexpr bool is_from_anywhere<plain_from_anywhere<P>> = true;

/// Whether arrays begin at the same place in a word.
template <class T>
bool begin_alike(T const* a, T const* b, T const* out)
{
  auto const place = [](T const* first) { return reinterpret_cast<std::uintptr_t>(first) % 16; };
  return place(a) == place(b) && place(a) == place(out);
}

/// The warps of a block: writers, reducers, a loader and folders. Twenty warps have 96 registers each, and sixteen
/// have 128. On an H200 plain tiles of floats have .92 of a copy with eight writers of four lines, and .90 with twelve
/// of two; doubles .865 for .845, elements of two bytes .93 for .885. Other tiles take twice the instructions, and need
/// more warps: doubles that begin anywhere have .67 of a copy with twelve writers for .61 with eight, elements of two
/// bytes .55 for .54.
template <class T, bool Plain>
struct recurrence_tiles {
  static constexpr int lines_at_a_time = Plain ? 4 : 2;
  static constexpr int writers = Plain ? 8 : 12;
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
  using shape = recurrence_tiles<typename P::T, P::is_plain>;
  /// 132 blocks that draw in turn leave 4 spans between two of a block's tiles, and some draw late.
  using fold = state_fold<W, C, sizeof(W) == 8 ? 12 : 10, sizeof(W) == 8 ? 3 : 5>;
  static constexpr int stages = 6;
  static constexpr int strips = static_cast<int>(order::tile_strips), strip_rows = static_cast<int>(order::strip_rows);
  static constexpr int rows = strips * strip_rows, unit_rows = 2 * shape::lines_at_a_time, units = rows / unit_rows;
  static_assert(P::line == 2 * P::row && strip_rows % unit_rows == 0);
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
    uninitialized<affine<W>> totals[rows];
    uninitialized<affine<W>> before[strips];  ///< the totals of all strips before each but the first, composed
    found at;
    W carry;
    arrival drawn, arrived;
    arrival totalled;  ///< the totals of all rows are there
    arrival ready;     ///< totals, those before strips, and the carry are there
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

/// Loads groups of 16 bytes from shared memory, of two arrays that lie at the same place in a word: of slot l, those
/// that begin `step_of(l)` elements, whole words, behind the arrays' `first`. One branch by the place serves both.
/// Doubles come one by one, without a branch: that takes as long as to read the two words around each group.
template <class S, int Count, int Slots, class Step>
__device__ __forceinline__ void load_both_shifted(packed_group<S, Count> (&a)[Slots], S const* first_a,
                                                  packed_group<S, Count> (&b)[Slots], S const* first_b,
                                                  Step const& step_of)
{
  static_assert(sizeof(S) * Count == 16);
  if constexpr (sizeof(S) == 8) {
    auto const load = [&](packed_group<S, Count>(&into)[Slots], S const* first) {
#pragma unroll
      for (int l = 0; l < Slots; ++l) {
#pragma unroll
        for (int j = 0; j < Count; ++j) into[l].set(j, first[step_of(l) + j]);
      }
    };
    load(a, first_a);
    load(b, first_b);
  } else {
    int const gap = elements_into_word(first_a), bytes = gap * static_cast<int>(sizeof(S));
    with_constant(bytes / 4, [&](auto moved) {
      constexpr int parts = decltype(moved)::value;
      load_words_moved<1, parts>(a, first_a - gap, bytes % 4, step_of);
      load_words_moved<1, parts>(b, first_b - gap, bytes % 4, step_of);
    });
  }
}

/// The lane's groups of `Lines` lines of a tile, in registers.
template <class P, int Lines>
class steps_of_tile {
public:
  using S = typename P::stored;
  using W = typename P::W;

  /// `first`: the first step of the lane's group in the first line. In the place of steps beyond the end there is
  /// anything.
  __device__ __forceinline__ steps_of_tile(typename recurrence_tiles_memory<P>::stage& stage, P const& p, int first)
  {
    if constexpr (is_from_anywhere<P>) {
      int const begin = elements_into_word(stage.at.b) + first;
      load_both_shifted(a_, reinterpret_cast<S const*>(stage.a + 16) + begin, b_,
                        reinterpret_cast<S const*>(stage.b + 16) + begin, [](int l) { return l * P::line; });
    } else if constexpr (P::is_plain) {
      S const* const of_a = reinterpret_cast<S const*>(stage.a + 16) + first;
      S const* const of_b = reinterpret_cast<S const*>(stage.b + 16) + first;
#pragma unroll
      for (int l = 0; l < Lines; ++l) {
        a_[l].load_aligned(of_a + l * P::line);
        b_[l].load_aligned(of_b + l * P::line);
      }
    } else {
      auto const step = [=](int l) { return first + l * P::line; };
      if (p.a_step == 0) {
        S const value = p.a == nullptr ? p.constant : *stage.at.a;
#pragma unroll
        for (int l = 0; l < Lines; ++l) {
#pragma unroll
          for (int j = 0; j < P::group; ++j) a_[l].set(j, value);
        }
      } else {
        take_groups_anywhere(stage.staged_a(p), a_, step);
      }
      take_groups_anywhere(stage.staged_b(p), b_, step);
    }
  }

  /// Step j of the group in line l.
  __device__ __forceinline__ affine<W> step(int l, int j) const
  {
    return {static_cast<W>(a_[l].get(j)), static_cast<W>(b_[l].get(j))};
  }
  /// The total of the group in line l.
  __device__ __forceinline__ affine<W> total(int l) const
  {
    affine<W> all = step(l, 0);
#pragma unroll
    for (int j = 1; j < P::group; ++j) all = composed(all, step(l, j));
    return all;
  }

private:
  packed_group<S, P::group> a_[Lines], b_[Lines];
};

}  // namespace tally::cuda_backend
