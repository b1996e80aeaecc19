#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/counted.hpp"
#include "tally/cuda_execution.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/cuda/batch/bound.hpp"
#include "tally/detail/cuda/batch/short_runs.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/path.hpp"

#ifdef __CUDACC__
#include "tally/detail/cuda/batch/segments.cuh"
#include "tally/detail/cuda/batch/segments_by_tiles.cuh"
#include "tally/detail/cuda/batch/segments_by_warps.cuh"
#include "tally/detail/cuda/batch/segments_by_words.cuh"
#include "tally/detail/cuda/launch.cuh"
#endif

/// Reductions and scans of segments on a GPU.
namespace tally::cuda_backend {

#ifdef __CUDACC__
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
  call.reserve_words(call.can_grow() ? chunks * words_of_chunk + words_by_warps : 0);
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = call.capacity();
  bool const by_warps = may_go_by_warps(call, problem, most), by_words = may_go_by_words(call, problem, most);
  std::size_t const of_others = by_warps || by_words ? words_by_warps : 0;
  problem.chunks_with_words =
      std::min({chunks, (call.capacity() - of_others) / words_of_chunk, tuning_in_use().segment_chunks});
  if constexpr (fits_words<P>) {
    if (by_words) {
      detail::took("cuda: segments scanned by words");
      launch_by_words(call, problem, true);
      problem.call = words_of_tickets(problem) + word_of_call;
    }
  }
  if constexpr (fits_warps<P>) {
    if (by_warps) {
      launch_by_warps(call, problem, most);
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
