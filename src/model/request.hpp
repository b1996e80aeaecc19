#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tally/model/array.hpp"
#include "tally/model/event.hpp"
#include "tally/model/report.hpp"

namespace tally::model {

/// What the machine counts of one phase of a block.
struct phase_counts {
  std::size_t steps = 0;   ///< the most applications of a thread
  bool transfers = false;  ///< global memory is touched
  shared_counts shared;
  warp_counts warps;
  global_counts global;
};

/// Counts the events of a phase, which stand thread by thread. Lanes of a warp go together as a warp does: what they do at the same place of the
/// source for the same time in this phase is one request.
phase_counts count_phase(std::span<event const> events, int threads,
                         std::vector<std::unique_ptr<array_base>> const& arrays);

}  // namespace tally::model
