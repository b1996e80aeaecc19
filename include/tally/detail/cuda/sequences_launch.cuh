#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/batch_problem.cuh"
#include "tally/detail/cuda/columns.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/rows_kernel.cuh"
#include "tally/detail/cuda/sequence_tiles.cuh"
#include "tally/detail/cuda/sequences_choice.hpp"

/// The kernels of a batch, and their launch. sequences_choice.hpp chooses among them.
namespace tally::cuda_backend {

template <class P>
class sequences_plan {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using stored = typename P::input::value_type;
  using result = typename P::output::value_type;

  static void launch_selected(prepared_call const& call, P const& problem)
  {
    call_means const means{call.path(), call.most_blocks(), call.capacity(), call.facts().compute_capability,
                           call.processors()};
    auto const blocks_at_once = [&](sequences_kernel which) {
      static known_kernels known[resident_sequences_kernels]{};
      launchable const& of = launchable_of(which);
      return blocks_at_a_time(call, of.entry, of.threads, of.shared_bytes, known[static_cast<std::size_t>(which)]);
    };
    sequences_choice const selected = choose(shape_of(problem), means, tuning_in_use(), blocks_at_once);
    detail::took(path_of(selected.which), selected.because);
    auto const blocks = static_cast<unsigned>(selected.blocks);
    if (selected.which == sequences_kernel::few_slots)
      launch_rows<few_slots>(call, problem, selected);
    else if (selected.which == sequences_kernel::many_slots)
      launch_rows<many_slots>(call, problem, selected);
    else if (selected.which == sequences_kernel::aligned)
      launch_aligned_rows(call, problem, selected);
    else {
      launchable const& of = launchable_of(selected.which);
      launch(call, of.entry, problem, blocks, selected.warps > 0 ? selected.warps * warp_lanes : of.threads,
             of.shared_bytes);
    }
  }

private:
  static constexpr bool narrow = std::is_arithmetic_v<W> && order::group<T> * words_of<W> <= 4;
  // The registers of a lane hold so many rows.
  static constexpr int many_slots = words_of<W> <= 2 ? 8 : words_of<W> <= 4 ? 4 : 1;
  static constexpr int few_slots = many_slots < 4 ? many_slots : 4;
  static constexpr bool may_ring = ring_memory<P>::tile_bytes <= most_ring_tile_bytes &&
                                   sizeof(ring_memory<P>) <= most_shared_bytes && std::is_trivially_copyable_v<stored>;

  template <int Slots>
  static void launch_rows(prepared_call const& call, P const& problem, sequences_choice const& selected)
  {
    rows_problem<P> const of_rows{problem, rows_shape_of<T>(problem.size, Slots), selected.rounds};
    launch(call, rows_kernel<P, Slots>, of_rows, static_cast<unsigned>(selected.blocks), selected.warps * warp_lanes);
  }

  static int aligned_slots_of(P const& problem)
  {
    tuning const& by = tuning_in_use();
    return problem.what == work::reduce ? by.aligned_slots_of_reductions : by.aligned_slots;
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
                          .fits_ring = false};
    if (many_slots == 8 && problem.where.dimensions <= 1 && problem.aligned_in &&
        (shape.reduces || problem.aligned_out) && problem.size % order::group<T> == 0)
      shape.aligned_slots = aligned_slots_of(problem);
    if constexpr (may_ring) {
      auto const first = reinterpret_cast<std::uintptr_t>(problem.in_step == -1 ? problem.in + 1 : problem.in);
      bool aligned = (problem.in_step == 1 || problem.in_step == -1) && first % 16 == 0;
      for (int d = 0; d < problem.where.dimensions; ++d)
        aligned = aligned && problem.where.steps[d].in * static_cast<std::ptrdiff_t>(sizeof(stored)) % 16 == 0;
      shape.fits_ring = aligned;
    }
    return shape;
  }

  struct launchable {
    void (*entry)(P const);
    int threads;
    std::size_t shared_bytes;
  };
  /// As `plan::launchable_of`.
  static launchable const& launchable_of(sequences_kernel which)
  {
    static std::array<launchable, sequences_kernels> all = [] {
      std::array<launchable, sequences_kernels> entries{};
      for (std::size_t k = 0; k < sequences_kernels; ++k) entries[k] = compiled(static_cast<sequences_kernel>(k));
      return entries;
    }();
    return all[static_cast<std::size_t>(which)];
  }
  static constexpr launchable compiled(sequences_kernel which)
  {
    constexpr int tile_threads = static_cast<int>(order::tile_strips) * warp_lanes;
    constexpr int blocks = narrow ? 3 : words_of<W> <= 2 ? 2 : 1;
    if constexpr (may_ring)
      if (which == sequences_kernel::ring)
        return {ring_kernel<P>, ring_memory<P>::shape::threads, sizeof(ring_memory<P>)};
    switch (which) {
      case sequences_kernel::drawn_tiles: return {drawn_tiles_kernel < P, narrow ? 2 : 1 >, tile_threads, 0};
      case sequences_kernel::reduction:
        return {reduce_sequences_kernel < P, words_of<W> <= 2 ? 3 : 2 >, reduce_threads, 0};
      case sequences_kernel::one_row: return {sequence_tiles_kernel<P, 1, 1>, 0, 0};
      case sequences_kernel::four_rows: return {sequence_tiles_kernel<P, 4, blocks>, 0, 0};
      case sequences_kernel::eight_rows: return {sequence_tiles_kernel<P, 8, blocks>, 0, 0};
      default: return {};
    }
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
                  .shared = call.shared(),
                  .words = call.words(),
                  .capacity = call.capacity()};
  sequences_plan<P>::launch_selected(call, problem);
}

}  // namespace tally::cuda_backend
