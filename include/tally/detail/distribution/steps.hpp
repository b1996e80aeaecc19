#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"

namespace tally {
template <class T>
struct distribution_step;
}

/// The steps of an empirical distribution.
namespace tally::detail::distribution {

/// Whether a sorted value is the last of its equals.
template <class I>
struct last_of_equals {
  I values;
  std::size_t size;

  TALLY_HD bool operator()(std::size_t k) const
  {
    using distance = std::iter_difference_t<I>;
    return k + 1 == size || values[static_cast<distance>(k)] < values[static_cast<distance>(k + 1)];
  }
};

/// Writes a step: the value at index k, and k + 1, the number of values up to it.
template <class I, class Out>
struct step_writer {
  I values;
  Out out;

  TALLY_HD void operator()(std::size_t step, std::size_t k) const
  {
    out[static_cast<std::iter_difference_t<Out>>(step)] =
        distribution_step<std::iter_value_t<I>>{values[static_cast<std::iter_difference_t<I>>(k)], k + 1};
  }
};

}  // namespace tally::detail::distribution
