#pragma once

#include <cstddef>

namespace tally::detail::tree {

/// The sizes that choose how a tree is numbered on a CPU. They never change a result. Tests set them so that small
/// trees take every path.
struct tuning {
  /// Where parents come before their children, fewer threads than these walk no tour: on Zen 4 the tour takes 3 to 5
  /// times the processor time of one thread without it (docs/applications/tree.md).
  int threads_worth_a_tour = 6;
  /// Nodes of a block that is put in order of its parents' ranges.
  std::size_t tour_block = 65536;
  /// A range has at least 2^12 parents, whose last steps fit into a core's cache.
  int least_range_bits = 12;
  /// At most this many whole ranges, so that a block's places for them fit into the first level of the cache.
  std::size_t most_ranges = 256;
  /// Sections of the tour that a thread draws at a time.
  std::size_t sections_a_draw = 128;
};

/// The sizes of all calls of this process. They change only while no call runs.
inline tuning tuning_in_use;

}  // namespace tally::detail::tree
