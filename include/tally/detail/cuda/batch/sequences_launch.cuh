#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/batch/columns.cuh"
#include "tally/detail/cuda/batch/row_spans.cuh"
#include "tally/detail/cuda/batch/row_totals.cuh"
#include "tally/detail/cuda/batch/rows_kernel.cuh"
#include "tally/detail/cuda/batch/sequence_tiles.cuh"
#include "tally/detail/cuda/batch/sequences_choice.hpp"
#include "tally/detail/cuda/launch.cuh"

/// The kernels of a batch, and their launch. sequences_choice.hpp chooses among them.
namespace tally::cuda_backend {

template <class P>
class sequences_plan {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using stored = typename P::input::value_type;
  using result = typename P::output::value_type;

  static void launch_selected(prepared_call const& call, P const& problem)
  {
    call_means const means{call.path(), call.most_blocks(), call.capacity(), call.facts().compute_capability,
                           call.processors()};
    bool const anywhere = is_anywhere(problem), forwards = is_forwards(problem);
    auto const blocks_at_once = [&](sequences_kernel which) {
      static known_kernels known[3][resident_sequences_kernels]{};
      auto const at_a_time = [&](auto const& of, int kind) {
        return blocks_at_a_time(call, of.entry, of.threads, of.shared_bytes,
                                known[kind][static_cast<std::size_t>(which)]);
      };
      if constexpr (may_ring) {
        if constexpr (may_shift)
          if (which == sequences_kernel::ring && anywhere) return at_a_time(launchable_of<shifted>(which), 1);
        if (which == sequences_kernel::ring && forwards) return at_a_time(launchable_of<forward>(which), 2);
      }
      return at_a_time(launchable_of<P>(which), 0);
    };
    sequences_choice const selected = choose(shape_of(problem), means, tuning_in_use(), blocks_at_once);
    detail::took(path_of(selected.which), selected.because);
    if (selected.which == sequences_kernel::few_slots)
      launch_rows<few_slots>(call, problem, selected);
    else if (selected.which == sequences_kernel::many_slots)
      launch_rows<many_slots>(call, problem, selected);
    else if (selected.which == sequences_kernel::aligned)
      launch_aligned_rows(call, problem, selected);
    else if (selected.which == sequences_kernel::spans)
      launch_spans(call, problem, selected);
    else if (selected.which == sequences_kernel::totals)
      launch_totals(call, problem, selected);
    else if (!(anywhere && launch_as<shifted>(call, problem, selected)) &&
             !(forwards && launch_as<forward>(call, problem, selected)))
      launch_as<P>(call, problem, selected);
  }

private:
  static constexpr bool narrow = std::is_arithmetic_v<W> && order::group<T> * words_of<W> <= 4;
  // The registers of a lane hold so many rows.
  static constexpr int many_slots = words_of<W> <= 2 ? 8 : words_of<W> <= 4 ? 4 : 1;
  static constexpr int few_slots = many_slots < 4 ? many_slots : 4;
  static constexpr bool may_ring = ring_memory<P>::tile_bytes <= most_ring_tile_bytes &&
                                   sizeof(ring_memory<P>) <= most_shared_bytes && std::is_trivially_copyable_v<stored>;

  // Groups that need not be aligned fill words of memory.
  static constexpr bool may_shift =
      can_shift<stored, static_cast<int>(order::group<T>)> && can_shift<result, static_cast<int>(order::group<T>)>;
  static constexpr bool may_span = may_shift && many_slots == span_slots && std::is_same_v<stored, result>;
  static constexpr bool may_total =
      many_slots == totals_slots && can_shift<stored, static_cast<int>(order::group<T>)> && has_identity<Op, W>;
  using shifted = shifted_problem<P>;
  using forward = forward_problem<P>;

  template <int Slots>
  static void launch_rows(prepared_call const& call, P const& problem, sequences_choice const& selected)
  {
    rows_problem<P> const of_rows{problem, rows_shape_of<T>(problem.size, Slots), selected.rounds};
    launch(call, rows_kernel<P, Slots>, of_rows, static_cast<unsigned>(selected.blocks), selected.warps * warp_lanes);
  }

  static void launch_spans(prepared_call const& call, P const& problem, sequences_choice const& selected)
  {
    if constexpr (may_span) {
      spans_problem<P> const of_spans{problem, rows_shape_of<T>(problem.size, span_slots)};
      bool const starts = problem.init.is_present || problem.initials != nullptr;
      bool const backwards = problem.in_step < 0, reduces = problem.what == work::reduce,
                 exclusive = problem.what == work::exclusive_scan;
      bool const one = of_spans.shape.rows == 1;
      bool const any = problem.lasts != nullptr || (backwards && (starts || reduces || exclusive)) ||
                       (starts && !exclusive) || (reduces && !one);
      auto const launch_it = [&](void (*kernel)(spans_problem<P> const)) {
        launch(call, kernel, of_spans, static_cast<unsigned>(selected.blocks), selected.warps * warp_lanes);
      };
      if (one && reduces && !any) return launch_it(spans_kernel<P, true, span_call::reduction>);
      auto const as = [&]<span_call Call>(std::integral_constant<span_call, Call>) {
        launch_it(one ? spans_kernel<P, true, Call> : spans_kernel<P, false, Call>);
      };
      if (any)
        as(std::integral_constant<span_call, span_call::any>{});
      else if (exclusive)
        as(std::integral_constant<span_call, span_call::exclusive>{});
      else if (backwards)
        as(std::integral_constant<span_call, span_call::backwards>{});
      else
        as(std::integral_constant<span_call, span_call::inclusive>{});
    }
  }

  static void launch_totals(prepared_call const& call, P const& problem, sequences_choice const& selected)
  {
    if constexpr (may_total) {
      std::ptrdiff_t const across = problem.where.steps[0].in * static_cast<std::ptrdiff_t>(sizeof(stored));
      totals_problem<P> const of_totals{problem, totals_shape_of<T>(problem.size, across)};
      launch(call, of_totals.shape.slots == 1 ? row_totals_kernel<P, true> : row_totals_kernel<P, false>, of_totals,
             static_cast<unsigned>(selected.blocks), selected.warps * warp_lanes);
    }
  }

  static bool is_forwards(P const& problem)
  {
    return problem.in_step == 1 && problem.out_step == 1 && problem.aligned_in && problem.aligned_out;
  }
  /// Whether groups may lie anywhere among neighbouring elements.
  static bool is_anywhere(P const& problem)
  {
    bool const scans = problem.what != work::reduce;
    return may_shift && problem.in_step == 1 && (!scans || problem.out_step == 1) &&
           !(problem.aligned_in && (!scans || problem.aligned_out));
  }

  /// Launches the kernel that is compiled for batches of type Q, if there is one.
  template <class Q>
  static bool launch_as(prepared_call const& call, P const& problem, sequences_choice const& selected)
  {
    launchable<Q> const& of = launchable_of<Q>(selected.which);
    if (of.entry == nullptr) return false;
    int const threads = selected.warps > 0 ? selected.warps * warp_lanes : of.threads;
    launch(call, of.entry, Q{problem}, static_cast<unsigned>(selected.blocks), threads, of.shared_bytes);
    return true;
  }

  static int aligned_slots_of(P const& problem)
  {
    tuning const& by = tuning_in_use();
    return problem.what == work::reduce && order::group<T> == 4 ? by.aligned_slots_of_reductions : by.aligned_slots;
  }

  static void launch_aligned_rows(prepared_call const& call, P const& problem, sequences_choice const& selected)
  {
    bool const many = aligned_slots_of(problem) > 4;
    rows_problem<P> const of_rows{problem, rows_shape_of<T>(problem.size, many_slots), 1};
    auto const launch_it = [&](void (*kernel)(rows_problem<P> const)) {
      launch(call, kernel, of_rows, static_cast<unsigned>(selected.blocks), selected.warps * warp_lanes);
    };
    int const rows = of_rows.shape.rows;
    if constexpr (many_slots == 8) {
      if (rows > 4) return launch_it(aligned_rows_kernel<P, 8, 8>);
      if (many && rows == 1) return launch_it(aligned_rows_kernel<P, 8, 1>);
      if (many && rows == 2) return launch_it(aligned_rows_kernel<P, 8, 2>);
      if (many) return launch_it(aligned_rows_kernel<P, 8, 4>);
      if (rows > 2) return launch_it(aligned_rows_kernel<P, 4, 4>);
      if (rows > 1) return launch_it(aligned_rows_kernel<P, 4, 2>);
      launch_it(aligned_rows_kernel<P, 4, 1>);
    }
  }

  static sequences_shape shape_of(P const& problem)
  {
    sequences_shape shape{.size = problem.size,
                          .sequences = problem.sequences,
                          .row = order::row<T>,
                          .tile = order::tile<T>,
                          .few_slots = few_slots,
                          .many_slots = many_slots,
                          .reduces = problem.what == work::reduce,
                          .aligned_slots = 0,
                          .is_span = false,
                          .has_totals = false,
                          .are_neighbours = false,
                          .fits_ring = false};
    if (many_slots == 8 && problem.where.dimensions <= 1 && problem.aligned_in &&
        (shape.reduces || problem.aligned_out) && problem.size % order::group<T> == 0)
      shape.aligned_slots = aligned_slots_of(problem);
    if constexpr (may_span) {
      auto const size = static_cast<std::ptrdiff_t>(problem.size);
      auto const has_no_gaps = [&](std::ptrdiff_t step, std::ptrdiff_t across) {
        return (step == 1 || step == -1) && (across == size || problem.where.dimensions == 0);
      };
      distances const& across = problem.where.steps[0];
      shape.is_span =
          problem.where.dimensions <= 1 && has_no_gaps(problem.in_step, across.in) &&
          (shape.reduces || (problem.out_step == problem.in_step && has_no_gaps(problem.out_step, across.out)));
    }
    distances const& apart = problem.where.steps[0];
    auto const is_near = [&](std::ptrdiff_t step, std::ptrdiff_t across) {
      constexpr std::ptrdiff_t most = std::ptrdiff_t{1} << 27;
      return problem.where.dimensions <= 1 && (step == 1 || step == -1) && -most < across && across < most;
    };
    shape.has_totals = may_total && shape.reduces && is_near(problem.in_step, apart.in);
    shape.are_neighbours =
        may_shift && !shape.reduces && (is_anywhere(problem) || (problem.aligned_in && problem.aligned_out));
    if constexpr (may_ring) {
      auto const first = reinterpret_cast<std::uintptr_t>(problem.in_step == -1 ? problem.in + 1 : problem.in);
      bool aligned = (problem.in_step == 1 || problem.in_step == -1) && first % 16 == 0;
      for (int d = 0; d < problem.where.dimensions; ++d)
        aligned = aligned && problem.where.steps[d].in * static_cast<std::ptrdiff_t>(sizeof(stored)) % 16 == 0;
      shape.fits_ring = aligned || is_anywhere(problem);
    }
    return shape;
  }

  template <class Q>
  struct launchable {
    void (*entry)(Q const);
    int threads;
    std::size_t shared_bytes;
  };
  /// As `plan::launchable_of`. A kernel that is not compiled for batches of type Q has no entry.
  template <class Q>
  static launchable<Q> const& launchable_of(sequences_kernel which)
  {
    static std::array<launchable<Q>, sequences_kernels> all = [] {
      std::array<launchable<Q>, sequences_kernels> entries{};
      for (std::size_t k = 0; k < sequences_kernels; ++k) entries[k] = compiled<Q>(static_cast<sequences_kernel>(k));
      return entries;
    }();
    return all[static_cast<std::size_t>(which)];
  }
  template <class Q>
  static constexpr launchable<Q> compiled(sequences_kernel which)
  {
    constexpr int tile_threads = static_cast<int>(order::tile_strips) * warp_lanes;
    constexpr int blocks = narrow ? 3 : words_of<W> <= 2 ? 2 : 1;
    constexpr int reducing_blocks = words_of<W> <= 2 ? 3 : 2;
    // Eight rows are quicker than four for floats (rows of 1001 reach .97 of the copy for .93), not for halves.
    constexpr int scanned_by_a_warp = order::group<T> == 4 ? 8 : 4, scanning_blocks = words_of<W> == 1 ? 3 : 2;
    constexpr bool usable = may_shift || !std::is_same_v<Q, shifted>;
    if constexpr (usable && may_ring)
      if (which == sequences_kernel::ring)
        return {ring_kernel<Q>, ring_memory<Q>::shape::threads, sizeof(ring_memory<Q>)};
    if constexpr (usable && !std::is_same_v<Q, forward>) {
      if constexpr (may_shift)
        if (which == sequences_kernel::scanning_warps)
          return {scan_by_warps_kernel<Q, scanned_by_a_warp, scanning_blocks>, reduce_threads, 0};
      switch (which) {
        case sequences_kernel::reduction: return {reduce_sequences_kernel<Q, reducing_blocks>, reduce_threads, 0};
        case sequences_kernel::warps: return {reduce_by_warps_kernel<Q, reducing_blocks>, reduce_threads, 0};
        case sequences_kernel::four_rows: return {sequence_tiles_kernel<Q, 4, blocks>, 0, 0};
        case sequences_kernel::eight_rows: return {sequence_tiles_kernel<Q, 8, blocks>, 0, 0};
        default: break;
      }
    }
    if constexpr (std::is_same_v<Q, P>) {
      if (which == sequences_kernel::drawn_tiles) return {drawn_tiles_kernel < P, narrow ? 2 : 1 >, tile_threads, 0};
      if (which == sequences_kernel::one_row) return {sequence_tiles_kernel<P, 1, 1>, 0, 0};
    }
    return {};
  }
};

/// Whether each sequence's groups can be read or written whole.
template <class T, class S>
bool aligned_in_all(detail::batch::layout const& where, S* first, std::ptrdiff_t step,
                    std::ptrdiff_t detail::batch::distances::* array)
{
  if (!aligned_for_groups<T>(strided<S>{first, step})) return false;
  using word = typename packed_group<std::remove_const_t<S>, static_cast<int>(order::group<T>)>::word;
  for (int d = 0; d < where.dimensions; ++d)
    if (where.across[static_cast<std::size_t>(d)].step.*array * static_cast<std::ptrdiff_t>(sizeof(S)) %
            static_cast<std::ptrdiff_t>(alignof(word)) !=
        0)
      return false;
  return true;
}

/// The lowest and the greatest distance of an element from the first one, in one of the arrays.
inline std::pair<std::ptrdiff_t, std::ptrdiff_t> extremes_of(detail::batch::layout const& where,
                                                             std::ptrdiff_t detail::batch::distances::* array)
{
  std::pair<std::ptrdiff_t, std::ptrdiff_t> result{0, 0};
  auto const widen = [&](detail::batch::dimension const& along) {
    std::ptrdiff_t const most = static_cast<std::ptrdiff_t>(along.extent - 1) * (along.step.*array);
    (most < 0 ? result.first : result.second) += most;
  };
  widen(where.along);
  for (int d = 0; d < where.dimensions; ++d) widen(where.across[static_cast<std::size_t>(d)]);
  return result;
}

/// Runs a call on a batch whose kernel is compiled with the calling code. Reductions have no `lasts`.
template <class T, class In, class Out, class Op>
void run(prepared_call& call, work what, detail::batch::layout const& where, In const* in, Out* out,
         detail::batch::ends<T> const& ends, Op const& op)
{
  using W = working_type<T>;
  using P = batch_problem<T, Op, In, Out>;
  static_assert(sizeof(W) <= 96,
                "tally: on a GPU an element is combined in at most 96 bytes: shared memory holds no more");
  if (run_columns(call, what, where, in, out, ends, op)) return;
  std::size_t const size = where.along.extent, sequences = where.sequences();
  std::size_t const tiles_each = (size + order::tile<T> - 1) / order::tile<T>;
  constexpr std::size_t most_tiles = folder_ticket - 1;
  if (tiles_each > 1 && sequences > most_tiles / tiles_each)
    throw usage_error("tally: a call on a GPU takes fewer than 2^31 tiles of 32 KiB");
  bool const reduces = what == work::reduce;
  if (size > std::min(tuning_in_use().ring_strips, order::tile_strips) * order::strip<T>)
    call.reserve_words(sequences * (tiles_each * words_of<W> + (reduces ? 1 : 0)));
  std::ptrdiff_t const in_step = size == 1 ? 1 : where.along.step.in;
  std::ptrdiff_t const out_step = size == 1 ? 1 : where.along.step.out;
  auto const extremes = extremes_of(where, &detail::batch::distances::in);
  P const problem{.in = in,
                  .out = out,
                  .size = size,
                  .sequences = sequences,
                  .in_step = in_step,
                  .out_step = out_step,
                  .where = batch_places(where),
                  .aligned_in = aligned_in_all<T>(where, in, in_step, &detail::batch::distances::in),
                  .aligned_out = !reduces && aligned_in_all<T>(where, out, out_step, &detail::batch::distances::out),
                  .init = initial<T, Op>(ends.initial ? &*ends.initial : nullptr),
                  .initials = ends.initials,
                  .lasts = reduces ? nullptr : ends.lasts,
                  .tiles_each = static_cast<std::uint32_t>(tiles_each),
                  .folded_by_a_warp = tiles_each <= tuning_in_use().totals_by_a_warp,
                  .op = op,
                  .transform = {},
                  .what = what,
                  .in_begin = in + extremes.first,
                  .in_end = in + extremes.second + 1,
                  .shared = call.shared(),
                  .words = call.words(),
                  .capacity = call.capacity()};
  sequences_plan<P>::launch_selected(call, problem);
}

}  // namespace tally::cuda_backend
