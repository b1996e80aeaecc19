#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tally/model/array.hpp"
#include "tally/model/event.hpp"
#include "tally/model/report.hpp"

namespace tally::model {

/// Counts the events of a phase, which are in the order of the threads. The lanes of a warp act together: their
/// accesses at the same place of the source for the same time in this phase are one request. `requests`, unless null,
/// receives each request.
phase_counts count_phase(std::span<event const> events, int threads,
                         std::vector<std::unique_ptr<array_base>> const& arrays,
                         std::vector<request_counts>* requests = nullptr);

}  // namespace tally::model
