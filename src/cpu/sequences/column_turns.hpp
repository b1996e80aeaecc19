#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <hwy/cache_control.h>

#include "src/cpu/sequences/column_state.hpp"
#include "src/cpu/turns.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/path.hpp"

/// Columns that are too few for all threads, and long.
namespace tally::cpu_backend {

/// Few columns of many tiles, which members share in turns.
template <class T, class Op>
class columns_in_turns {
public:
  columns_in_turns(sequences_call<T, Op> const& call, columns const& those, int members)
      : call_(call),
        those_(those),
        pace_(pace_of(call, those.width)),
        turns_((call.size + tile - 1) / tile, members)
  {
    for (std::size_t c = 0; c < those.width; ++c) carries_.push_back(call.begin(moved(those.at, those.step, c)));
    auto body = [&](int) { take_tiles(); };
    run_team(members, body);
    for (std::size_t c = 0; c < those.width; ++c) call.put_last(moved(those.at, those.step, c), *carries_[c].last());
  }

private:
  static constexpr std::size_t tile = order::tile<T>;

  void take_tiles()
  {
    column_state<T, Op> state(those_.width, pace_);
    std::vector<T> totals(those_.width);
    for (std::size_t k; turns_.draw(k);) {
      column_job<T> job = column_job_of(call_, those_, state, k * tile, std::min(tile, call_.size - k * tile));
      if (call_.out != nullptr && turns_.has_come(k)) {
        take_carries(state);
        call_.kernels.scan_columns(job);
        if constexpr (Op::exactly_associative)
          for (std::size_t c = 0; c < those_.width; ++c)
            carries_[c] = order::carry<T, Op>(state.slot(lane_slot::previous)[c]);
        else
          add_to_carries(state.slot(lane_slot::total));
        turns_.end(k);
        continue;
      }
      total(job, state, totals.data());
      turns_.wait_for(k);
      if (call_.out != nullptr) take_carries(state);
      add_to_carries(totals.data());
      turns_.end(k);
      if (call_.out == nullptr) continue;
      job.ahead = 0;  // it is in the cache
      call_.kernels.scan_columns(job);
    }
    if (call_.around) hwy::FlushStream();
  }

  /// The totals of a tile.
  void total(column_job<T> job, column_state<T, Op>& state, T* totals) const
  {
    std::fill_n(state.slots.data(), 2 * state.stride, call_.op.identity);
    job.out = nullptr;
    job.stage = nullptr;
    call_.kernels.scan_columns(job);
    std::copy_n(state.slot(Op::exactly_associative ? lane_slot::previous : lane_slot::total), those_.width, totals);
  }

  /// Lanes beyond the last column have identities.
  void take_carries(column_state<T, Op>& state)
  {
    std::fill_n(state.slots.data(), 2 * state.stride, call_.op.identity);
    for (std::size_t c = 0; c < those_.width; ++c) {
      if (!carries_[c].last()) continue;
      state.slot(lane_slot::carry)[c] = *carries_[c].next(call_.op);
      state.slot(lane_slot::previous)[c] = *carries_[c].last();
    }
  }

  void add_to_carries(T const* totals)
  {
    for (std::size_t c = 0; c < those_.width; ++c) carries_[c].push(totals[c], call_.op);
  }

  sequences_call<T, Op> const& call_;
  columns const those_;
  column_pace const pace_;
  turns turns_;
  std::vector<order::carry<T, Op>> carries_;  // before the tile whose turn it is
};

/// Scans few columns of many tiles, which are neighbours in dimension `axis`.
template <class T, class Op>
void scan_columns_in_turns(sequences_call<T, Op> const& call, layout const& outer, dimension const& axis, int members)
{
  detail::took("batch: few columns, tiles in turns");
  for (std::size_t s = 0; s < outer.sequences(); ++s)
    columns_in_turns<T, Op>(call, {axis.extent, outer.place(s), axis.step}, members);
}

}  // namespace tally::cpu_backend
