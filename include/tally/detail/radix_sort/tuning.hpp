#pragma once

#include <cstddef>

namespace tally::detail::radix_sort {

/// The sizes that choose the blocks of a radix sort on a CPU. They never change its result. Tests set them so that
/// small arrays take every path.
struct tuning {
  /// A block has n / `blocks` keys, within the two bounds: enough that its 256 counters are small beside it, and so few
  /// that every thread has several blocks.
  std::size_t blocks = 1024;
  std::size_t least_block = std::size_t{1} << 14;
  std::size_t most_block = std::size_t{1} << 18;
};

/// The sizes of all calls of this process. They change only while no call runs.
inline tuning tuning_in_use;

}  // namespace tally::detail::radix_sort
