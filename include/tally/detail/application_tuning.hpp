#pragma once

#include <cstddef>

namespace tally::detail {

/// The sizes that choose by which path an application runs on a CPU, where small arrays would not reach every path.
/// They never change its result. Tests set them.
struct application_tuning {
  /// A segment that ends more than so many blocks of 4096 behind the one in which it begins is long, and all threads
  /// share it: some 2^18 elements, what they pay for.
  std::size_t blocks_of_a_long_segment = 64;

  /// Keys of a radix sort's block are n / `radix_blocks`, but at least and at most these: so long that 256 counters are
  /// little beside them, and so many that every thread has several.
  std::size_t radix_blocks = 1024;
  std::size_t radix_least_block = std::size_t{1} << 14;
  std::size_t radix_most_block = std::size_t{1} << 18;

  /// Trees whose parents come first are numbered by one thread unless so many may run, which the tour needs to be
  /// quicker: on Zen 4 they take 3 to 5 times the time of one here, all together (docs/applications/tree.md).
  int threads_worth_a_tour = 6;
  /// Nodes of a block whose children are put in order of their parents' ranges.
  std::size_t tour_block = 65536;
  /// A range has 2^12 parents or more, whose last steps a core's cache holds, and there are some 256 of them at most,
  /// so that a block's places for them are in the first level.
  int least_range_bits = 12;
  std::size_t most_ranges = 256;
  /// Sections of the tour that a thread draws at a time.
  std::size_t sections_a_draw = 128;
};

/// Those of all calls of this process. They change only while no call runs.
inline application_tuning tuning_of_applications;

}  // namespace tally::detail
