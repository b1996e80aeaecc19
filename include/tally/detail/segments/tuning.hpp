#pragma once

#include <cstddef>

namespace tally::detail::segments {

/// The size that chooses how segments run on a CPU. It never changes a result. Tests set it so that small arrays take
/// every path.
struct tuning {
  /// A segment that ends more than this many blocks of 4096 elements behind the one in which it begins is long, and all
  /// threads share it: 2^18 elements, which pay for the threads.
  std::size_t blocks_of_a_long_segment = 64;
};

/// The sizes of all calls of this process. They change only while no call runs.
inline tuning tuning_in_use;

}  // namespace tally::detail::segments
