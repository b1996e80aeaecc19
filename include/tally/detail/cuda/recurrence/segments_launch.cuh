#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "tally/detail/cuda/batch/list_tiles.cuh"
#include "tally/detail/cuda/check.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/recurrence/recurrences.hpp"
#include "tally/detail/cuda/recurrence/segments_kernel.cuh"
#include "tally/detail/cuda/recurrence/segments_list.cuh"
#include "tally/detail/cuda/recurrence/words_kernel.cuh"
#include "tally/detail/path.hpp"

namespace tally::cuda_backend {

/// Whether segments are so long on average that their chunks are listed.
inline bool lists_chunks(segment_offsets const& offsets)
{
  return offsets.most / offsets.segments >= tuning_in_use().recurrences_by_listed_chunks;
}

/// Lists in the workspace: the tiles of long segments and, if `chunk_size` is not 0, chunks of the others. The words
/// behind them are for the totals of the tiles.
class recurrence_lists {
public:
  /// `most` is a bound on the number of elements.
  template <class P>
  recurrence_lists(P const& p, std::size_t most, std::size_t chunk_size)
      : tiles_(most / P::tile + std::min(p.segments, most / (p.longest + 1))),
        chunk_size_(chunk_size)
  {
    // A chunk ends at a multiple of its size, at a long segment, or with a block's segments, of which there are
    // `warp_lanes` at least.
    if (chunk_size != 0)
      chunks_ = (most + p.segments) / chunk_size + std::min(p.segments, most / (p.longest + 1)) +
                2 * (p.segments / warp_lanes + 1);
  }

  /// Makes room, and tells the kernels where the lists are. Returns false if there is no room.
  template <class P>
  bool place(prepared_call& call, P& p) const
  {
    std::size_t const all = size() + tiles_ * words_of<affine<typename P::W>>;
    call.reserve_words(call.can_grow() ? all : 0);
    if (call.capacity() < all || tiles_ >= folder_ticket - 1 || p.segments >> 32 != 0) return false;
    auto* const words = reinterpret_cast<unsigned long long*>(call.words());
    p.longs = {words, words + 1, words + counters, reinterpret_cast<tile*>(words + counters + tiles_)};
    p.drawn = reinterpret_cast<std::uint64_t*>(words + 3);
    if (chunk_size_ != 0)
      p.chunks = {words + 2, reinterpret_cast<segment_chunks::chunk*>(words + counters + tiles_ * (1 + tile_words))};
    return true;
  }
  /// Starts the kernel that fills them.
  template <class T>
  void fill(prepared_call const& call, recurrence_segments_problem<T> const& p) const
  {
    clear(call, counters);
    launch_list_of_tiles(call, recurrence_lists_problem<T>{p, 0, chunk_size_}, tiles_);
  }
  std::size_t size() const { return counters + tiles_ * (1 + tile_words) + chunks_; }  ///< words
  /// At the end of the call: no word of this memory may look published later.
  void clear(prepared_call const& call) const { clear(call, size()); }

private:
  using tile = tiles_of_long_segments::tile;
  static constexpr std::size_t counters = 4, tile_words = sizeof(tile) / sizeof(std::uint64_t);
  static_assert(sizeof(segment_chunks::chunk) == sizeof(std::uint64_t));

  static void clear(prepared_call const& call, std::size_t count)
  {
    check_cuda(cudaMemsetAsync(call.words(), 0, count * sizeof(std::uint64_t), call.stream()), "clearing lists");
  }

  std::size_t tiles_, chunk_size_, chunks_ = 0;  ///< bounds
};

template <class P>
void launch_segments_of_recurrences(prepared_call const& call, P const& p)
{
  constexpr std::size_t bytes = sizeof(recurrence_segments_memory) * segments_warps<P>;
  constexpr int threads = segments_warps<P> * warp_lanes;
  static known_kernels known{};
  int const most = blocks_at_a_time(call, recur_segments_kernel<P>, threads, bytes, known);
  int const blocks = call.most_blocks() > 0 ? std::min(most, call.most_blocks()) : most;
  launch(call, recur_segments_kernel<P>, p, static_cast<unsigned>(blocks), threads, bytes);
}

template <class P>
void launch_recurrences_by_words(prepared_call const& call, P const& p)
{
  using shape = recurrence_words_launch<P>;
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, recur_words_kernel<P>, shape::threads, shape::bytes, known);
  int const blocks = call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident;
  launch(call, recur_words_kernel<P>, p, static_cast<unsigned>(blocks), shape::threads, shape::bytes);
  constexpr std::size_t threads = last_states_threads;
  if (p.lasts != nullptr)
    launch(call, put_last_states_kernel<P>, p, static_cast<unsigned>((p.segments - 1) / threads + 1), threads);
}

/// Whether segments are so short on average that they go by words.
template <class T>
bool go_by_words(segment_offsets const& offsets)
{
  tuning const& by = tuning_in_use();
  std::size_t const below = sizeof(T) == 2   ? by.recurrences_by_words_of_2
                            : sizeof(T) == 4 ? by.recurrences_by_words_of_4
                                             : by.recurrences_by_words_of_8;
  return offsets.most / offsets.segments < below &&
         offsets.most <= recurrence_words_shape<recurrence_segments_problem<T>>::most;
}

template <class P>
void launch_tiles_of_segments(prepared_call const& call, P const& p)
{
  constexpr int threads = recurrence_tiles_memory<P>::shape::threads;
  constexpr std::size_t bytes = sizeof(recurrence_tiles_memory<P>);
  static known_kernels known{};
  int const most = blocks_at_a_time(call, recur_tiles_kernel<P>, threads, bytes, known);
  int const blocks = call.most_blocks() > 0 ? std::min(most, call.most_blocks()) : most;
  launch(call, recur_tiles_kernel<P>, p, static_cast<unsigned>(blocks), threads, bytes);
}

/// The tiles of the segments in the list, whose totals have the words behind it.
template <class T>
void launch_long_segments(prepared_call const& call, recurrence_segments_problem<T> const& p, std::size_t list)
{
  using P = long_segments_problem<T>;
  P const longs(p, call.shared(), call.words() + list, call.capacity() - list);
  if (p.a != nullptr && begin_alike(p.a, p.b, p.out)) {
    detail::took("cuda: recurrences of segments, long ones by plain tiles", "all arrays begin alike in a word");
    launch_tiles_of_segments(call, plain_from_anywhere<P>{longs});
  } else {
    launch_tiles_of_segments(call, longs);
  }
}

template <class T>
bool run_recurrences_of_segments(prepared_call& call, segment_offsets const& offsets,
                                 recurrence_arrays<T> const& arrays, detail::batch::ends<T> const& ends)
{
  if (call.facts().compute_capability < 90) return false;
  using P = recurrence_segments_problem<T>;
  P p{.a = arrays.a,
      .constant = arrays.constant,
      .b = arrays.b,
      .out = arrays.out,
      .offsets = offsets.first,
      .are_wide = offsets.are_wide,
      .segments = offsets.segments,
      .before = ends.initial ? *ends.initial : T(0.0f),
      .befores = ends.initials,
      .lasts = ends.lasts,
      .least_chunk = tuning_in_use().least_recurrence_chunk,
      .longest = tuning_in_use().long_recurrences,
      .longs = {},
      .chunks = {},
      .drawn = nullptr};
  // Several warps may only overwrite the input of a segment once they know where the plain loop takes over.
  bool const in_place = arrays.out == arrays.a || arrays.out == arrays.b;
  std::size_t const workers = static_cast<std::size_t>(call.processors()) * segments_warps<P>;
  recurrence_lists const lists(
      p, offsets.most,
      lists_chunks(offsets) ? chunk_of_segments(offsets.most + offsets.segments, workers, p.least_chunk) : 0);
  if (in_place || offsets.most <= p.longest || offsets.most >> 40 != 0 || !lists.place(call, p)) {
    detail::took("cuda: recurrences of segments", "a lane has a row of a segment");
    p.longest = static_cast<std::size_t>(-1);
    launch_segments_of_recurrences(call, p);
    return true;
  }
  bool const by_words = p.befores == nullptr && go_by_words<T>(offsets);
  if (by_words)
    detail::took("cuda: recurrences of segments by words", "they are short on average, and begin with the same state");
  else
    detail::took("cuda: recurrences of segments, long ones by tiles", "there may be some");
  lists.fill(call, p);
  if (by_words)
    launch_recurrences_by_words(call, p);
  else
    launch_segments_of_recurrences(call, p);
  launch_long_segments(call, p, lists.size());
  constexpr unsigned warps = 512;
  launch(call, repair_long_segments_kernel<P>, p, warps, warp_lanes);
  lists.clear(call);
  return true;
}

}  // namespace tally::cuda_backend
