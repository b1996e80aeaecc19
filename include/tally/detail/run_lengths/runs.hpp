#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"

/// Runs of elements that are the same. A run's head is its first element.
namespace tally::detail::run_lengths {

/// The number of runs that have begun, and the last one's head.
template <class Index>
struct runs_so_far {
  Index count;
  Index head;
};
/// Joins two neighbouring stretches. Exact: the later head stays, whatever the brackets.
struct join_runs {
  static constexpr bool exactly_associative = true;

  template <class Index>
  TALLY_HD runs_so_far<Index> operator()(runs_so_far<Index> const& a, runs_so_far<Index> const& b) const
  {
    return {static_cast<Index>(a.count + b.count), b.count != 0 ? b.head : a.head};
  }
};

/// Writes the values and the lengths of runs.
template <class I, class Values, class Lengths>
struct run_output {
  I in;
  Values values;
  Lengths lengths;

  /// The run begins at element k.
  TALLY_HD_AS_GIVEN
  TALLY_HD void begin(std::size_t run, std::size_t k) const { at_index(values, run) = at_index(in, k); }
  TALLY_HD_AS_GIVEN
  TALLY_HD void length(std::size_t run, std::size_t count) const
  {
    at_index(lengths, run) = static_cast<std::iter_value_t<Lengths>>(count);
  }
};

}  // namespace tally::detail::run_lengths
