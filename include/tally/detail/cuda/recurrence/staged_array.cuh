#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Parts of arrays on their way through shared memory, in which they lie at the same places of words as in memory.
namespace tally::cuda_backend {

/// A part of one of the arrays, as it lies in shared memory: the unit's sequences one after the other.
template <class S>
struct staged_array {
  unsigned char* memory;  ///< aligned to 16 bytes, behind 16 bytes of room
  S* array;               ///< in memory: the first element of the unit's first sequence
  std::ptrdiff_t across;
  int step;    ///< 1 or -1
  int size;    ///< elements of a sequence here
  bool dense;  ///< the sequences follow each other without a gap

  __device__ __forceinline__ S* low(int s) const { return array + s * across - (step < 0 ? size - 1 : 0); }
  __device__ __forceinline__ static int gap(S const* at)
  {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 16 / sizeof(S));
  }
  /// The bytes that a sequence with a place of its own takes.
  __device__ __forceinline__ int pitch() const { return (size * static_cast<int>(sizeof(S)) + 15) / 16 * 16 + 16; }
  /// The place of sequence s's lowest element.
  __device__ __forceinline__ S* place(int s) const
  {
    if (dense) return reinterpret_cast<S*>(memory) + gap(low(0)) + s * size;
    return reinterpret_cast<S*>(memory + s * pitch()) + gap(low(s));
  }
  /// The place of the group that begins with element k of sequence s.
  template <int Group>
  __device__ __forceinline__ S* group(int s, int k) const
  {
    return place(s) + (step > 0 ? k : size - k - Group);
  }
};

/// Reads groups from shared memory: of slot r, that which begins with step `step_of(r)` of sequence `sequence_of(r)`.
/// In the place of groups beyond the end there is anything.
template <int Group, class S, int Slots, class Sequence, class Step>
__device__ __forceinline__ void take_groups(staged_array<S> const& part, bool aligned,
                                            packed_group<S, Group> (&into)[Slots], Sequence const& sequence_of,
                                            Step const& step_of)
{
  if (aligned && part.step > 0) {
#pragma unroll
    for (int r = 0; r < Slots; ++r) into[r].load_aligned(part.place(sequence_of(r)) + step_of(r));
  } else if (aligned) {
#pragma unroll
    for (int r = 0; r < Slots; ++r)
      into[r].load_aligned(part.template group<Group>(sequence_of(r), step_of(r) < part.size ? step_of(r) : 0));
#pragma unroll
    for (int r = 0; r < Slots; ++r) into[r] = into[r].reversed_if(true);
  } else {
#pragma unroll
    for (int r = 0; r < Slots; ++r) {
      S* const first = part.template group<Group>(sequence_of(r), step_of(r) < part.size ? step_of(r) : 0);
#pragma unroll
      for (int j = 0; j < Group; ++j) into[r].set(j, first[part.step > 0 ? j : Group - 1 - j]);
    }
  }
}

/// The same of one sequence, whose groups need not be aligned.
template <int Group, class S, int Slots, class Step>
__device__ __forceinline__ void take_groups_anywhere(staged_array<S> const& part, packed_group<S, Group> (&into)[Slots],
                                                     Step const& step_of)
{
  S const* const first = part.place(0);
  if (part.step > 0) return load_words_shifted(into, first, step_of);
  load_words_shifted<-1>(into, first + (part.size - Group),
                         [&](int r) { return step_of(r) < part.size ? -step_of(r) : 0; });
}

/// Writes groups to shared memory, as far as their steps come before `end(r)`.
template <int Group, class S, int Slots, class Sequence, class Step, class End>
__device__ __forceinline__ void put_groups(staged_array<S> const& part, packed_group<S, Group> const (&from)[Slots],
                                           Sequence const& sequence_of, Step const& step_of, End const& end)
{
#pragma unroll
  for (int r = 0; r < Slots; ++r) {
    int const rest = end(r) - step_of(r);
    S* const first = part.template group<Group>(sequence_of(r), step_of(r));
#pragma unroll
    for (int j = 0; j < Group; ++j)
      if (j < rest) first[part.step > 0 ? j : Group - 1 - j] = from[r].get(j);
  }
}

/// Writes an aligned group of results, as far as they come before `end`, to a sequence that begins at `out`.
template <class S, int Group>
__device__ __forceinline__ void store_results(packed_group<S, Group> const& group, S* out, int k, int end,
                                              std::ptrdiff_t step)
{
  if (end - k >= Group) {
    if (step > 0)
      group.store_aligned(out + k);
    else
      group.reversed_if(true).store_aligned(out - k - (Group - 1));
  } else {
#pragma unroll
    for (int j = 0; j < Group; ++j)
      if (k + j < end) out[(k + j) * step] = group.get(j);
  }
}

/// A group with another first element.
template <class S, int Group>
__device__ __forceinline__ packed_group<S, Group> with_first(S first, packed_group<S, Group> const& group)
{
  packed_group<S, Group> result;
#pragma unroll
  for (int j = 0; j < Group; ++j) result.set(j, j == 0 ? first : group.get(j));
  return result;
}

/// Starts the copy of `count` neighbouring elements at `from` to the same place of a word of `to`, and returns how many
/// bytes `done` is to expect. Elements in words that are not wholly in the array are copied at once, and none that are
/// not in it.
template <class S>
__device__ __forceinline__ std::uint32_t start_copy(unsigned char* to, S const* from, int count, S const* array_begin,
                                                    S const* array_end, arrival& done)
{
  auto const first = reinterpret_cast<std::uintptr_t>(from), last = reinterpret_cast<std::uintptr_t>(from + count);
  std::uintptr_t const word = first / 16 * 16;
  std::uintptr_t begin = word, end = (last + 15) / 16 * 16;
  auto const copy = [&](std::uintptr_t from_byte, std::uintptr_t to_byte) {
    for (std::uintptr_t at = from_byte; at < to_byte; at += sizeof(S))
      *reinterpret_cast<S*>(to + (at - word)) = *reinterpret_cast<S const*>(at);
  };
  if (begin < reinterpret_cast<std::uintptr_t>(array_begin)) {
    begin += 16;
    auto const start = reinterpret_cast<std::uintptr_t>(array_begin);
    copy(first < start ? start : first, last < begin ? last : begin);
  }
  if (end > begin && end > reinterpret_cast<std::uintptr_t>(array_end)) {
    end -= 16;
    auto const stop = reinterpret_cast<std::uintptr_t>(array_end);
    copy(first > end ? first : end, last < stop ? last : stop);
  }
  if (end <= begin) return 0;
  auto const bytes = static_cast<std::uint32_t>(end - begin);
  done.bulk_load(to + (begin - word), reinterpret_cast<void const*>(begin), bytes);
  return bytes;
}

/// Writes `count` elements to `to` from the same place of a word in shared memory, by a warp.
template <class S>
__device__ __forceinline__ void copy_out(S* to, S const* from, int count)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  constexpr int a_word = 16 / static_cast<int>(sizeof(S));
  int head = (a_word - staged_array<S>::gap(to)) % a_word;
  head = head < count ? head : count;
  int const words = (count - head) / a_word, tail = head + words * a_word;
  if (lane < head) to[lane] = from[lane];
  for (int w = lane; w < words; w += warp_lanes)
    store_in_order(reinterpret_cast<uint4*>(to + head) + w, reinterpret_cast<uint4 const*>(from + head)[w]);
  if (lane < count - tail) to[tail + lane] = from[tail + lane];
}

}  // namespace tally::cuda_backend
