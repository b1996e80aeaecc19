#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tally/model/array.hpp"
#include "tally/model/event.hpp"
#include "tally/model/report.hpp"

namespace tally::model {

/// Counts the events of a phase, which stand thread by thread. Lanes of a warp go together as a warp does: what they do
/// at the same place of the source for the same time in this phase is one request. `requests`, if any, takes them one
/// by one.
phase_counts count_phase(std::span<event const> events, int threads,
                         std::vector<std::unique_ptr<array_base>> const& arrays,
                         std::vector<request_counts>* requests = nullptr);

}  // namespace tally::model
