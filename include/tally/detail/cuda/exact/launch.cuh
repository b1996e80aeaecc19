#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/exact/column_pairs.cuh"
#include "tally/detail/cuda/exact/pair_launch.cuh"
#include "tally/detail/cuda/exact/reduce_kernel.cuh"
#include "tally/detail/cuda/exact/scan_kernel.cuh"
#include "tally/detail/cuda/exact/sequences_kernel.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/path.hpp"

/// The kernels of exact sums, and their launch.
namespace tally::cuda_backend::exact {

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
  constexpr std::size_t words = sum_of_blocks<typename P::element>::words;
  call.reserve_words(blocks > 1 && call.can_grow() ? words : 0);
  if (call.capacity() < words) blocks = 1;
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

/// Memory for the list of long sequences.
template <class T>
class list_memory {
  static constexpr std::size_t header = 128;  // the counters, at a line of their own
  using entry = typename long_list<T>::entry;

public:
  list_memory(execution const& on, std::size_t entries)
      : entries_(entries),
        memory_(on, header + entries * (sizeof(accumulator<T>) + sizeof(entry) + sizeof(unsigned)))
  {
  }

  /// The list, whose entries are not cleared.
  long_list<T> list(prepared_call const& call) const
  {
    std::byte* const memory = memory_.begin();
    check_cuda(cudaMemsetAsync(memory, 0, header, call.stream()), "clearing memory");
    auto* const sums = reinterpret_cast<accumulator<T>*>(memory + header);
    auto* const entries = reinterpret_cast<entry*>(sums + entries_);
    auto* const counters = reinterpret_cast<unsigned long long*>(memory);
    return {counters, counters + 1, entries, reinterpret_cast<unsigned*>(entries + entries_), sums};
  }

private:
  std::size_t entries_;
  pool_bytes memory_;
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
  problem.longer = memory.list(call);
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

/// The words of sums by pairs of columns: the flag, and the sums of pieces.
class column_pairs_memory {
  static constexpr std::size_t header = 128;

public:
  column_pairs_memory(execution const& on, prepared_call const& call, std::size_t pieces)
      : memory_(on, header + pieces * sizeof(pair_sum))
  {
    check_cuda(cudaMemsetAsync(memory_.begin(), 0, sizeof(unsigned), call.stream()), "clearing memory");
  }
  unsigned* failed() const { return reinterpret_cast<unsigned*>(memory_.begin()); }
  pair_sum* of_pieces() const { return reinterpret_cast<pair_sum*>(memory_.begin() + header); }

private:
  pool_bytes memory_;
};

/// Sums of sequences side by side by pairs. Returns the word that is not 0 behind it if pairs have not told all sums.
template <class P>
unsigned const* launch_column_pairs(execution const& on, prepared_call& call,
                                    std::optional<column_pairs_memory>& memory, P const& sums, std::size_t sequences)
{
  using problem = column_pairs_problem<P>;
  static std::array<void (*)(problem const), 2> entry{column_pairs_kernel<problem>, column_pieces_kernel<problem>};
  static known_kernels known{};
  std::size_t const pieces = sums.pieces, groups = (sequences + warp_lanes - 1) / warp_lanes;
  memory.emplace(on, call, pieces > 1 ? sequences * pieces : 0);
  problem all{sums, memory->of_pieces(), memory->failed()};
  std::size_t const blocks = std::min(blocks_of(call, entry[0], sequence_threads, known),
                                      (groups * pieces + sequence_warps - 1) / sequence_warps);
  detail::took(pieces > 1 ? "cuda: exact sums of columns by pairs, in pieces" : "cuda: exact sums of columns by pairs");
  launch(call, entry[0], all, static_cast<unsigned>(blocks), sequence_threads);
  if (pieces > 1) {
    all.at_a_time = lanes_of_pieces(pieces);
    launch(call, entry[1], all,
           static_cast<unsigned>((sequences * all.at_a_time + sequence_threads - 1) / sequence_threads),
           sequence_threads);
  }
  return all.failed;
}

/// Sums of sequences side by side by levels, each in pieces.
template <class P>
void launch_column_sums(execution const& on, prepared_call& call, P problem, std::size_t sequences)
{
  using T = typename P::element;
  static std::array<void (*)(P const), 2> entry{column_sums_kernel<P>, clear_column_sums_kernel<P>};
  static known_kernels known{};
  std::size_t const groups = (sequences + warp_lanes - 1) / warp_lanes;
  std::size_t const blocks = std::min(blocks_of(call, entry[0], sequence_threads, known),
                                      (groups * problem.pieces + sequence_warps - 1) / sequence_warps);
  list_memory<T> const memory(on, sequences);
  problem.longer = memory.list(call);
  detail::took("cuda: exact sums of columns in pieces");
  launch(call, entry[1], problem, static_cast<unsigned>(blocks), sequence_threads);
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
          {},
          nullptr};
}

/// The pieces of each of the sequences side by side that lanes add up: enough for twice as many warps as run at a time.
inline std::size_t pieces_of_columns(prepared_call const& call, std::size_t groups, std::size_t terms)
{
  std::size_t const warps = static_cast<std::size_t>(call.processors()) * 2 * 24;
  return std::min((warps + groups - 1) / groups, terms / tuning_in_use().exact_column_piece + 1);
}

/// Exact sums of sequences of one length.
template <class T, class In, class Out>
void run_sums(execution const& on, prepared_call& call, detail::batch::layout const& where, In const* in, Out* out,
              detail::batch::ends<T> const& ends)
{
  using places = regular_places<In>;
  auto problem = sums_of<T>(places{where, in}, out, ends, T{});
  std::size_t const sequences = where.sequences(), terms = where.along.extent + (ends.has_initial() ? 1 : 0);
  std::optional<pairs_memory> pairs;
  if (can_sum_pairs(ends, where.along.extent) && where.dimensions == 1 &&
      are_neighbours(where, [](auto const& step) { return step.in; }))
    problem.only_if =
        sum_pairs<T>(on, call, pairs, in, sequences * where.along.extent, out,
                     sequences_of_one_length{where.along.extent, sequences, where.across[0].step.out}, ends, T{});
  auto const distance = [](std::ptrdiff_t step) { return step < 0 ? -step : step; };
  bool const side_by_side =
      where.dimensions > 0 &&
      distance(where.across[static_cast<std::size_t>(where.dimensions - 1)].step.in) < distance(where.along.step.in);
  if (side_by_side) problem.pieces = pieces_of_columns(call, (sequences + warp_lanes - 1) / warp_lanes, terms);
  std::optional<column_pairs_memory> of_columns;
  if (side_by_side && sequences * where.along.extent >= pairs_tuning_in_use().least_in_columns)
    problem.only_if = launch_column_pairs(on, call, of_columns, problem, sequences);
  if (ends_with_pairs(problem.only_if)) return;
  if (!side_by_side) return launch_sums(on, call, problem, sequences, terms > problem.piece ? sequences : 0, terms);
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
  auto problem = sums_of<T>(places{in, offsets, segments}, out, ends, nothing);
  std::optional<pairs_memory> pairs;
  if (is_bound && can_sum_pairs(ends, most / segments.most))
    problem.only_if = sum_pairs<T>(on, call, pairs, in, most, out,
                                   sequences_between<Offsets>{offsets, segments, nullptr, nullptr}, ends, nothing);
  if (ends_with_pairs(problem.only_if)) return;
  std::size_t const most_long = is_bound ? std::min(segments.most, most / problem.piece + 1) : segments.most;
  launch_sums(on, call, problem, segments.most, most_long, is_bound ? most / segments.most : 0);
}

/// Memory of a scan, from the workspace's pool.
template <class T>
class scan_memory {
  static constexpr std::size_t header = 128;
  using entry = typename long_list<T>::entry;
  using sums = piece_sums<T>;

public:
  scan_memory(execution const& on, std::size_t entries, std::size_t pieces)
      : entries_(entries),
        pieces_(pieces),
        memory_(on, header + entries * sizeof(entry) +
                        (pieces + (pieces + sums::block - 1) / sums::block) * sums::words * sizeof(long long))
  {
  }
  long_list<T> list(prepared_call const& call) const
  {
    check_cuda(cudaMemsetAsync(memory_.begin(), 0, header, call.stream()), "clearing memory");
    auto* const counters = reinterpret_cast<unsigned long long*>(memory_.begin());
    return {counters, counters + 1, reinterpret_cast<entry*>(memory_.begin() + header), nullptr, nullptr};
  }
  sums of_pieces() const
  {
    auto* const first = reinterpret_cast<long long*>(memory_.begin() + header + entries_ * sizeof(entry));
    return {first, first + pieces_ * sums::words};
  }

private:
  std::size_t entries_, pieces_;
  pool_bytes memory_;
};

/// Scans `most_sequences` sequences, up to `most_long` of which may be long, with up to `most_pieces` pieces; they have
/// `mean` terms on average.
template <class P>
void launch_scans(execution const& on, prepared_call& call, P problem, std::size_t most_sequences,
                  std::size_t most_long, std::size_t most_pieces, std::size_t mean)
{
  using T = typename P::element;
  static std::array<void (*)(P const), 5> entry{scans_kernel<P>, piece_sums_kernel<P>, sums_in_blocks_kernel<P>,
                                                sums_of_blocks_kernel<P>, long_scans_kernel<P>};
  static known_kernels known[5]{};
  constexpr std::size_t terms_at_a_time = 1024;
  problem.at_a_time = static_cast<unsigned>(
      std::clamp(terms_at_a_time / (mean + 1), std::size_t{1}, static_cast<std::size_t>(warp_lanes)));
  scan_memory<T> const memory(on, most_long, most_pieces);
  problem.longer = memory.list(call);
  problem.sums = memory.of_pieces();
  auto const start = [&](int which, std::size_t most_blocks, int threads) {
    std::size_t const blocks = std::min(blocks_of(call, entry[static_cast<std::size_t>(which)], threads, known[which]),
                                        std::max(most_blocks, std::size_t{1}));
    launch(call, entry[static_cast<std::size_t>(which)], problem, static_cast<unsigned>(blocks), threads);
  };
  constexpr auto warps = static_cast<std::size_t>(sequence_warps);
  std::size_t const groups = (most_sequences + problem.at_a_time - 1) / problem.at_a_time;
  detail::took("cuda: exact scans of sequences");
  start(0, (groups + warps - 1) / warps, sequence_threads);
  if (most_long == 0) return;
  detail::took("cuda: exact scans of long sequences");
  constexpr int word_threads = (piece_sums<T>::words + warp_lanes - 1) / warp_lanes * warp_lanes;
  start(1, (most_pieces + warps - 1) / warps, sequence_threads);
  start(2, (most_pieces + piece_sums<T>::block - 1) / piece_sums<T>::block, word_threads);
  start(3, 1, word_threads);
  start(4, (most_pieces + warps - 1) / warps, sequence_threads);
}

template <class T, class Places, class Out>
scan_problem<T, Places, Out> scans_of(Places const& places, Out out, detail::batch::ends<T> const& ends, T nothing,
                                      bool is_exclusive)
{
  tuning const& by = tuning_in_use();
  return {places,
          out,
          ends.initial ? static_cast<working_type<T>>(*ends.initial) : working_type<T>{},
          ends.initial.has_value(),
          ends.initials,
          ends.lasts,
          nothing,
          is_exclusive,
          by.exact_terms_alone,
          by.exact_piece_of_scans,
          warp_lanes,
          {},
          {},
          nullptr};
}

/// The exact scan of an array.
template <class T, class In, class Out, class Transform>
void run_scan(execution const& on, prepared_call& call, In in, detail::element_count size, Out out,
              std::optional<T> const& init, Transform const& transform, bool is_exclusive)
{
  if (size.most == 0) return;
  if (size.fewer.place != nullptr) call.check_pointer(size.fewer.place, "count");
  detail::batch::ends<T> ends;
  ends.initial = init;
  using places = array_places<In, Transform>;
  auto problem = scans_of<T>(places{in, size, transform}, out, ends, T{}, is_exclusive);
  std::optional<pairs_memory> pairs;
  if (can_scan_pairs(ends, is_exclusive))
    problem.only_if =
        scan_pairs<T>(on, call, pairs, in, size.most, out, transform, one_sequence{size}, ends, is_exclusive);
  if (ends_with_pairs(problem.only_if)) return;
  std::size_t const pieces = (size.most + problem.piece - 1) / problem.piece;
  launch_scans(on, call, problem, 1, size.most > problem.piece ? 1 : 0, pieces, size.most);
}

/// Scans sequences of one length.
template <class P>
void launch_scans(execution const& on, prepared_call& call, P problem, detail::batch::layout const& where)
{
  std::size_t const sequences = where.sequences(), terms = where.along.extent;
  auto const distance = [](std::ptrdiff_t step) { return step < 0 ? -step : step; };
  bool const side_by_side =
      where.dimensions > 0 &&
      distance(where.across[static_cast<std::size_t>(where.dimensions - 1)].step.out) < distance(where.along.step.out);
  // A lane for each of many columns; few are cut into pieces like rows.
  if (side_by_side && sequences >= tuning_in_use().exact_columns_scanned) {
    problem.terms_alone = problem.piece = terms;
    return launch_scans(on, call, problem, sequences, 0, 0, 0);
  }
  std::size_t const pieces = sequences * ((terms + problem.piece - 1) / problem.piece);
  bool const are_long = terms > problem.piece;
  launch_scans(on, call, problem, sequences, are_long ? sequences : 0, are_long ? pieces : 0, terms);
}

/// Exact scans of sequences of one length.
template <class T, class In, class Out>
void run_scans(execution const& on, prepared_call& call, detail::batch::layout const& where, In const* in, Out* out,
               detail::batch::ends<T> const& ends, bool is_exclusive)
{
  auto problem = scans_of<T>(regular_places<In>{where, in}, out, ends, T{}, is_exclusive);
  std::size_t const sequences = where.sequences(), terms = where.along.extent;
  std::optional<pairs_memory> pairs;
  if (can_scan_pairs(ends, is_exclusive) && are_neighbours(where, [](auto const& step) { return step.in; }) &&
      are_neighbours(where, [](auto const& step) { return step.out; }))
    problem.only_if = scan_pairs<T>(on, call, pairs, in, sequences * terms, out, std::identity{},
                                    sequences_of_one_length{terms, sequences, 0}, ends, is_exclusive);
  if (ends_with_pairs(problem.only_if)) return;
  launch_scans(on, call, problem, where);
}

/// Exact scans of segments. `most` bounds the number of all elements, unless it is no bound: then no segment is cut
/// into pieces.
template <bool FromBack, class T, class In, class Offsets, class Out>
void run_segment_scans(execution const& on, prepared_call& call, In in, Offsets offsets, detail::element_count segments,
                       Out out, T const& nothing, detail::batch::ends<T> const& ends, bool is_exclusive, bool is_bound,
                       std::size_t most)
{
  using places = segment_places<In, Offsets, FromBack>;
  auto problem = scans_of<T>(places{in, offsets, segments}, out, ends, nothing, is_exclusive);
  if (!is_bound) {
    problem.piece = ~std::size_t{};
    return launch_scans(on, call, problem, segments.most, 0, 0, 0);
  }
  std::optional<pairs_memory> pairs;
  if constexpr (!FromBack) {
    if (can_scan_pairs(ends, is_exclusive))
      problem.only_if =
          scan_pairs<T>(on, call, pairs, in, most, out, std::identity{},
                        sequences_between<Offsets>{offsets, segments, nullptr, nullptr}, ends, is_exclusive);
  }
  if (ends_with_pairs(problem.only_if)) return;
  std::size_t const most_long = std::min(segments.most, most / problem.piece + 1);
  launch_scans(on, call, problem, segments.most, most_long, most / problem.piece + most_long, most / segments.most);
}

}  // namespace tally::cuda_backend::exact
