#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <hwy/cache_control.h>

#include "src/cpu/sequences/column_state.hpp"
#include "tally/detail/path.hpp"

/// Columns that are too few for all threads, and long.
namespace tally::cpu_backend {

/// Few columns of many tiles: in each round members total tiles, whose carries are folded, and then scan them from
/// the cache.
template <class T, class Op>
void scan_columns_in_rounds(sequences_call<T, Op> const& call, layout const& outer, dimension const& axis, int members)
{
  constexpr std::size_t tile = order::tile<T>;
  detail::took("batch: few columns, tiles in rounds");
  column_pace const pace = pace_of(call, axis.extent);
  std::size_t const width = axis.extent;
  std::size_t const tiles = (call.size + tile - 1) / tile;
  std::size_t const tile_bytes = tile * width * sizeof(T);
  std::size_t const round =
      std::min(tiles, std::max(static_cast<std::size_t>(members), tuning_in_use().round_bytes / tile_bytes));
  std::vector<T> totals(round * width), carries(round * width), previous(round * width);
  for (std::size_t s = 0; s < outer.sequences(); ++s) {
    columns const those{width, outer.place(s), axis.step};
    std::vector<order::carry<T, Op>> before;
    for (std::size_t c = 0; c < width; ++c) before.push_back(call.begin(moved(those.at, those.step, c)));
    for (std::size_t begin = 0; begin < tiles; begin += round) {
      std::size_t const count = std::min(round, tiles - begin);
      auto const each_tile = [&](auto const& work) {
        share_units(count, 1, members, [&] {
          return [&, state = column_state<T, Op>(width, pace)](std::size_t first, std::size_t end) mutable {
            for (std::size_t i = first; i < end; ++i) {
              std::size_t const k = (begin + i) * tile;
              column_job<T> job = column_job_of(call, those, state, k, std::min(tile, call.size - k));
              work(i, job, state);
            }
            if (call.around) hwy::FlushStream();
          };
        });
      };
      each_tile([&](std::size_t i, column_job<T>& job, column_state<T, Op>& state) {
        std::fill_n(state.slots.data(), 2 * state.stride, call.op.identity);
        job.out = nullptr;
        job.stage = nullptr;
        call.kernels.scan_columns(job);
        std::size_t const slot = Op::exactly_associative ? lane_slot::previous : lane_slot::total;
        std::copy_n(state.slot(slot), width, totals.data() + i * width);
      });
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < width; ++c) {
          carries[i * width + c] = before[c].next(call.op).value_or(call.op.identity);
          previous[i * width + c] = before[c].last().value_or(call.op.identity);
          before[c].push(totals[i * width + c], call.op);
        }
      }
      if (call.out == nullptr) continue;
      each_tile([&](std::size_t i, column_job<T>& job, column_state<T, Op>& state) {
        std::fill_n(state.slots.data(), 2 * state.stride, call.op.identity);
        std::copy_n(carries.data() + i * width, width, state.slot(lane_slot::carry));
        std::copy_n(previous.data() + i * width, width, state.slot(lane_slot::previous));
        job.ahead = 0;
        call.kernels.scan_columns(job);
      });
    }
    for (std::size_t c = 0; c < width; ++c) call.put_last(moved(those.at, those.step, c), *before[c].last());
  }
}

}  // namespace tally::cpu_backend
