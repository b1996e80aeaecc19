#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"

namespace tally::detail::histogram {

/// Adds up slot k of all copies, in their order, as a `Sum`, and writes the sum as a `Result` to `out`. Slot k of copy
/// c is `sums[c * slots + k]`.
template <class Sum, class Out, class Result = Sum>
struct add_copies {
  Sum const* sums;
  std::size_t copies;
  std::size_t slots;
  Out out;

  TALLY_HD void operator()(std::size_t k) const
  {
    Sum sum = sums[k];
    for (std::size_t copy = 1; copy < copies; ++copy) sum = plus{}(sum, sums[copy * slots + k]);
    out[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(static_cast<Result>(sum));
  }
};

}  // namespace tally::detail::histogram
