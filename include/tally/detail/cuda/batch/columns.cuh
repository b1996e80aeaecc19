#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/batch/columns_by_warps.cuh"
#include "tally/detail/cuda/batch/columns_choice.hpp"
#include "tally/detail/cuda/batch/columns_planes.cuh"
#include "tally/detail/cuda/batch/columns_problem.cuh"
#include "tally/detail/cuda/batch/columns_reduce.cuh"
#include "tally/detail/cuda/batch/columns_scan.cuh"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/path.hpp"
#include "tally/order.hpp"

/// The kernels for columns, and their launch. columns_choice.hpp chooses among them.
namespace tally::cuda_backend {

/// Whether the kernels for columns take such elements: a thread's registers hold the totals of a row, and a block's
/// shared memory its rows, where results take the places of elements.
template <class T, class In, class Out>
inline constexpr bool fits_columns =
    words_of<working_type<T>> <= 2 && sizeof(In) == sizeof(Out) && sizeof(In) * order::row<T> <= 512;

/// Whether sequences are columns: the elements at one place of neighbouring sequences lie nearer to each other than the
/// neighbours along a sequence. The layout is simplified.
inline bool are_columns(detail::batch::layout const& where, bool reduces)
{
  if (where.dimensions == 0) return false;
  auto const nearer = [](std::ptrdiff_t across, std::ptrdiff_t along) {
    return (across < 0 ? -across : across) < (along < 0 ? -along : along);
  };
  detail::batch::distances const& along = where.along.step;
  detail::batch::distances const& across = where.across[static_cast<std::size_t>(where.dimensions - 1)].step;
  return nearer(across.in, along.in) && (reduces || nearer(across.out, along.out));
}

/// The boxes of columns in their arrays.
struct column_boxes {
  box_map in, out;
};

/// The boxes of a batch, of `box_rows` rows each, or nothing if CUDA's driver refuses them.
template <class In, class Out>
std::optional<column_boxes> boxes_of(detail::batch::layout const& where, In const* in, Out* out, unsigned box_rows)
{
  bool const many = where.dimensions > 1;
  auto const map = [&](auto const* first, std::ptrdiff_t detail::batch::distances::* array) {
    using element = std::remove_cvref_t<decltype(*first)>;
    std::ptrdiff_t const along = where.along.step.*array;
    std::size_t const row_bytes = static_cast<std::size_t>(along < 0 ? -along : along) * sizeof *first;
    auto const* const lowest = along < 0 ? first + static_cast<std::ptrdiff_t>(where.along.extent - 1) * along : first;
    return make_box_map(
        {.first = const_cast<element*>(lowest),
         .element_bytes = sizeof *first,
         .columns = where.across[static_cast<std::size_t>(where.dimensions - 1)].extent,
         .rows = where.along.extent,
         .matrices = many ? where.across[0].extent : 1,
         .row_bytes = row_bytes,
         .matrix_bytes = many ? static_cast<std::size_t>(where.across[0].step.*array) * sizeof *first : row_bytes,
         .box_columns = box_columns,
         .box_rows = box_rows});
  };
  std::optional<box_map> const read = map(in, &detail::batch::distances::in);
  std::optional<box_map> const written = map(out, &detail::batch::distances::out);
  if (!read || !written) return {};
  return column_boxes{*read, *written};
}

/// The bytes of an array that a batch touches, from its lowest to its highest element.
struct touched_bytes {
  std::uintptr_t begin, end;

  template <class V>
  touched_bytes(V const* first, detail::batch::layout const& where, std::ptrdiff_t detail::batch::distances::* array)
  {
    std::ptrdiff_t lowest = 0, highest = 0;
    auto const add = [&](detail::batch::dimension const& axis) {
      std::ptrdiff_t const reach = static_cast<std::ptrdiff_t>(axis.extent - 1) * (axis.step.*array);
      (reach < 0 ? lowest : highest) += reach;
    };
    add(where.along);
    for (int d = 0; d < where.dimensions; ++d) add(where.across[static_cast<std::size_t>(d)]);
    begin = reinterpret_cast<std::uintptr_t>(first + lowest);
    end = reinterpret_cast<std::uintptr_t>(first + highest + 1);
  }
};

template <class P>
class columns_plan {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using In = typename P::input;

  static constexpr int short_groups = 16;
  static constexpr int shortest_groups = 4;
  static constexpr std::size_t short_size = short_groups * order::group<T>;
  static constexpr std::size_t shortest_size = shortest_groups * order::group<T>;
  static constexpr int order_row = static_cast<int>(order::row<T>);

  static constexpr bool are_stretches(columns_kernel which)
  {
    return which == columns_kernel::scan_of_stretches || which == columns_kernel::reduction_of_stretches;
  }

  static constexpr bool are_planes(columns_kernel which)
  {
    return which == columns_kernel::short_planes || which == columns_kernel::shortest_planes;
  }

  static void launch_selected(prepared_call const& call, P const& problem, columns_choice const& selected,
                              std::optional<column_boxes> const& boxes)
  {
    detail::took(path_of(selected), selected.because);
    if constexpr (fits_columns_by_warps<P>) {
      if (selected.which == columns_kernel::scan_by_warps) {
        launch_by_warps(call, problem, *boxes);
        return;
      }
    }
    static known_kernels known[columns_kernels]{};
    auto const which = static_cast<std::size_t>(selected.which);
    entry const of = entry_of(selected.which);
    bool const stretches = are_stretches(selected.which);
    bool const planes = are_planes(selected.which);
    bool const copies = stretches || problem.what != work::reduce;
    auto const bytes_for = [&](int length, int inner) {
      return planes ? planes_bytes : copies ? piece_bytes<In>(length, inner, stretches) : 0;
    };
    // Allows the kernel the shared memory of the largest pieces of all: those of two columns have most gaps.
    blocks_at_a_time(call, of, column_threads, bytes_for(order_row, 2), known[which]);
    std::size_t const bytes = bytes_for(problem.stretch_length, selected.piece.inner);
    std::size_t blocks = problem.groups;
    if (selected.is_shared_out)
      blocks *= problem.what == work::reduce ? problem.at.tiles + 1
                                             : (problem.rows - 1) / static_cast<std::size_t>(selected.piece.rows) + 1;
    launch(call, of, problem, static_cast<unsigned>(blocks), column_threads, bytes);
  }

private:
  using entry = void (*)(P const);

  static void launch_by_warps(prepared_call const& call, P const& problem, column_boxes const& boxes)
  {
    using by_warps = columns_by_warps_problem<P>;
    bool const backward = problem.in_step < 0;
    by_warps const given{problem, boxes.in, boxes.out, std::max<std::uint32_t>(tuning_in_use().column_copies, 1),
                         static_cast<std::uint32_t>(problem.size - 1)};
    constexpr std::size_t bytes = sizeof(columns_by_warps_memory<P>);
    static known_kernels known[2]{};
    void (*const kernel)(by_warps const) =
        backward ? scan_columns_by_warps_kernel<P, true> : scan_columns_by_warps_kernel<P, false>;
    constexpr int most_threads = columns_by_warps_memory<P>::warps * warp_lanes;
    int const resident = blocks_at_a_time(call, kernel, most_threads, bytes, known[backward]);
    std::size_t const most_blocks =
        static_cast<std::size_t>(call.most_blocks() > 0 ? std::min(resident, call.most_blocks()) : resident);
    std::size_t const pieces = static_cast<std::size_t>(problem.groups) * problem.rows;
    std::size_t const blocks = std::min(pieces, most_blocks);
    std::size_t const warps = std::min<std::size_t>((pieces - 1) / blocks + 1, columns_by_warps_memory<P>::warps);
    launch(call, kernel, given, static_cast<unsigned>(blocks), static_cast<int>(warps) * warp_lanes, bytes);
  }
  /// As `plan::launchable_of`.
  static entry entry_of(columns_kernel which)
  {
    constexpr int groups = static_cast<int>(order::row_groups);
    constexpr bool narrow = words_of<W> == 1;
    // Blocks on a multiprocessor, as many as registers and shared memory allow.
    constexpr int blocks = narrow ? 3 : 2;
    constexpr int of_short_scan = narrow ? 6 : 4;
    constexpr int of_reduction = narrow ? 5 : 3;
    constexpr int of_short_reduction = narrow ? 8 : 4;
    static std::array<entry, columns_kernels> all{
        scan_columns_kernel<P, false, groups, blocks>,
        scan_columns_kernel<P, false, short_groups, of_short_scan>,
        scan_columns_kernel<P, false, shortest_groups, 8>,
        scan_columns_kernel<P, true, groups, blocks>,
        planes_kernel<P, short_groups, of_short_scan>,
        planes_kernel < P,
        shortest_groups,
        narrow ? 6 : 4 >,
        reduce_columns_kernel<P, false, groups, of_reduction>,
        reduce_columns_kernel<P, false, short_groups, of_short_reduction>,
        reduce_columns_kernel<P, false, shortest_groups, 8>,
        reduce_columns_kernel<P, true, groups, blocks>,
    };
    return all[static_cast<std::size_t>(which)];
  }
};

/// Runs a call on a batch, if its sequences are columns and the kernels for columns take them; else returns false. The
/// layout is simplified, and no extent is 0. Reductions have no `lasts`.
template <class T, class In, class Out, class Op>
bool run_columns(prepared_call& call, work what, detail::batch::layout const& where, In const* in, Out* out,
                 detail::batch::ends<T> const& ends, Op const& op)
{
  if constexpr (!fits_columns<T, In, Out>) {
    return false;
  } else {
    using P = columns_problem<T, Op, In, Out>;
    bool const reduces = what == work::reduce;
    if (!are_columns(where, reduces) || call.facts().compute_capability < 80) return false;
    detail::batch::dimension const& innermost = where.across[static_cast<std::size_t>(where.dimensions - 1)];
    std::size_t const size = where.along.extent;
    std::size_t const neighbours = innermost.extent;
    auto const is_stretch = [&](std::ptrdiff_t across, std::ptrdiff_t along) {
      auto const n = static_cast<std::ptrdiff_t>(neighbours);
      return across == 1 && (along == n || along == -n);
    };
    detail::batch::distances const& along = where.along.step;
    // Groups of neighbours begin at multiples of 8 columns.
    auto const begins_aligned = [&](auto const* first, std::ptrdiff_t detail::batch::distances::* array) {
      std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(first);
      bits |= static_cast<std::uintptr_t>(along.*array) * sizeof *first;
      for (int d = 0; d < where.dimensions - 1; ++d)
        bits |= static_cast<std::uintptr_t>(where.across[static_cast<std::size_t>(d)].step.*array) * sizeof *first;
      return bits % 16 == 0;
    };
    bool const aligned = begins_aligned(in, &detail::batch::distances::in) &&
                         (reduces || begins_aligned(out, &detail::batch::distances::out));
    // Warps write an exclusive scan one place behind what they read.
    touched_bytes const read(in, where, &detail::batch::distances::in);
    touched_bytes const written(out, where, &detail::batch::distances::out);
    bool const apart = read.end <= written.begin || written.end <= read.begin;
    // Devices of 12.0 and later have too little shared memory for a block of the kernel by warps.
    int const capability = call.facts().compute_capability;
    bool const by_warps = !reduces && capability >= 90 && capability < 120 && (what == work::inclusive_scan || apart);
    columns_shape shape{.size = size,
                        .row = order::row<T>,
                        .short_size = columns_plan<P>::short_size,
                        .shortest_size = columns_plan<P>::shortest_size,
                        .neighbours = neighbours,
                        .sequences = where.sequences(),
                        .are_aligned = aligned,
                        .are_stretches = is_stretch(innermost.step.in, along.in) &&
                                         (reduces || (innermost.step.out == 1 && along.out == along.in)),
                        .reduces = reduces,
                        .bytes = sizeof(In),
                        .fits_boxes = fits_columns_by_warps<P> && by_warps && aligned && fits_boxes(where, sizeof(In))};
    columns_choice selected = choose(shape, call.processors(), tuning_in_use());
    std::size_t const rows = (size - 1) / order::row<T> + 1;
    std::size_t const pieces = reduces ? (rows - 1) / rows_of_tile + 2 : rows;
    constexpr std::size_t most_blocks = 0x7fffffff;
    auto const words_for = [&](columns_choice const& by) {
      return column_words<T, Op>(size, by.groups * static_cast<std::size_t>(by.piece.columns), by.piece);
    };
    auto const has_room = [&] {
      return pieces <= most_blocks / selected.groups &&
             (words_for(selected).count() <= call.capacity() || call.can_grow());
    };
    std::optional<column_boxes> boxes;
    if (selected.which == columns_kernel::scan_by_warps) {
      if (has_room()) boxes = boxes_of(where, in, out, static_cast<unsigned>(order::row<T>));
      if (!boxes) {
        shape.fits_boxes = false;
        selected = choose(shape, call.processors(), tuning_in_use());
      }
    }
    if (rows > 0xffffffff || selected.groups > most_blocks) return false;
    column_words<T, Op> const words = words_for(selected);
    if (selected.is_shared_out) {
      if (has_room()) {
        call.reserve_words(words.count());
      } else {
        selected.is_shared_out = false;
        selected.because = "blocks cannot share columns out: the workspace has no room for their totals";
      }
    }
    bool const stretches = columns_plan<P>::are_stretches(selected.which);
    // Stretches lie in different banks if they are multiples of 32 words and their gap.
    int length = columns_plan<P>::order_row;
    if (rows == 1) {
      int const whole_words = (static_cast<int>(size) + warp_lanes - 1) / warp_lanes * warp_lanes;
      length = std::min(length, stretches ? whole_words : static_cast<int>(size));
    }
    P problem{.in = in,
              .out = out,
              .in_step = along.in,
              .out_step = along.out,
              .size = size,
              .sequences = shape.sequences,
              .places = {},
              .init = initial<T, Op>(ends.initial ? &*ends.initial : nullptr),
              .initials = ends.initials,
              .lasts = ends.lasts,
              .op = op,
              .what = what,
              .piece = selected.piece,
              .stretch_length = length,
              .is_shared_out = selected.is_shared_out,
              .shared = selected.is_shared_out ? call.shared() : nullptr,
              .words = selected.is_shared_out ? call.words() : nullptr,
              .capacity = selected.is_shared_out ? call.capacity() : 0,
              .at = words,
              .rows = static_cast<std::uint32_t>(rows),
              .groups = static_cast<std::uint32_t>(selected.groups),
              .neighbours = shape.neighbours,
              .groups_of_neighbours = 0,
              .panel = std::min(std::max<std::uint32_t>(tuning_in_use().column_panel, 1),
                                static_cast<std::uint32_t>(selected.groups))};
    if (stretches) problem.neighbours = shape.sequences;
    problem.groups_of_neighbours =
        static_cast<std::uint32_t>((problem.neighbours - 1) / static_cast<std::size_t>(selected.piece.columns) + 1);
    problem.places.across = innermost.step;
    problem.places.dimensions = where.dimensions;
    for (int d = 0; d < where.dimensions; ++d) {
      problem.places.extents[d] = where.across[static_cast<std::size_t>(d)].extent;
      problem.places.steps[d] = where.across[static_cast<std::size_t>(d)].step;
    }
    columns_plan<P>::launch_selected(call, problem, selected, boxes);
    return true;
  }
}

}  // namespace tally::cuda_backend
