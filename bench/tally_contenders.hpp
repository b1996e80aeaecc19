#pragma once

#include <vector>

#include "contender.hpp"

namespace tally::bench {

/// Adds Tally itself, on one thread and on as many as it chooses.
void add_tally(std::vector<contender>& to);

}  // namespace tally::bench
