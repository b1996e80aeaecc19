#pragma once

#include <cstddef>

namespace tally::detail::segments {

/// The sizes that choose how segments run on a CPU. They never change a result. Tests set them so that small arrays
/// take every path.
struct tuning {
  /// A segment that ends more than this many blocks of 4096 elements behind the one in which it begins is long, and all
  /// threads share it: 2^18 elements, which pay for the threads.
  std::size_t blocks_of_a_long_segment = 64;
  /// Keys of a block are copied one by one if fewer than one element in this many is a head.
  std::size_t few_heads = 16;
  /// Teams on a CPU, which run for the sake of tests, write heads one by one if a word of 32 elements has at most this
  /// many on average.
  int few_in_a_word = 6;
};

/// The sizes of all calls of this process. They change only while no call runs.
inline tuning tuning_in_use;

}  // namespace tally::detail::segments
