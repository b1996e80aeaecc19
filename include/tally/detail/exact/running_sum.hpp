#pragma once

#include <cstddef>

#include "tally/detail/exact/fixed_point.hpp"

/// The results of an exact scan one after the other.
namespace tally::detail::exact {

/// The sum of some terms as a pair of doubles, high + low, but for less than a bound. The bound is 0 unless terms are
/// so far apart that two doubles do not hold the sum.
template <class T>
class running_sum {
public:
  explicit running_sum(sum_of<T> const& sum) { begin(sum); }

  /// Writes the sums of n more elements, of the terms up to each or before each, and adds all to `sum`, which has those
  /// before. A result that the pair does not tell, and those behind it, are rounded from the whole sum.
  ///
  /// Requires  n <= most; x and out do not overlap.
  void scan(T const* x, std::size_t n, T* out, sum_of<T>& sum, bool inclusive);

  /// The elements of a call of `scan`, at most.
  static constexpr std::size_t most = 512;

private:
  void begin(sum_of<T> const& sum);
  std::size_t scan_pairs(T const* x, std::size_t n, T* out, bool inclusive);

  double high_ = 0, low_ = 0, bound_ = 0;
  bool usable_ = false;
};

}  // namespace tally::detail::exact
