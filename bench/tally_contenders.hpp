#pragma once

#include <vector>

#include "contender.hpp"

namespace tally::bench {

/// Tally itself, on one thread and with as many as it chooses.
void add_tally(std::vector<contender>& to);

}  // namespace tally::bench
