#pragma once

#include <vector>

#include "cell.hpp"
#include "data_set.hpp"
#include "exact.hpp"

namespace tally::bench {

/// How long a cell may take, and with that how precise its figures are.
struct effort {
  int rounds_at_least;
  int rounds_at_most;
  double seconds_a_cell;         ///< no further round begins after this, once there are enough
  double seconds_a_batch_cache;  ///< calls are timed in batches at least this long
  double seconds_a_batch_memory;
};

/// Nine rounds of 2 ms in cache; three to seven beyond.
inline constexpr effort full_effort{3, 9, 0.8, 0.002, 0.005};
inline constexpr effort quick_effort{3, 5, 0.3, 0.001, 0.003};

/// Beyond cache a contender is left out after two rounds if it is this many times slower than the best of its kind;
/// after one round, if it is twice that many times slower.
inline constexpr double hopeless_peer = 2.0;
inline constexpr double hopeless_limit = 1.2;

/// Checks every contender of the cell, then times those with the right result in interleaved rounds. The median of a
/// contender that was left out is that of the rounds that it was in.
void run_cell(cell& c, std::vector<contender> const& contenders, data_set const& data, exact const& results,
              effort const& how);

}  // namespace tally::bench
