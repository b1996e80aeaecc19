#pragma once

#include <algorithm>
#include <cstddef>

#include "src/cpu/sequences/column_state.hpp"
#include "tally/detail/path.hpp"

/// Sequences at any distances.
namespace tally::cpu_backend {

/// Calls visit(i, c, place of element k + i of sequence c), whichever neighbours are nearer to each other first.
template <class Place, class Visit>
void for_each_place(distances const* at, std::size_t count, std::size_t k, std::size_t size, std::ptrdiff_t step,
                    Place const& place, Visit const& visit)
{
  std::ptrdiff_t const across = count > 1 ? place(at[1]) - place(at[0]) : 0;
  auto const begin = static_cast<std::ptrdiff_t>(k) * step;
  if (count > 1 && (across < 0 ? -across : across) < (step < 0 ? -step : step)) {
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t c = 0; c < count; ++c) visit(i, c, place(at[c]) + begin + static_cast<std::ptrdiff_t>(i) * step);
  } else {
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t i = 0; i < size; ++i) visit(i, c, place(at[c]) + begin + static_cast<std::ptrdiff_t>(i) * step);
  }
}

/// Scans the `count` sequences at `at`. `values` has room for a row of a vector of sequences.
template <class T, class Op>
void scan_gathered_set(sequences_call<T, Op> const& call, distances const* at, std::size_t count, T* values,
                       column_state<T, Op>& state)
{
  std::size_t const lanes = call.kernels.lanes;
  constexpr std::size_t part = order::row<T>;
  std::fill_n(state.slots.data(), 2 * state.stride, call.op.identity);
  state.carries.clear();
  for (std::size_t c = 0; c < count; ++c) {
    state.slot(lane_slot::carry)[c] = state.slot(lane_slot::previous)[c] = call.initial_or_identity(at[c]);
    state.carries.push_back(call.begin(at[c]));
  }
  for (std::size_t k = 0; k < call.size; k += part) {
    std::size_t const size = std::min(part, call.size - k);
    for_each_place(
        at, count, k, size, call.where.along.step.in, [](distances const& d) { return d.in; },
        [&](std::size_t i, std::size_t c, std::ptrdiff_t place) { values[i * lanes + c] = call.in[place]; });
    column_job<T> job{};
    job.in = values;
    job.out = call.out == nullptr ? nullptr : values;
    job.in_step = job.out_step = static_cast<std::ptrdiff_t>(lanes);
    job.width = lanes;
    job.first = k % order::tile<T>;
    job.size = size;
    job.state = state.slots.data();
    job.stride = state.stride;
    job.shift = call.shift;
    job.several_groups = true;
    call.kernels.scan_columns(job);
    if (call.out != nullptr)
      for_each_place(
          at, count, k, size, call.where.along.step.out, [](distances const& d) { return d.out; },
          [&](std::size_t i, std::size_t c, std::ptrdiff_t place) { call.out[place] = values[i * lanes + c]; });
    if (!Op::exactly_associative && (k + part) % order::tile<T> == 0 && k + part < call.size) {
      for (std::size_t c = 0; c < count; ++c) {
        state.carries[c].push(state.slot(lane_slot::total)[c], call.op);
        state.slot(lane_slot::carry)[c] = *state.carries[c].next(call.op);
      }
    }
  }
  for (std::size_t c = 0; c < count; ++c) call.put_last(at[c], state.slot(lane_slot::previous)[c]);
}

/// Sequences at any distances: a vector of them is copied a row at a time, to be columns.
template <class T, class Op>
void scan_gathered(sequences_call<T, Op> const& call, int members)
{
  detail::took("batch: gathered");
  std::size_t const lanes = call.kernels.lanes;
  constexpr std::size_t part = order::row<T>;
  std::size_t const sets = (call.sequences + lanes - 1) / lanes;
  share_units(sets, call.units_at_a_draw(sets, lanes * call.size * sizeof(T), members), members, [&] {
    return [&, values = scratch<T>(part * lanes), state = column_state<T, Op>(lanes)](std::size_t first,
                                                                                      std::size_t end) mutable {
      cursor place(call.where, first * lanes);
      std::fill_n(values.data(), part * lanes, call.op.identity);
      for (std::size_t set = first; set < end; ++set) {
        distances at[most_lanes<T>];
        std::size_t const count = std::min(lanes, call.sequences - set * lanes);
        for (std::size_t c = 0; c < count; ++c, place.next()) at[c] = place.at();
        scan_gathered_set(call, at, count, values.data(), state);
      }
    };
  });
}

}  // namespace tally::cpu_backend
