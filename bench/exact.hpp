#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data_set.hpp"

namespace tally::bench {

/// The result of checking a contender's output.
struct verdict {
  /// No order of additions could give this output: an integer differs, an element is lost or foreign, bytes beyond the
  /// end are written, or an error is larger than the roundings of all terms together.
  bool wrong = false;
  double relative_error = 0;  ///< the largest over all elements; 0 for exact types
  double ulp_error = 0;       ///< the same in units in the last place of the exact value

  /// A float sum has stopped growing, or nearly so: somewhere fewer than three digits are right.
  bool stalled() const { return relative_error > 1e-3; }
};

/// The exact results over a data set, from whole numbers, and the comparison with them.
class exact {
public:
  explicit exact(data_set const& data);

  /// Overwrites the first n outputs, and some bytes beyond, with a pattern that no contender writes. Call it before a
  /// check.
  void poison(std::size_t n) const;

  /// Checks the first n outputs of `what` over the first n inputs, and poisons them again.
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
