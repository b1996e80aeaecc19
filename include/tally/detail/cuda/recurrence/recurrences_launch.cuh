#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/batch/sequences_launch.cuh"
#include "tally/detail/cuda/check.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/recurrence/choice.hpp"
#include "tally/detail/cuda/recurrence/columns_kernel.cuh"
#include "tally/detail/cuda/recurrence/gradient_problem.cuh"
#include "tally/detail/cuda/recurrence/recurrences.hpp"
#include "tally/detail/cuda/recurrence/repair_kernel.cuh"
#include "tally/detail/cuda/recurrence/rows_kernel.cuh"
#include "tally/detail/cuda/recurrence/tiles_kernel.cuh"
#include "tally/detail/path.hpp"
#include "tally/error.hpp"

namespace tally::cuda_backend {

/// The kernels of recurrences of T, and their launch.
template <class T>
class recurrences_plan {
public:
  using problem = recurrence_problem<T>;

  static void run(prepared_call& call, detail::batch::layout const& where, recurrence_arrays<T> const& arrays,
                  detail::batch::ends<T> const& ends)
  {
    counted(where.sequences());
    problem p = problem_of(where, arrays, ends);
    bool const in_place = arrays.out == arrays.a || arrays.out == arrays.b;
    auto const is_one = [](std::ptrdiff_t step) { return step == 1 || step == -1; };
    bool const are_rows = is_one(p.out_step) && is_one(p.b_step) && (p.a_step == 0 || is_one(p.a_step));
    bool const are_dense = p.neighbours == 1 || ((p.a_step == 0 || p.a_dense) && p.b_dense && p.out_dense);
    recurrences_shape const shape{.size = p.size,
                                  .tile = problem::tile,
                                  .sequences = p.sequences,
                                  .neighbours = p.neighbours,
                                  .bytes = sizeof(T),
                                  .are_rows = are_rows,
                                  .are_short_gapped =
                                      !are_dense && p.size * 2 <= static_cast<std::size_t>(problem::row)};
    recurrence_choice const selected = choose(shape, call.processors(), tuning_in_use());
    detail::took(selected.path, selected.because);
    switch (selected.which) {
      case recurrence_kernel::rows: return launch_rows(call, p);
      case recurrence_kernel::tiles: return launch_tiles(call, p, in_place);
      case recurrence_kernel::columns: return launch_columns<warp_lanes>(call, p, in_place);
      case recurrence_kernel::narrow_columns: return launch_columns<warp_lanes / 2>(call, p, in_place);
      case recurrence_kernel::wide_columns:
        if constexpr (sizeof(T) <= 4) launch_columns<2 * warp_lanes>(call, p, in_place);
    }
  }

  /// Writes gradients along memory, each by a warp. Returns false, and does nothing, if others are better.
  static bool run_gradients(prepared_call& call, detail::batch::gradients<T> given)
  {
    simplify_both(given.states, given.products);
    detail::batch::distances const& along = given.states.along.step;
    std::size_t const size = given.states.along.extent, sequences = given.states.sequences();
    if (sequences >= folder_ticket) return false;
    std::ptrdiff_t const one_less = size == 1 ? 0 : 1, shift = one_less * along.coefficients;
    detail::batch::ends<T> ends;
    ends.initial.emplace(T(0.0f));
    ends.lasts = given.to_befores;
    gradient_problem<T> p{problem_of(given.states, {given.a - shift, T(0.0f), given.above, given.to_b}, ends),
                          nullptr,
                          nullptr,
                          1,
                          1,
                          batch_places(given.products)};
    p.a_begin += shift;
    p.a_end += shift;
    p.last_a = static_cast<std::ptrdiff_t>(size - 1) * along.coefficients + shift;
    detail::batch::dimension const none{1, {}};
    auto const& inner = given.products.dimensions == 0 ? none : given.products.across[given.products.dimensions - 1];
    auto const is_dense = [&](std::ptrdiff_t across) { return across == static_cast<std::ptrdiff_t>(size); };
    p.states_step = size == 1 ? 1 : given.products.along.step.in;
    p.products_step = size == 1 ? 1 : given.products.along.step.out;
    auto const of_states = extremes_of(given.products, &distances::in);
    p.states = given.y + one_less * p.states_step;
    p.states_begin = given.y + of_states.first;
    p.states_end = given.y + of_states.second + 1;
    p.products = given.to_a;
    p.states_across = inner.step.in;
    p.products_across = inner.step.out;
    p.first_state_across = inner.step.initial;
    p.states_dense = is_dense(inner.step.in);
    p.products_dense = is_dense(inner.step.out);
    p.states_groups = are_groups(given.products, p.states, p.states_step, &distances::in);
    p.products_groups = are_groups(given.products, p.products, p.products_step, &distances::out);
    p.first_state = given.before;
    p.first_states = given.befores;
    auto const is_one = [](std::ptrdiff_t step) { return step == 1 || step == -1; };
    bool const are_rows = is_one(p.out_step) && is_one(p.b_step) && is_one(p.states_step) && is_one(p.products_step) &&
                          (p.a_step == 0 || is_one(p.a_step));
    bool const are_dense = p.neighbours == 1 || ((p.a_step == 0 || p.a_dense) && p.b_dense && p.out_dense &&
                                                 p.states_dense && p.products_dense);
    recurrences_shape const shape{.size = size,
                                  .tile = problem::tile,
                                  .sequences = sequences,
                                  .neighbours = p.neighbours,
                                  .bytes = sizeof(T),
                                  .are_rows = are_rows,
                                  .are_short_gapped = !are_dense && size * 2 <= static_cast<std::size_t>(problem::row)};
    if (choose(shape, call.processors(), tuning_in_use()).which != recurrence_kernel::rows) return false;
    detail::took("cuda: gradients in rows", "a warp for each sequence or several");
    launch_rows(call, p);
    return true;
  }

private:
  using distances = detail::batch::distances;

  /// The same sequences in fewer dimensions, where neighbours lie in all arrays as one dimension would.
  static void simplify_both(detail::batch::layout& a, detail::batch::layout& b)
  {
    int kept = 0;
    for (int d = 1; d < a.dimensions; ++d) {
      auto const is_whole = [&](detail::batch::layout const& of) {
        distances whole;
        whole.move(of.across[d].step, static_cast<std::ptrdiff_t>(of.across[d].extent));
        return of.across[kept].step == whole;
      };
      bool const merges = is_whole(a) && is_whole(b);
      for (detail::batch::layout* of : {&a, &b}) {
        auto const& inner = of->across[d];
        if (merges)
          of->across[kept] = {of->across[kept].extent * inner.extent, inner.step};
        else
          of->across[kept + 1] = inner;
      }
      if (!merges) ++kept;
    }
    a.dimensions = b.dimensions = a.dimensions == 0 ? 0 : kept + 1;
  }

  static problem problem_of(detail::batch::layout const& where, recurrence_arrays<T> const& arrays,
                            detail::batch::ends<T> const& ends)
  {
    detail::batch::dimension const none{1, {}};
    auto const& inner = where.dimensions == 0 ? none : where.across[static_cast<std::size_t>(where.dimensions - 1)];
    std::size_t const size = where.along.extent;
    auto const step = [&](std::ptrdiff_t along) { return size == 1 ? 1 : along; };
    auto const is_dense = [&](std::ptrdiff_t across) { return across == static_cast<std::ptrdiff_t>(size); };
    std::ptrdiff_t const a_step =
        arrays.a == nullptr || where.along.step.coefficients == 0 ? 0 : step(where.along.step.coefficients);
    std::ptrdiff_t const b_step = step(where.along.step.in), out_step = step(where.along.step.out);
    auto const of_a = extremes_of(where, &distances::coefficients), of_b = extremes_of(where, &distances::in);
    return {.a = arrays.a,
            .constant = arrays.constant,
            .b = arrays.b,
            .out = arrays.out,
            .size = size,
            .sequences = where.sequences(),
            .a_step = a_step,
            .b_step = b_step,
            .out_step = out_step,
            .where = batch_places(where),
            .neighbours = inner.extent,
            .a_across = inner.step.coefficients,
            .b_across = inner.step.in,
            .out_across = inner.step.out,
            .before_across = inner.step.initial,
            .a_dense = is_dense(inner.step.coefficients),
            .b_dense = is_dense(inner.step.in),
            .out_dense = is_dense(inner.step.out),
            .a_groups = are_groups(where, arrays.a, a_step, &distances::coefficients),
            .b_groups = are_groups(where, arrays.b, b_step, &distances::in),
            .out_groups = are_groups(where, arrays.out, out_step, &distances::out),
            .a_begin = arrays.a + of_a.first,
            .a_end = arrays.a + of_a.second + 1,
            .b_begin = arrays.b + of_b.first,
            .b_end = arrays.b + of_b.second + 1,
            .before = ends.initial ? *ends.initial : T(0.0f),
            .befores = ends.initials,
            .lasts = ends.lasts,
            .stores = results_stored::all,
            .first_bad = nullptr};
  }

  /// Whether the groups of all sequences are words of memory.
  static bool are_groups(detail::batch::layout const& where, T const* first, std::ptrdiff_t step,
                         std::ptrdiff_t distances::* array)
  {
    if (step != 1 && step != -1) return false;
    for (int d = 0; d < where.dimensions; ++d)
      if (!are_words(where.across[d].step.*array)) return false;
    return begins_a_word(step > 0 ? first : first + 1);
  }

  /// The number of units must fit 32 bits.
  static std::size_t counted(std::size_t units)
  {
    if (units >= folder_ticket) throw usage_error("tally: a call on a GPU takes fewer than 2^31 pieces of recurrences");
    return units;
  }

  template <class Problem>
  static void launch_rows(prepared_call const& call, Problem const& p)
  {
    constexpr std::size_t line = problem::line;
    if (p.size <= line)
      launch_short_rows<1>(call, p);
    else if (problem::slots == 4 && p.size <= 2 * line)
      launch_short_rows<problem::slots == 4 ? 2 : 1>(call, p);
    else
      launch_long_rows(call, p);
  }
  template <class Problem>
  static void launch_long_rows(prepared_call const& call, Problem const& p)
  {
    if (lie_plainly(p)) {
      detail::took(Problem::is_gradient ? "cuda: gradients in plain rows" : "cuda: recurrences in plain rows",
                   "whole words at one distance in all arrays");
      return launch_rows_of<problem::slots, true>(call, p);
    }
    if (lie_plainly<true>(p)) {
      detail::took(Problem::is_gradient ? "cuda: gradients in plain rows from anywhere on"
                                        : "cuda: recurrences in plain rows from anywhere on",
                   "elements at one distance in all arrays");
      return launch_rows_of<problem::slots, true, true>(call, p);
    }
    launch_rows_of<problem::slots>(call, p);
  }
  template <int Lines, class Problem>
  static void launch_short_rows(prepared_call const& call, Problem const& p)
  {
    if (follow_plainly(p)) {
      detail::took(Problem::is_gradient ? "cuda: gradients in plain short rows"
                                        : "cuda: recurrences in plain short rows",
                   "whole groups without gaps, from a word on, in all arrays");
      return launch_rows_of<Lines, true>(call, p);
    }
    if constexpr (!Problem::is_gradient) {
      if (follow_plainly<problem::group / 2>(p)) {
        detail::took("cuda: recurrences in plain short rows of half words",
                     "whole halves of groups without gaps, from a word on, in all arrays");
        return launch_rows_of<Lines, true, true>(call, p);
      }
    }
    launch_rows_of<Lines>(call, p);
  }
  /// Whether the sequences follow each other without a gap in all arrays, forward, in whole words of so many elements,
  /// from a word of a group on.
  template <std::size_t Elements = problem::group>
  static bool follow_plainly(problem const& p)
  {
    return p.where.dimensions <= 1 && p.a_step == 1 && p.b_step == 1 && p.out_step == 1 &&
           (p.neighbours == 1 || (p.a_dense && p.b_dense && p.out_dense)) && p.size % Elements == 0 &&
           begins_a_word(p.a) && begins_a_word(p.b) && begins_a_word(p.out);
  }
  /// ... of gradients, backward, in whole groups, but for the coefficients and the states, which follow each other from
  /// anywhere on.
  static bool follow_plainly(gradient_problem<T> const& p)
  {
    auto const less = static_cast<std::ptrdiff_t>(p.size) - 1;
    return p.where.dimensions <= 1 && p.where_products.dimensions <= 1 && (p.a_step == 0 || p.a_step == -1) &&
           p.b_step == -1 && p.out_step == -1 && p.states_step == -1 && p.products_step == -1 &&
           (p.neighbours == 1 ||
            ((p.a_step == 0 || p.a_dense) && p.b_dense && p.out_dense && p.states_dense && p.products_dense)) &&
           p.size % problem::group == 0 && begins_a_word(p.b - less) && begins_a_word(p.out - less) &&
           begins_a_word(p.products - less);
  }
  /// Whether copies, and the results of a piece, are whole words at the same distance in all arrays; `Anywhere`: or
  /// elements at the same distance.
  template <bool Anywhere = false>
  static bool lie_plainly(problem const& p)
  {
    return p.where.dimensions <= 1 && p.a_step == 1 && p.b_step == 1 && p.out_step == 1 &&
           (p.neighbours == 1 || (p.a_across == p.b_across && p.a_across == p.out_across)) &&
           (Anywhere || (are_words(p.size) && begins_a_word(p.a) && begins_a_word(p.b) && begins_a_word(p.out) &&
                         (p.neighbours == 1 || are_words(p.a_across))));
  }
  /// ... of gradients, backward. Coefficients and states lie one element away: in whole words anyhow, else at the same
  /// distance too.
  template <bool Anywhere = false>
  static bool lie_plainly(gradient_problem<T> const& p)
  {
    return p.where.dimensions <= 1 && p.where_products.dimensions <= 1 && p.b_step == -1 && p.out_step == -1 &&
           p.products_step == -1 &&
           (p.neighbours == 1 || (p.b_across == p.out_across && p.b_across == p.products_across)) &&
           (!Anywhere ||
            ((p.a_step == 0 || p.a_step == -1) && p.states_step == -1 &&
             (p.neighbours == 1 || ((p.a_step == 0 || p.b_across == p.a_across) && p.b_across == p.states_across)))) &&
           (Anywhere || (are_words(p.size) && begins_a_word(p.b + 1) && begins_a_word(p.out + 1) &&
                         begins_a_word(p.products + 1) && (p.neighbours == 1 || are_words(p.b_across))));
  }
  template <class Count>
  static bool are_words(Count elements)
  {
    return elements % static_cast<Count>(16 / sizeof(T)) == 0;
  }
  static bool begins_a_word(T const* first) { return reinterpret_cast<std::uintptr_t>(first) % 16 == 0; }

  template <int Lines, bool Plain = false, bool Anywhere = false, class Problem>
  static void launch_rows_of(prepared_call const& call, Problem const& p)
  {
    using P = recurrence_rows_problem<Problem, Plain, Anywhere>;
    auto const groups = static_cast<unsigned>(std::min<std::size_t>((p.size - 1) / problem::group + 1, warp_lanes));
    P const rows{p, static_cast<int>(std::bit_width(groups - 1))};
    std::size_t const a_unit = Lines == problem::slots ? 1
                               : Lines > 1             ? static_cast<std::size_t>(problem::slots / Lines)
                                           : static_cast<std::size_t>(problem::slots * (warp_lanes >> rows.log_width));
    std::size_t const units = counted(p.sequences / p.neighbours * ((p.neighbours - 1) / a_unit + 1));
    constexpr std::size_t bytes = sizeof(recurrence_rows_memory<P>) * recurrence_warps;
    static known_kernels known{};
    auto const most = static_cast<std::size_t>(
        blocks_at_a_time(call, recur_rows_kernel<P, Lines>, recurrence_warps * warp_lanes, bytes, known));
    launch(call, recur_rows_kernel<P, Lines>, rows, static_cast<unsigned>(std::min(most, units)),
           recurrence_warps * warp_lanes, bytes);
  }

  static void launch_tiles(prepared_call& call, problem const& p, bool in_place)
  {
    if (lie_plainly(p)) {
      detail::took("cuda: recurrences by plain tiles", "whole words at one distance in all arrays");
      launch_tiles_of<recurrence_tiles_problem<T, true>>(call, p, in_place);
    } else if (lie_plainly<true>(p) && begin_alike(p.a, p.b, p.out)) {
      detail::took("cuda: recurrences by plain tiles from anywhere on",
                   "elements at one distance, and at one place in a word, in all arrays");
      launch_tiles_of<plain_from_anywhere<recurrence_tiles_problem<T, false>>>(call, p, in_place);
    } else {
      launch_tiles_of<recurrence_tiles_problem<T, false>>(call, p, in_place);
    }
  }
  template <class P>
  static void launch_tiles_of(prepared_call& call, problem const& p, bool in_place)
  {
    std::size_t const each = (p.size - 1) / problem::tile + 1, tiles = counted(p.sequences * each);
    std::size_t const words = tiles * words_of<affine<typename problem::W>>;
    call.reserve_words(words + p.sequences);
    P tiled{p, static_cast<std::uint32_t>(each), call.shared(), call.words(), call.capacity()};
    tiled.first_bad = reinterpret_cast<unsigned long long*>(call.words() + words);
    constexpr int threads = recurrence_tiles_memory<P>::shape::threads;
    constexpr std::size_t bytes = sizeof(recurrence_tiles_memory<P>);
    static known_kernels known{};
    auto const most = static_cast<std::size_t>(blocks_at_a_time(call, recur_tiles_kernel<P>, threads, bytes, known));
    auto const blocks = static_cast<unsigned>(std::min(most, tiles));
    launch_and_repair(call, recur_tiles_kernel<P>, tiled, blocks, threads, bytes, in_place);
  }

  template <int Columns>
  static void launch_columns(prepared_call& call, problem const& p, bool in_place)
  {
    using P = recurrence_columns_problem<T, Columns>;
    constexpr std::size_t width = Columns;
    constexpr int threads = recurrence_columns<T, Columns>::threads;
    std::size_t const each = (p.neighbours - 1) / width + 1, groups = counted(p.sequences / p.neighbours * each);
    call.reserve_words(p.sequences);
    P columns{p, static_cast<std::uint32_t>(each), static_cast<std::uint32_t>(groups)};
    columns.first_bad = reinterpret_cast<unsigned long long*>(call.words());
    constexpr std::size_t bytes = sizeof(recurrence_columns_memory<P>);
    static known_kernels known{};
    auto const most = static_cast<std::size_t>(blocks_at_a_time(call, recur_columns_kernel<P>, threads, bytes, known));
    launch_and_repair(call, recur_columns_kernel<P>, columns, static_cast<unsigned>(std::min(most, groups)), threads,
                      bytes, in_place);
  }

  /// Several warps store the results of a sequence, and a kernel behind them does the plain loops. In place, a first
  /// run only looks for the results that are not finite.
  template <class P>
  static void launch_and_repair(prepared_call const& call, void (*kernel)(P const), P& p, unsigned blocks, int threads,
                                std::size_t bytes, bool in_place)
  {
    check_cuda(cudaMemsetAsync(p.first_bad, 0xff, p.sequences * sizeof *p.first_bad, call.stream()), "clearing memory");
    if (in_place) {
      detail::took("cuda: recurrences are looked through first", "results replace elements that a loop may need");
      p.stores = results_stored::none;
      launch(call, kernel, p, blocks, threads, bytes);
      p.stores = results_stored::before_the_first_bad;
    }
    launch(call, kernel, p, blocks, threads, bytes);
    launch(call, repair_sequences_kernel<P>, p, static_cast<unsigned>((p.sequences - 1) / repair_threads + 1),
           repair_threads);
  }
};

template <class T>
bool run_recurrences(prepared_call& call, detail::batch::layout const& where, recurrence_arrays<T> const& arrays,
                     detail::batch::ends<T> const& ends)
{
  if (call.facts().compute_capability < 90) return false;
  recurrences_plan<T>::run(call, where, arrays, ends);
  return true;
}

template <class T>
bool run_gradients(prepared_call& call, detail::batch::gradients<T> const& given)
{
  return call.facts().compute_capability >= 90 && recurrences_plan<T>::run_gradients(call, given);
}

}  // namespace tally::cuda_backend
