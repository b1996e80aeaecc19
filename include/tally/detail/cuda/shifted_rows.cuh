#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Rows in memory whose groups are not aligned. A warp reads and writes the aligned words of 16 bytes that they lie in,
/// and shifts them between its lanes: a group is the end of one word and the beginning of the next lane's.
namespace tally::cuda_backend {

/// Whether groups of `Count` elements fill aligned words.
template <class S, int Count>
inline constexpr bool can_shift = sizeof(S) * Count == 16 && sizeof(S) <= 8 && std::has_single_bit(sizeof(S));

/// A division by `Count`, a power of two, is a shift by so many places, of negative numbers too.
template <int Count>
inline constexpr int places_of = std::countr_zero(static_cast<unsigned>(Count));

/// Calls f(constant) with the constant n, 0 to 3: which registers are moved is then known to the compiler.
template <class F>
__device__ __forceinline__ void with_constant(int n, F const& f)
{
  switch (n) {
    case 0: return f(std::integral_constant<int, 0>{});
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    default: return f(std::integral_constant<int, 3>{});
  }
}

/// The number of elements between the aligned word that `own` lies in and `own`.
template <class S>
__device__ __forceinline__ int elements_into_word(S const* own)
{
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(own) % 16 / sizeof(S));
}

/// Makes groups that begin `gap` elements later of aligned words. `extra` is the word behind the last one.
template <class S, int Count, int Rows>
__device__ __forceinline__ void take_shifted(packed_group<S, Count> (&groups)[Rows],
                                             packed_group<S, Count> const& extra, int gap)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const bytes = gap * static_cast<int>(sizeof(S));
  with_constant(bytes / 4, [&](auto moved) {
    constexpr int parts = decltype(moved)::value;
    constexpr bool splits = sizeof(S) < 4;  // parts of four bytes
    constexpr int received = parts + (splits ? 1 : 0);
    if constexpr (received > 0) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        auto const& after = r + 1 < Rows ? groups[r + 1 < Rows ? r + 1 : r] : extra;
        std::uint32_t x[8];
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = groups[r].part(k);
#pragma unroll
        for (int k = 0; k < received; ++k)
          x[4 + k] = __shfl_sync(whole_warp, lane == 0 ? after.part(k) : groups[r].part(k), (lane + 1) % warp_lanes);
#pragma unroll
        for (int k = 0; k < 4; ++k)
          groups[r].set_part(k, splits ? __funnelshift_r(x[parts + k], x[parts + k + (splits ? 1 : 0)], bytes % 4 * 8)
                                       : x[parts + k]);
      }
    }
  });
}

/// The part of four bytes that begins `bytes` behind part `low`, 0 to 3, and elements of two bytes if it is reversed.
__device__ __forceinline__ std::uint32_t part_after(std::uint32_t low, std::uint32_t high, int bytes, bool is_reversed)
{
  auto const places = static_cast<unsigned>(bytes);
  return is_reversed ? __byte_perm(low, high, 0x1032 + places * 0x1111) : __funnelshift_r(low, high, places * 8);
}
/// The part of four bytes that ends `bytes` before the end of part `high`.
__device__ __forceinline__ std::uint32_t part_before(std::uint32_t low, std::uint32_t high, int bytes, bool is_reversed)
{
  auto const places = static_cast<unsigned>(bytes);
  return is_reversed ? __byte_perm(low, high, 0x5476 - places * 0x1111) : __funnelshift_l(low, high, places * 8);
}

/// Loads groups from shared memory: of slot r, that which begins `Parts` parts of four bytes, and `bytes` more, behind
/// the word at `word + step_of(r)`. A lane reads all words of its groups: that takes fewer instructions than to get the
/// last one from its neighbour. `Step` -1: groups are then reversed.
template <int Step, int Parts, class S, int Count, int Slots, class StepOf>
__device__ __forceinline__ void load_words_moved(packed_group<S, Count> (&groups)[Slots], S const* word, int bytes,
                                                 StepOf const& step_of)
{
  constexpr int own_parts = Count * static_cast<int>(sizeof(S)) / 4, word_parts = 4;
  static_assert(own_parts % word_parts == 0);
  constexpr bool splits = sizeof(S) < 4;  // parts of four bytes
  constexpr bool turns = splits && Step < 0;
  static_assert(!turns || sizeof(S) == 2);
  constexpr int words = own_parts / word_parts + (Parts > 0 || splits ? 1 : 0);
#pragma unroll
  for (int r = 0; r < Slots; ++r) {
    auto const* const from = reinterpret_cast<uint4 const*>(word + step_of(r));
    check_word(from, sizeof *from);
    uint4 read[words];
#pragma unroll
    for (int w = 0; w < words; ++w) read[w] = from[w];
    std::uint32_t x[word_parts * words];
    memcpy(x, read, sizeof(x));
#pragma unroll
    for (int k = 0; k < own_parts; ++k)
      groups[r].set_part(turns ? own_parts - 1 - k : k,
                         splits ? part_after(x[Parts + k], x[Parts + k + (splits ? 1 : 0)], bytes, turns)
                                : x[Parts + k]);
    if constexpr (!splits) groups[r] = groups[r].reversed_if(Step < 0);
  }
}

/// Loads groups from shared memory: of slot r, that which begins `step_of(r)` elements, whole words, behind `first`,
/// which may lie anywhere in a word. The words around groups can be read. `Step` -1: groups are then reversed.
template <int Step = 1, class S, int Count, int Slots, class StepOf>
__device__ __forceinline__ void load_words_shifted(packed_group<S, Count> (&groups)[Slots], S const* first,
                                                   StepOf const& step_of)
{
  int const gap = elements_into_word(first), bytes = gap * static_cast<int>(sizeof(S));
  with_constant(bytes / 4, [&](auto moved) {
    load_words_moved<Step, decltype(moved)::value>(groups, first - gap, bytes % 4, step_of);
  });
}

/// Loads a warp's rows of 32 groups from shared memory, which begin at `own`. The words around them can be read.
template <class S, int Count, int Rows>
__device__ __forceinline__ void load_whole_shifted(packed_group<S, Count> (&groups)[Rows], S const* own)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  load_words_shifted(groups, own, [=](int r) { return (r * warp_lanes + lane) * Count; });
}

/// Loads a warp's rows of 32 groups, which begin at `own`. `before` elements of the sequence lie before it, a multiple
/// of a row; `there` begin at it, a negative number if it is beyond the end. Elements beyond the end are others of the
/// sequence, which has two groups at least.
template <class S, int Count, int Rows>
__device__ __forceinline__ void load_shifted(packed_group<S, Count> (&groups)[Rows], S const* own, std::size_t before,
                                             std::ptrdiff_t there)
{
  constexpr int words = Rows * warp_lanes;  // and one more, from which the last lane's last group may take a part
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const gap = elements_into_word(own);
  S const* const first = own - gap;
  int const count = static_cast<int>(there < (words + 1) * Count ? there : (words + 1) * Count);
  int const lowest = gap != 0 && before == 0 ? 1 : 0;   // of the words that lie in the sequence
  int const whole = (gap + count) >> places_of<Count>;  // before the sequence's end
  packed_group<S, Count> extra;
  if (lowest == 0 && whole > words) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) groups[r].load_aligned(first + (r * warp_lanes + lane) * Count);
    extra.load_aligned(first + words * Count);
  } else {
    auto const word = [&](int w) {
      w = w < whole ? w : whole - 1;
      return first + (w < lowest ? lowest : w) * Count;
    };
#pragma unroll
    for (int r = 0; r < Rows; ++r) groups[r].load_aligned(word(r * warp_lanes + lane));
    extra.load_aligned(word(words));
    if (lowest > 0 && lane == 0) {
#pragma unroll
      for (int j = 0; j < Count; ++j) groups[0].set(j, own[j < gap ? 0 : j - gap]);
    }
    if ((gap + count) % Count != 0 && whole >= 0 && whole <= words && lane == whole % warp_lanes) {
      packed_group<S, Count> last;
#pragma unroll
      for (int j = 0; j < Count; ++j) {
        int const at = whole * Count + j - gap;
        last.set(j, own[at < count ? at : count - 1]);
      }
#pragma unroll
      for (int r = 0; r < Rows; ++r) groups[r].assign_if(r == whole / warp_lanes, last);
      extra.assign_if(whole == words, last);
    }
  }
  take_shifted(groups, extra, gap);
}

/// Part k of the lane before. Lane 0 has that of the last lane's `before`, which is of the row before.
template <class S, int Count>
__device__ __forceinline__ std::uint32_t part_of_lane_before(packed_group<S, Count> const& before,
                                                             packed_group<S, Count> const& own, int k)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  return __shfl_sync(whole_warp, lane == warp_lanes - 1 ? before.part(k) : own.part(k),
                     (lane + warp_lanes - 1) % warp_lanes);
}

/// Makes words of groups, which begin `gap` elements later in memory than these. Returns the word behind the last
/// lane's last one. `Step` -1: words of elements of two bytes are then reversed.
template <int Step, class S, int Count, int Rows>
__device__ __forceinline__ packed_group<S, Count> shift_words(packed_group<S, Count> (&groups)[Rows], int gap)
{
  static_assert(sizeof(S) * Count == 16);
  int const bytes = gap * static_cast<int>(sizeof(S));
  packed_group<S, Count> extra = groups[Rows - 1];
  with_constant(bytes / 4, [&](auto moved) {
    constexpr int parts = decltype(moved)::value;
    constexpr bool splits = sizeof(S) < 4;
    constexpr bool turns = splits && Step < 0;
    static_assert(!turns || sizeof(S) == 2);
    constexpr int received = parts + (splits ? 1 : 0);  // the last ones of the lane before
    if constexpr (received > 0) {
      auto const shifted = [&](packed_group<S, Count> const& before, packed_group<S, Count> const& own) {
        std::uint32_t x[8];
#pragma unroll
        for (int k = 0; k < 4; ++k) x[4 + k] = own.part(k);
#pragma unroll
        for (int k = 4 - received; k < 4; ++k) x[k] = part_of_lane_before(before, own, k);
        packed_group<S, Count> word;
#pragma unroll
        for (int k = 0; k < 4; ++k)
          word.set_part(turns ? 3 - k : k,
                        splits ? part_before(x[4 - (splits ? 1 : 0) + k - parts], x[4 + k - parts], bytes % 4, turns)
                               : x[4 + k - parts]);
        return word;
      };
      extra = shifted(groups[Rows - 1], groups[Rows - 1]);
#pragma unroll
      for (int r = Rows - 1; r >= 0; --r) groups[r] = shifted(groups[r > 0 ? r - 1 : 0], groups[r]);
    }
  });
  return extra;
}

/// Stores a word, as it lies in memory, of which one end goes to `first` and the others each `Step` behind it.
template <int Step, class S, int Count>
__device__ __forceinline__ void store_word(packed_group<S, Count> const& word, S* first)
{
  word.store_aligned(Step > 0 ? first : first - (Count - 1));
}

/// Stores such rows: the groups' elements up to `there`, the first one at `own`, each `Step` behind the one before.
/// Words that belong to others too are written by elements.
template <int Step = 1, class S, int Count, int Rows>
__device__ __forceinline__ void store_shifted(packed_group<S, Count> (&groups)[Rows], S* own, std::ptrdiff_t there)
{
  static_assert(Step == 1 || Step == -1);
  constexpr int words = Rows * warp_lanes;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  if (there <= 0) return;
  int const into = elements_into_word(own), gap = Step > 0 ? into : Count - 1 - into;
  S* const first = own - Step * gap;
  int const count = static_cast<int>(there < words * Count ? there : words * Count);
  int const lowest = gap != 0 ? 1 : 0, whole = (gap + count) / Count;
  packed_group<S, Count> extra = shift_words<Step>(groups, gap);  // the word behind the last lane's last one
  if constexpr (Step < 0 && sizeof(S) >= 4) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) groups[r] = groups[r].reversed_if(true);
    extra = extra.reversed_if(true);
  }
  auto const element = [](packed_group<S, Count> const& word, int j) { return word.get(Step > 0 ? j : Count - 1 - j); };
  if (whole >= words) {
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (r > 0 || lane >= lowest) store_word<Step>(groups[r], first + Step * (r * warp_lanes + lane) * Count);
  } else {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      int const w = r * warp_lanes + lane;
      if (w >= lowest && w < whole) store_word<Step>(groups[r], first + Step * w * Count);
    }
  }
  if (lowest > 0 && lane == 0) {
#pragma unroll
    for (int j = 0; j < Count; ++j)
      if (j >= gap && j - gap < count) first[Step * j] = element(groups[0], j);
  }
  int const rest = (gap + count) % Count;
  if (rest > 0 && whole >= lowest && lane == whole % warp_lanes) {
    packed_group<S, Count> last = extra;
    if (whole < words) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) last.assign_if(r == whole / warp_lanes, groups[r]);
    }
#pragma unroll
    for (int j = 0; j < Count; ++j)
      if (j < rest) first[Step * (whole * Count + j)] = element(last, j);
  }
}

}  // namespace tally::cuda_backend
