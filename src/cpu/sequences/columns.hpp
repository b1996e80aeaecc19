#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>

#include "src/cpu/sequences/column_state.hpp"
#include "src/cpu/sequences/column_turns.hpp"
#include "tally/detail/path.hpp"

/// Columns, a block of neighbours after the other.
namespace tally::cpu_backend {

/// Scans a block of columns.
template <class T, class Op>
void scan_block_of_columns(sequences_call<T, Op> const& call, columns const& those, column_state<T, Op>& state)
{
  constexpr std::size_t tile = order::tile<T>;
  for (std::size_t c = 0; c < those.width; ++c)
    state.slot(lane_slot::carry)[c] = state.slot(lane_slot::previous)[c] =
        call.initial_or_identity(moved(those.at, those.step, c));
  // Lanes beyond the last sequence work on identities, which no exception or denormal number slows down.
  for (std::size_t c = those.width; c < state.stride; ++c)
    state.slot(lane_slot::carry)[c] = state.slot(lane_slot::previous)[c] = call.op.identity;
  std::size_t const part = Op::exactly_associative ? call.size : tile;
  if (call.size > part) {
    state.carries.clear();
    for (std::size_t c = 0; c < those.width; ++c) state.carries.push_back(call.begin(moved(those.at, those.step, c)));
  }
  for (std::size_t k = 0; k < call.size; k += part) {
    call.kernels.scan_columns(column_job_of(call, those, state, k, std::min(part, call.size - k)));
    if (call.size <= part) break;
    for (std::size_t c = 0; c < those.width; ++c) {
      state.carries[c].push(state.slot(lane_slot::total)[c], call.op);
      state.slot(lane_slot::carry)[c] = *state.carries[c].next(call.op);
    }
  }
  if (call.given.lasts != nullptr)
    for (std::size_t c = 0; c < those.width; ++c)
      call.put_last(moved(those.at, those.step, c), state.slot(lane_slot::previous)[c]);
}

/// Scans columns, which are neighbours in the dimension `dimension_of_them`: members draw blocks of neighbours.
template <class T, class Op>
void scan_by_columns(sequences_call<T, Op> const& call, std::size_t dimension_of_them, int members)
{
  dimension const axis = call.where.across[dimension_of_them];
  layout const outer = without(call.where, dimension_of_them);
  std::size_t const outers = outer.sequences();
  constexpr std::size_t line = line_bytes / sizeof(T);
  // Narrower blocks where there are too few of them for all members, but none that has only parts of lines.
  auto const count = static_cast<std::size_t>(members);
  std::size_t width = std::max<std::size_t>(tuning_in_use().column_bytes / sizeof(T), line);
  std::size_t const least = std::max<std::size_t>(tuning_in_use().least_column_bytes / sizeof(T), line);
  std::size_t const wanted = (count + outers - 1) / outers;  // blocks side by side
  if (axis.extent / width < wanted) width = (axis.extent / wanted + line - 1) / line * line;
  width = std::min(std::max(width, least), axis.extent);
  if (outers * ((axis.extent + width - 1) / width) < count && call.size > 2 * order::tile<T>) {
    scan_columns_in_turns(call, outer, axis, members);
    return;
  }
  column_pace const pace = pace_of(call, width);
  detail::took(pace == column_pace::chunks           ? "batch: columns in chunks"
               : pace == column_pace::apart          ? "batch: columns apart"
               : pace == column_pace::several_groups ? "batch: columns, several groups at once"
                                                     : "batch: columns");
  // Where there are several blocks side by side, they begin with a line of the output.
  std::size_t const phase = reinterpret_cast<std::uintptr_t>(call.out) % line_bytes / sizeof(T);
  std::size_t const first_width =
      call.around && phase != 0 && axis.extent > width ? std::min(axis.extent, width - phase % width) : width;
  std::size_t const blocks = 1 + (axis.extent > first_width ? (axis.extent - first_width + width - 1) / width : 0);
  share_units(outers * blocks, 1, members, [&] {
    return [&, state = column_state<T, Op>(width, pace)](std::size_t first, std::size_t end) mutable {
      for (std::size_t unit = first; unit < end; ++unit) {
        std::size_t const block = unit % blocks;
        std::size_t const c = block == 0 ? 0 : first_width + (block - 1) * width;
        std::size_t const own = block == 0 ? std::min(first_width, axis.extent) : std::min(width, axis.extent - c);
        scan_block_of_columns(call, {own, moved(outer.place(unit / blocks), axis.step, c), axis.step}, state);
      }
      if (call.around) hwy::FlushStream();
    };
  });
}

}  // namespace tally::cpu_backend
