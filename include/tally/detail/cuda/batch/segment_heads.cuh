#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/warp.cuh"

/// The begins of segments, for a warp that goes through their elements in chunks (segment_words.cuh, and
/// recurrence/words_kernel.cuh).
namespace tally::cuda_backend {

/// The sizes of a warp's work on elements of type T.
template <class T, int Rows = 4>
struct words_shape {
  static constexpr int word = 16 / static_cast<int>(sizeof(T));  ///< elements of a word
  static constexpr int row = word * warp_lanes;                  ///< of a word a lane
  static constexpr int rows = Rows;                              ///< that a warp has at a time
  static constexpr int chunk = rows * row;                       ///< their elements
  static constexpr int ring = 1024;                              ///< offsets in shared memory
  /// The most elements of segments that a warp has one after the other, and of those that are left out between them:
  /// places are ints, those behind the end too.
  static constexpr std::size_t most = (std::size_t(1) << 31) - 2 * chunk;
};

/// The low words of some offsets of `Words` words each, or of `words`.
template <int Words = 0>
struct low_words {
  std::uint32_t const* first;
  int words = Words;

  __device__ __forceinline__ std::uint32_t const* at(std::ptrdiff_t k) const
  {
    return first + k * (Words != 0 ? Words : words);
  }
};

/// Segments that follow each other, of which none is left out. Elements have *places*: place 0 is the first of the word
/// of the first one.
template <class Offsets>
struct segments_in_places {
  Offsets offsets;         ///< of the first segment, and so on
  std::uint32_t base;      ///< the low word of an offset that has place 0
  int begin, end;          ///< places of the elements
  int count;               ///< segments
  int marked;              ///< of these, whose ends were marked
  std::uint32_t next_end;  ///< the place of the next end
  int asked, there;        ///< offsets that were asked for, and that are in shared memory
};

/// The shared memory of a warp for them.
template <class Shape>
struct segment_heads_memory {
  /// The bytes of a word's elements: 1 where a segment begins.
  using bytes = std::conditional_t<Shape::word == 8, std::uint64_t,
                                   std::conditional_t<Shape::word == 4, std::uint32_t, std::uint16_t>>;
  static_assert(sizeof(bytes) == Shape::word);

  bytes heads[Shape::rows * warp_lanes];
  std::uint32_t offsets[Shape::ring];  ///< low words
};

/// The heads of segments in a chunk, as bytes in shared memory. Offsets are asked for a chunk ahead.
template <class Shape, class Offsets>
class segment_heads {
public:
  using run = segments_in_places<Offsets>;
  using memory = segment_heads_memory<Shape>;
  using bytes = typename memory::bytes;
  static constexpr int chunk = Shape::chunk;

  __device__ segment_heads(memory& own, int lane) : own_(own), lane_(lane) {}

  __device__ __forceinline__ void clear()
  {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) own_.heads[r * warp_lanes + lane_] = 0;
  }
  /// Marks the first element of the first segment.
  __device__ __forceinline__ void mark_first(run const& now)
  {
    if (lane_ == 0) reinterpret_cast<std::uint8_t*>(own_.heads)[now.begin] = 1;
  }
  /// The bytes of the lane's word in a row of words.
  __device__ __forceinline__ bytes of_word(int row) const { return own_.heads[row * warp_lanes + lane_]; }

  /// Begins to copy offsets, as many as there is room for. Behind the last one lie some that have no place.
  __device__ __forceinline__ void ask(run& now)
  {
    now.there = now.asked;
    int const stop = min(now.count + warp_lanes, now.marked + Shape::ring - 2 * warp_lanes) + warp_lanes;
#pragma unroll 1
    for (; now.asked <= stop; now.asked += warp_lanes) {
      int const k = now.asked + lane_;
      std::uint32_t* const to = &own_.offsets[k & (Shape::ring - 1)];
      if (k <= now.count)
        copy_asynchronously(to, now.offsets.at(k));
      else
        *to = now.base - 1;
    }
    end_copy_group();
  }

  /// Marks where segments of a run end in a chunk: there others begin. Returns whether any do.
  __device__ __forceinline__ bool mark(run& now, int at)
  {
    auto const from = static_cast<std::uint32_t>(at);
    if (now.next_end >= from + chunk) return false;
    constexpr int at_once = 2;
    auto* const heads = reinterpret_cast<std::uint8_t*>(own_.heads);
    while (true) {
      bool const is_there = are_there(now, at_once * warp_lanes);
      std::uint32_t places[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        places[j] = place_of(now, now.marked + j * warp_lanes + lane_ + 1, is_there) - from;
      int count = 0;
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        bool const here = places[j] < static_cast<std::uint32_t>(chunk);
        if (here) heads[places[j]] = 1;
        count += __popc(__ballot_sync(whole_warp, here));
      }
      now.marked += count;
      if (count == at_once * warp_lanes) continue;
      now.next_end = from + __shfl_sync(whole_warp, count < warp_lanes ? places[0] : places[1], count % warp_lanes);
      return true;
    }
  }

  /// The same where long segments are left out. Before one of them the run ends.
  __device__ __forceinline__ bool mark_up_to(run& now, int at, std::size_t longest)
  {
    auto const from = static_cast<std::uint32_t>(at), limit = from + chunk;
    if (now.next_end >= limit) return false;
    auto* const heads = reinterpret_cast<std::uint8_t*>(own_.heads);
    while (true) {
      bool const is_there = are_there(now, warp_lanes);
      int const k = now.marked + lane_ + 1;
      std::uint32_t const place = place_of(now, k, is_there), before = place_of(now, k - 1, is_there);
      unsigned const longer = __ballot_sync(whole_warp, k <= now.count && before < limit && place - before > longest);
      if (longer != 0) {
        int const of = __ffs(static_cast<int>(longer)) - 1;
        now.count = now.marked + of;
        now.end = static_cast<int>(__shfl_sync(whole_warp, before, of));
      }
      bool const here = place < limit;
      if (here) heads[place - from] = 1;
      int const count = __popc(__ballot_sync(whole_warp, here));
      now.marked += count;
      if (count == warp_lanes) continue;
      now.next_end = __shfl_sync(whole_warp, place, count);
      return true;
    }
  }

private:
  /// Whether the offsets of `count` segments more are in shared memory. Where more segments end than there is room for,
  /// they are not.
  __device__ __forceinline__ static bool are_there(run& now, int count)
  {
    if (now.marked + count < now.there) return true;
    await_copies();
    __syncwarp();
    now.there = now.asked = max(now.asked, now.marked);
    return now.marked + count < now.there;
  }

  /// The place of offset k, or a larger one than all if there is none. `is_there`: it is in shared memory.
  __device__ __forceinline__ std::uint32_t place_of(run const& now, int k, bool is_there) const
  {
    if (is_there) return own_.offsets[k & (Shape::ring - 1)] - now.base;
    return k <= now.count ? *now.offsets.at(k) - now.base : ~std::uint32_t{};
  }

  memory& own_;
  int lane_;
};

}  // namespace tally::cuda_backend
