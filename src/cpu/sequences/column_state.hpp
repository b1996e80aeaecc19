#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "src/cpu/sequences/call.hpp"

/// Columns: sequences whose elements of one index are neighbours in memory. A thread's state of some of them, and the
/// jobs for the kernel that scans them.
namespace tally::cpu_backend {

/// Neighbouring columns.
struct columns {
  std::size_t width;
  distances at;  // of the first one
  distances step;
};

/// How the kernel goes along columns: a group of each at a time, several groups, in chunks that it copies in and out
/// around the cache, or taken apart into rows. Few columns that are neighbours to their like take one of the latter
/// three.
enum class column_pace { groups, several_groups, chunks, apart };

/// The pace for `width` neighbouring columns of a call.
template <class T, class Op>
column_pace pace_of(sequences_call<T, Op> const& call, std::size_t width)
{
  constexpr std::size_t at_once = groups_at_once * order::group<T>;
  distances const& step = call.where.along.step;
  auto const row = static_cast<std::ptrdiff_t>(width);
  if (2 <= width && width <= std::min<std::size_t>(4, call.kernels.lanes) && call.size >= tuning_in_use().apart_size &&
      step.in == row && (call.out == nullptr || step.out == row))
    return column_pace::apart;
  if (call.size < at_once || at_once * width * sizeof(T) > tuning_in_use().column_chunk_bytes)
    return column_pace::groups;
  if (call.around && step.in == row && step.out == row) return column_pace::chunks;
  return call.bytes < tuning_in_use().streamed_bytes ? column_pace::several_groups : column_pace::groups;
}

/// The dimension across in which neighbours are neighbours in memory, the outermost one if there are several.
template <class T, class Op>
std::optional<std::size_t> dimension_of_columns(sequences_call<T, Op> const& call)
{
  for (int d = call.where.dimensions; d-- > 0;) {
    dimension const& axis = call.where.across[static_cast<std::size_t>(d)];
    if (axis.step.in == 1 && (call.out == nullptr || axis.step.out == 1)) return static_cast<std::size_t>(d);
  }
  return {};
}

/// The state of up to `most` columns, and their carries where they have more than one tile.
template <class T, class Op>
struct column_state {
  explicit column_state(std::size_t most, column_pace its_pace = column_pace::groups)
      : pace(its_pace),
        stride(rounded(most)),
        stage_size(its_pace == column_pace::chunks ? chunks_size<T>(most)
                   : its_pace == column_pace::apart
                       ? most * apart_distance<T>
                       : std::max(order::group<T> * stride, tuning_in_use().staged_bytes / sizeof(T))),
        slots(lane_slot::count * stride + stage_size)
  {
  }
  static std::size_t rounded(std::size_t width) { return (width + most_lanes<T> - 1) / most_lanes<T> * most_lanes<T>; }
  T* slot(std::size_t number) const { return slots.data() + number * stride; }
  T* stage() const { return slot(lane_slot::count); }  // at the beginning of a line, as all slots

  column_pace pace;
  std::size_t stride;
  std::size_t stage_size;
  scratch<T> slots;  // and the stage, or the chunks
  std::vector<order::carry<T, Op>> carries;
};

/// The job on elements [k, k + size) of `those`, a tile at most.
template <class T, class Op>
column_job<T> column_job_of(sequences_call<T, Op> const& call, columns const& those, column_state<T, Op> const& state,
                            std::size_t k, std::size_t size)
{
  column_job<T> job{};
  auto const distance = static_cast<std::ptrdiff_t>(k);
  job.in_step = call.where.along.step.in;
  job.out_step = call.where.along.step.out;
  job.in = call.in_at(those.at) + distance * job.in_step;
  if (call.out != nullptr) job.out = call.out_at(those.at) + distance * job.out_step;
  job.width = those.width;
  job.size = size;
  job.state = state.slots.data();
  job.stride = state.stride;
  job.shift = call.shift;
  job.several_groups = state.pace == column_pace::several_groups;
  job.ahead = tuning_in_use().columns_ahead;
  if (state.pace == column_pace::chunks) {
    job.chunks = state.stage();
  } else if (state.pace == column_pace::apart) {
    job.apart = state.stage();
    if (call.around) job.to = stores::streaming;
  } else if (call.around) {
    // If the step is whole lines, all rows begin where the first one does. Rows of parts of lines that are neighbours
    // go through the cache, where they meet: 100 columns took 0.28 ns an element so, 0.46 by way of a stage, and 0.50
    // without fetching their lines ahead.
    std::ptrdiff_t const step = job.out_step * static_cast<std::ptrdiff_t>(sizeof(T));
    bool const whole_lines = reinterpret_cast<std::uintptr_t>(job.out) % line_bytes == 0 && step % line_bytes == 0;
    bool const narrow = std::abs(step) <= static_cast<std::ptrdiff_t>(tuning_in_use().column_bytes);
    if (whole_lines || !narrow)
      job.to = stores::streaming;
    else
      job.out_ahead = tuning_in_use().columns_ahead;
    if (!whole_lines && !narrow) {
      job.stage = state.stage();
      job.stage_size = state.stage_size;
    }
  }
  return job;
}

}  // namespace tally::cpu_backend
