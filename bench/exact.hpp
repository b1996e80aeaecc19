#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data_set.hpp"

namespace tally::bench {

/// What a contender's output is worth.
struct verdict {
  /// Not a result that any order of additions could give: a difference in an integer, a lost or foreign element, a
  /// write beyond the end, an error above what the roundings of so many terms can add up to.
  bool wrong = false;
  double relative_error = 0;  ///< the largest over all elements; 0 for exact types
  double ulp_error = 0;       ///< the same in units in the last place of the exact value

  /// A float sum that has stopped growing, or nearly: fewer than three digits are right somewhere.
  bool stalled() const { return relative_error > 1e-3; }
};

/// The exact results over a data set, from whole numbers, and the comparison with them.
class exact {
public:
  explicit exact(data_set const& data);

  /// Makes the first n outputs, and some bytes beyond, into what no contender writes. To be called before a check.
  void poison(std::size_t n) const;

  /// Looks at the first n outputs of `what` over the first n inputs, and poisons them again.
  verdict check(operation what, std::size_t n) const;

  /// The same for a limit: whether `bytes` bytes were copied; whether their exclusive-or is right.
  verdict check_copy(std::size_t bytes) const;
  verdict check_read(std::size_t bytes) const;

  /// Elements from one checkpoint to the next.
  static constexpr std::size_t chunk = std::size_t{1} << 18;

private:
  data_set const& data_;
  std::vector<std::uint64_t> before_;  // the exact sum of all elements before each chunk, modulo 2^64
};

}  // namespace tally::bench
