#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/exact/reduce_kernel.cuh"
#include "tally/detail/cuda/exact/sequences_kernel.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/path.hpp"

/// The kernels of exact sums, and their launch.
namespace tally::cuda_backend::exact {

/// The blocks of a kernel that run at a time, and no more than a test asks for.
template <class P>
std::size_t blocks_of(prepared_call const& call, void (*kernel)(P const), int threads, known_kernels& known)
{
  int const resident = blocks_at_a_time(call, kernel, threads, 0, known);
  return static_cast<std::size_t>(call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident);
}

/// A problem whose number of elements lies in the device's memory.
template <class P>
struct counted_sum : P {
  static constexpr bool is_counted = true;
  detail::count_in_memory count;

  __device__ void read_count() { this->size = count.up_to(this->size); }
};

template <class P>
void launch_sum(prepared_call& call, P problem)
{
  static std::array<void (*)(P const), 1> entry{sum_kernel<P>};  // as in launch.cuh: only it names the kernel
  static known_kernels known{};
  using stored = std::remove_cv_t<std::iter_value_t<typename P::input>>;
  constexpr std::size_t piece = static_cast<std::size_t>(elements_in_hand<stored>) * sum_threads;
  std::size_t const resident = blocks_of(call, entry[0], sum_threads, known);
  std::size_t blocks = std::clamp((problem.size + piece - 1) / piece, std::size_t{1}, resident);
  call.reserve_words(call.can_grow() ? blocks * P::words_of_block : 0);
  blocks = std::min(blocks, std::max(call.capacity() / P::words_of_block, std::size_t{1}));
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = call.capacity();
  detail::took(blocks == 1 ? "cuda: an exact sum by one block" : "cuda: an exact sum by several blocks");
  launch(call, entry[0], problem, static_cast<unsigned>(blocks), sum_threads);
}

/// The exact sum of `size` elements, to out[0]; of none `nothing`, unless there is an initial value.
template <class T, class In, class Out, class Transform>
void run_sum(prepared_call& call, In in, detail::element_count size, Out out, beginning<T> const& from,
             Transform const& transform)
{
  using problem = sum_problem<T, In, Out, Transform>;
  T const* const init = from.init != nullptr ? from.init : from.nothing;
  problem const all{in,
                    out,
                    size.most,
                    transform,
                    init != nullptr ? static_cast<working_type<T>>(*init) : working_type<T>{},
                    from.init != nullptr,
                    nullptr,
                    nullptr,
                    0};
  if (size.fewer.place == nullptr) return launch_sum(call, all);
  call.check_pointer(size.fewer.place, "count");
  launch_sum(call, counted_sum<problem>{all, size.fewer});
}

/// Memory for the list of long sequences, from the workspace's pool.
template <class T>
class list_memory {
  static constexpr std::size_t header = 128;  // the counters, at a line of their own
  using entry = typename long_list<T>::entry;

public:
  list_memory(execution const& on, std::size_t entries)
      : on_(on),
        entries_(entries),
        bytes_(header + entries * (sizeof(accumulator<T>) + sizeof(entry) + sizeof(unsigned))),
        memory_(static_cast<std::byte*>(backend_allocate(on, bytes_)))
  {
  }
  ~list_memory() { backend_free(on_, memory_); }
  list_memory(list_memory const&) = delete;
  list_memory& operator=(list_memory const&) = delete;

  /// The list. `cleared` entries are the sums of nothing.
  long_list<T> list(prepared_call const& call, bool cleared) const
  {
    check_cuda(cudaMemsetAsync(memory_, 0, cleared ? bytes_ : header, call.stream()), "clearing memory");
    auto* const sums = reinterpret_cast<accumulator<T>*>(memory_ + header);
    auto* const entries = reinterpret_cast<entry*>(sums + entries_);
    auto* const counters = reinterpret_cast<unsigned long long*>(memory_);
    return {counters, counters + 1, entries, reinterpret_cast<unsigned*>(entries + entries_), sums};
  }

private:
  execution const& on_;
  std::size_t entries_, bytes_;
  std::byte* memory_;
};

/// Sums of `most_sequences` sequences, up to `most_long` of which may have more terms than a piece, and which have
/// `mean` terms on average.
template <class P>
void launch_sums(execution const& on, prepared_call& call, P problem, std::size_t most_sequences, std::size_t most_long,
                 std::size_t mean)
{
  using T = typename P::element;
  static std::array<void (*)(P const), 2> entry{sums_kernel<P>, long_sums_kernel<P>};
  static known_kernels known[2]{};
  constexpr std::size_t terms_at_a_time = 2048;
  problem.at_a_time = static_cast<unsigned>(
      std::clamp(terms_at_a_time / (mean + 1), std::size_t{1}, static_cast<std::size_t>(warp_lanes)));
  list_memory<T> const memory(on, most_long);
  problem.longer = memory.list(call, false);
  std::size_t const groups = (most_sequences + problem.at_a_time - 1) / problem.at_a_time;
  std::size_t const blocks =
      std::min(blocks_of(call, entry[0], sequence_threads, known[0]), (groups + sequence_warps - 1) / sequence_warps);
  detail::took("cuda: exact sums of sequences");
  launch(call, entry[0], problem, static_cast<unsigned>(blocks), sequence_threads);
  if (most_long == 0) return;
  detail::took("cuda: exact sums of long sequences");
  launch(call, entry[1], problem, static_cast<unsigned>(blocks_of(call, entry[1], sequence_threads, known[1])),
         sequence_threads);
}

/// Sums of sequences side by side, each in pieces.
template <class P>
void launch_column_sums(execution const& on, prepared_call& call, P problem, std::size_t sequences)
{
  using T = typename P::element;
  static std::array<void (*)(P const), 1> entry{column_sums_kernel<P>};
  static known_kernels known{};
  std::size_t const groups = (sequences + warp_lanes - 1) / warp_lanes;
  std::size_t const blocks = std::min(blocks_of(call, entry[0], sequence_threads, known),
                                      (groups * problem.pieces + sequence_warps - 1) / sequence_warps);
  list_memory<T> const memory(on, sequences);
  problem.longer = memory.list(call, true);
  detail::took("cuda: exact sums of columns in pieces");
  launch(call, entry[0], problem, static_cast<unsigned>(blocks), sequence_threads);
}

template <class T, class Places, class Out>
sums_problem<T, Places, Out> sums_of(Places const& places, Out out, detail::batch::ends<T> const& ends, T nothing)
{
  tuning const& by = tuning_in_use();
  return {places,
          out,
          ends.initial ? static_cast<working_type<T>>(*ends.initial) : working_type<T>{},
          ends.initial.has_value(),
          ends.initials,
          nothing,
          by.exact_terms_alone,
          by.exact_piece,
          warp_lanes,
          1,
          {}};
}

/// Exact sums of sequences of one length.
template <class T, class In, class Out>
void run_sums(execution const& on, prepared_call& call, detail::batch::layout const& where, In const* in, Out* out,
              detail::batch::ends<T> const& ends)
{
  using places = regular_places<In>;
  auto problem = sums_of<T>(places{where, in}, out, ends, T{});
  std::size_t const sequences = where.sequences(), terms = where.along.extent + (ends.has_initial() ? 1 : 0);
  auto const distance = [](std::ptrdiff_t step) { return step < 0 ? -step : step; };
  bool const side_by_side =
      where.dimensions > 0 &&
      distance(where.across[static_cast<std::size_t>(where.dimensions - 1)].step.in) < distance(where.along.step.in);
  if (!side_by_side) return launch_sums(on, call, problem, sequences, terms > problem.piece ? sequences : 0, terms);
  // Twice as many warps as run at a time.
  std::size_t const warps = static_cast<std::size_t>(call.processors()) * 2 * 24;
  std::size_t const groups = (sequences + warp_lanes - 1) / warp_lanes;
  problem.pieces = std::min((warps + groups - 1) / groups, terms / tuning_in_use().exact_column_piece + 1);
  if (problem.pieces > 1) return launch_column_sums(on, call, problem, sequences);
  problem.terms_alone = problem.piece = terms;
  launch_sums(on, call, problem, sequences, 0, 0);
}

/// Exact sums of segments. `most` bounds the number of all elements, unless it is no_bound.
template <class T, class In, class Offsets, class Out>
void run_segment_sums(execution const& on, prepared_call& call, In in, Offsets offsets, detail::element_count segments,
                      Out out, T const& nothing, detail::batch::ends<T> const& ends, bool is_bound, std::size_t most)
{
  using places = segment_places<In, Offsets>;
  auto const problem = sums_of<T>(places{in, offsets, segments}, out, ends, nothing);
  std::size_t const most_long = is_bound ? std::min(segments.most, most / problem.piece + 1) : segments.most;
  launch_sums(on, call, problem, segments.most, most_long, is_bound ? most / segments.most : 0);
}

}  // namespace tally::cuda_backend::exact
