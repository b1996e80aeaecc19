#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "tally/counted.hpp"
#include "tally/cuda_execution.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/cuda/batch/short_runs.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/path.hpp"

#ifdef __CUDACC__
#include "tally/detail/cuda/batch/list_tiles.hpp"
#include "tally/detail/cuda/batch/segment_heads.cuh"
#include "tally/detail/cuda/batch/segment_tiles.cuh"
#include "tally/detail/cuda/batch/segment_tiles_reduction.cuh"
#include "tally/detail/cuda/batch/segments.cuh"
#include "tally/detail/cuda/batch/warp_segments.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/ring.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#endif

/// Reductions and scans of segments on a GPU.
namespace tally::cuda_backend {

/// Elements from a pointer on to the end of its allocation; no bound for another iterator.
inline constexpr std::size_t no_bound = static_cast<std::size_t>(-1);
template <class I>
std::size_t most_elements(prepared_call const& call, I const& values)
{
  if constexpr (points_into_memory<I>)
    return call.bytes_from(std::to_address(values)) / sizeof(std::iter_value_t<I>);
  else
    return no_bound;
}

#ifdef __CUDACC__
/// `looks`: a kernel ahead of a scan calls for the general one if a ticket is too large.
template <class P>
void launch_by_warps(prepared_call const& call, P const& problem, bool looks)
{
  using shape = warp_shape<P>;
  static std::array<void (*)(P const), 1> entry{warp_segments_kernel<P>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], shape::threads, warps_bytes<P>, known);
  int const blocks = call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident;
  if constexpr (!P::reduces)
    if (looks) launch(call, warp_tickets_kernel<P>, problem, static_cast<unsigned>(blocks), shape::threads, 0);
  launch(call, entry[0], problem, static_cast<unsigned>(blocks), shape::threads, warps_bytes<P>);
}

/// Whether warps that work alone may do a call of at most `most` elements. They write no last values, and a scan by
/// them has the same initial value for all segments.
template <class P>
bool may_go_by_warps(prepared_call const& call, P const& problem, std::size_t most)
{
  if constexpr (fits_warps<P>) {
    tuning const& by = tuning_in_use();
    if (call.facts().compute_capability < 80 || call.capacity() < words_by_warps) return false;
    if (!P::reduces && (problem.initials != nullptr || problem.lasts != nullptr)) return false;
    if (most == no_bound) return true;
    // A launch that ends at once costs a scan, which has two of them, more.
    if (!P::reduces && most / problem.segments >= warp_shape<P>::most_in_ticket) return false;
    return most + problem.segments >= (P::reduces ? by.segments_by_warps : by.segments_scanned_by_warps);
  } else {
    return false;
  }
}

/// Words of the workspace for the heads of at most `most` elements, if these may be short enough on average to go by
/// heads; else none. A scan by heads has the same initial value for all segments, and writes no last values.
template <class P>
std::size_t words_for_heads(P const& problem, std::size_t most)
{
  if constexpr (fits_heads<P>) {
    constexpr std::size_t part = detail::batch::marked_heads::part;
    tuning const& by = tuning_in_use();
    if (problem.initials != nullptr || problem.lasts != nullptr || most > std::numeric_limits<std::uint32_t>::max() ||
        most / problem.segments > by.segments_by_heads || most + problem.segments < by.least_by_heads)
      return 0;
    return (most + part - 1) / part * (part / 64);
  } else {
    return 0;
  }
}

/// Marks the heads of segments in the zeros of `words`, and scans by them if the segments are short; else calls for the
/// general kernel.
template <class P>
void launch_by_heads(prepared_call const& call, P const& problem, std::size_t most, std::uint64_t* words)
{
  using offsets = typename P::offset_iterator;
  using shape = segment_heads_shape;
  using marked = segment_heads_problem<P>;
  auto* const bits = reinterpret_cast<std::uint32_t*>(words);
  static std::array<void (*)(marked const), 1> entry{segment_heads_kernel<P>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], shape::threads, 0, known);
  auto const blocks =
      static_cast<std::size_t>(call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident);
  std::size_t const shares = (problem.segments + shape::segments - 1) / shape::segments;
  launch(call, entry[0], marked{problem, bits, most}, static_cast<unsigned>(std::min(blocks, shares)), shape::threads);
  using by_heads = short_runs_problem<segment_work::scan, typename P::element, typename P::operation, typename P::input,
                                      typename P::output, no_head, heads_by_offsets<offsets>>;
  launch_short_runs(call, most,
                    by_heads{problem.in,
                             problem.out,
                             {},
                             {problem.offsets, problem.segments, problem.fewer, bits, problem.shared,
                              words_of_tickets(problem) + word_of_call},
                             problem.init,
                             problem.op,
                             problem.exclusive});
}

/// Whether a kind of problem can go by tiles.
template <class P>
inline constexpr bool fits_tiles =
    fits_warps<P> && can_shift<typename P::element, static_cast<int>(order::group<typename P::element>)>;

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
/// and the others by warps. They have the same initial value, and no last values are written.
template <class P>
bool try_scan_by_tiles(prepared_call& call, P problem, std::size_t most)
{
  using T = typename P::element;
  using tiles_problem = listed_tiles_problem<T, typename P::operation>;
  using ring = ring_memory<tiles_problem>;
  tuning const& by = tuning_in_use();
  if (call.facts().compute_capability < 90 || problem.initials != nullptr || problem.lasts != nullptr ||
      most < by.least_by_tiles || most / problem.segments < by.segments_by_tiles_and_warps)
    return false;
  bool const by_warps_too = most / problem.segments < by.segments_by_tiles;
  if (by_warps_too && most >> 31 != 0) return false;  // warps keep places of a block's elements in four bytes
  // A part of whole segments has none that is longer than a part's room.
  if (by_warps_too) problem.longest = std::max(by.longest_by_warps, static_cast<std::size_t>(warp_shape<P>::room));
  tile_list place(most, problem.segments, problem.longest, order::tile<T>);
  if (!place.place(call, place.tiles() * words_of<working_type<T>> + words_by_warps)) return false;
  detail::took(by_warps_too ? "cuda: segments scanned by tiles and warps" : "cuda: segments scanned by tiles");
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = place.capacity(call);
  listed_tiles const list = place.fill(call, problem);
  if (by_warps_too) {
    problem.in_long_ones = list.elements;
    launch_by_warps(call, problem, false);  // of the epoch that the ring ends
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

/// `most` is a bound on the number of elements. The offsets, which know it, are on the device.
template <bool Overlaps, class P>
void launch_segments(prepared_call& call, P problem, std::size_t most)
{
  using W = working_type<typename P::element>;
  using shape = segment_shape<P, Overlaps>;
  static_assert(sizeof(W) <= 96,
                "tally: on a GPU an element is combined in at most 96 bytes: shared memory holds no more");
  constexpr std::size_t words_of_chunk = words_of<W> + words_of<std::size_t>;
  constexpr std::size_t chunks_without_bound = 65536;
  std::size_t const chunks = (most == no_bound ? problem.segments : most + problem.segments) / shape::unit + 2 +
                             (most == no_bound ? chunks_without_bound : 0);
  std::size_t const of_chunks = chunks * words_of_chunk + words_by_warps, of_heads = words_for_heads(problem, most);
  call.reserve_words(call.can_grow() ? of_chunks + of_heads : 0);
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = call.capacity();
  bool const by_heads = of_heads > 0 && of_chunks + of_heads <= call.capacity();
  bool const by_warps = !by_heads && may_go_by_warps(call, problem, most);
  std::size_t const of_others = by_heads ? words_by_warps + of_heads : by_warps ? words_by_warps : 0;
  problem.chunks_with_words =
      std::min({chunks, (call.capacity() - of_others) / words_of_chunk, tuning_in_use().segment_chunks});
  // Between calls no word has the epoch of a later call.
  std::uint64_t* const heads = problem.words + (problem.capacity - of_others);
  auto const clear_heads = [&] {
    check_cuda(cudaMemsetAsync(heads, 0, of_heads * sizeof(std::uint64_t), call.stream()),
               "clearing the heads of segments");
  };
  if constexpr (fits_heads<P>) {
    if (by_heads) {
      detail::took("cuda: segments scanned by heads");
      clear_heads();
      launch_by_heads(call, problem, most, heads);
      problem.call = words_of_tickets(problem) + word_of_call;
    }
  }
  if constexpr (fits_warps<P>) {
    if (by_warps) {
      detail::took(P::reduces ? "cuda: segments by warps" : "cuda: segments scanned by warps");
      problem.reduced_along = tuning_in_use().segments_reduced_along;
      launch_by_warps(call, problem, true);
      problem.call = words_of_tickets(problem) + word_of_call;
    }
  }
  // A table that is not const, as in launch.cuh: only it names the kernel.
  static std::array<void (*)(P const), 1> entry{segments_kernel<P, Overlaps>};
  static known_kernels known{};
  int const resident = blocks_at_a_time(call, entry[0], shape::threads, shape::bytes, known);
  int const blocks = call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident;
  launch(call, entry[0], problem, static_cast<unsigned>(std::min(chunks, static_cast<std::size_t>(blocks))),
         shape::threads, shape::bytes);
  if (by_heads) clear_heads();
}

template <segment_work What, class From, class T, class Values, class Offsets, class Out, class Op>
void run_segments(execution const& on, char const* name, Values const& values, Offsets const& offsets,
                  detail::element_count segments, Out const& out, T const* nothing, detail::batch::ends<T> const& ends,
                  Op const& op, detail::direction shift, std::size_t most)
{
  static_assert(std::is_trivially_copyable_v<T>, "tally: a call on a GPU takes values that can be copied as bytes");
  static_assert(std::is_default_constructible_v<working_type<T>>,
                "tally: a call on a GPU takes values that can be default-constructed");
  static_assert(std::is_convertible_v<std::iter_reference_t<Values>, T>,
                "tally: a call on a GPU takes elements that convert to the accumulator's type");
  if (segments.most == 0) return;
  prepared_call call(on, name);
  check_pointers(call, offsets, "offsets");
  if (segments.fewer.place != nullptr) call.check_pointer(segments.fewer.place, "count");
  auto const in = device_iterator(values);
  auto const from = device_iterator(offsets);
  auto const to = device_iterator(out);
  using problem = segment_problem<What, From, T, Op, std::remove_const_t<decltype(in)>,
                                  std::remove_const_t<decltype(from)>, std::remove_const_t<decltype(to)>>;
  problem arguments{in,
                    from,
                    segments.most,
                    to,
                    initial<T, Op>(ends.initial ? &*ends.initial : nullptr),
                    ends.initials,
                    ends.lasts,
                    {},
                    nothing != nullptr,
                    op,
                    shift == detail::direction::exclusive,
                    nullptr,
                    nullptr,
                    0,
                    0,
                    segments.fewer};
  if (nothing != nullptr) std::memcpy(arguments.nothing.bytes, nothing, sizeof(T));
  if (most == no_bound) most = most_elements(call, values);
  if (try_by_tiles(call, arguments, most)) return;
  if constexpr (What == segment_work::scan && segment_shape<problem, false>::small_stages) {
    if (most != no_bound && most / segments.most >= tuning_in_use().long_segments) {
      detail::took("cuda: segments, overlapped");
      return launch_segments<true>(call, arguments, most);
    }
  }
  detail::took("cuda: segments");
  launch_segments<false>(call, arguments, most);
}
#endif

/// Reduces segment s = [offsets[s], offsets[s + 1]) to out[s], on top of its initial value; an empty one to `nothing`.
/// Offsets do not decrease. `most` is a bound on the number of all elements, if one is known.
/// Found by argument-dependent lookup on the execution argument.
template <class T, class Values, class Offsets, class Out, class Op, class From = detail::batch::from_front>
void backend_reduce_segments(execution const& on, Values values, Offsets offsets, detail::element_count segments,
                             Out out, T const& nothing, detail::batch::ends<T> const& ends, Op& op, From = {},
                             std::size_t most = no_bound)
{
#ifdef __CUDACC__
  if constexpr (is_exact_sum<Op>) {
    // An exact sum is the same from either end.
    if (segments.most == 0) return;
    prepared_call call(on, "tally::reduce of segments");
    check_pointers(call, offsets, "offsets");
    if (segments.fewer.place != nullptr) call.check_pointer(segments.fewer.place, "count");
    if (most == no_bound) most = most_elements(call, values);
    exact::run_segment_sums<T>(on, call, device_iterator(values), device_iterator(offsets), segments,
                               device_iterator(out), nothing, ends, most != no_bound, most);
  } else {
    run_segments<segment_work::reduce, From>(on, "tally::reduce of segments", values, offsets, segments, out, &nothing,
                                             ends, op, detail::direction::inclusive, most);
  }
#else
  static_assert(never<Op>, "tally: a call on segments on a GPU must be compiled by nvcc, in a .cu file");
#endif
}

/// Scans each segment to the places in `out` that its elements have in `values`. An exclusive scan has an initial
/// value. The last value of an empty segment is the initial value, or the reduction of nothing.
template <class T, class Values, class Offsets, class Out, class Op, class From = detail::batch::from_front>
void backend_scan_segments(execution const& on, Values values, Offsets offsets, detail::element_count segments, Out out,
                           detail::batch::ends<T> const& ends, Op& op, detail::direction shift, From = {},
                           std::size_t most = no_bound)
{
#ifdef __CUDACC__
  if constexpr (is_exact_sum<Op>) {
    if (segments.most == 0) return;
    prepared_call call(on, "tally::scan of segments");
    check_pointers(call, offsets, "offsets");
    if (segments.fewer.place != nullptr) call.check_pointer(segments.fewer.place, "count");
    if (most == no_bound) most = most_elements(call, values);
    constexpr bool from_back = !std::is_same_v<From, detail::batch::from_front>;
    return exact::run_segment_scans<from_back>(on, call, device_iterator(values), device_iterator(offsets), segments,
                                               device_iterator(out), reduction_of_nothing<T>(op), ends,
                                               shift == detail::direction::exclusive, most != no_bound, most);
  } else {
    std::optional<T> nothing;
    if constexpr (has_identity<Op, T>) nothing.emplace(reduction_of_nothing<T>(op));
    run_segments<segment_work::scan, From>(on, "tally::scan of segments", values, offsets, segments, out,
                                           nothing ? &*nothing : nullptr, ends, op, shift, most);
  }
#else
  static_assert(never<Op>, "tally: a call on segments on a GPU must be compiled by nvcc, in a .cu file");
#endif
}

}  // namespace tally::cuda_backend
