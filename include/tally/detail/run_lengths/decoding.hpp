#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"

namespace tally::detail::run_lengths {

/// Writes elements that runs decode to. Run r has value values[r] and ends before place ends[r].
template <class Values, class Out>
struct decoding {
  Values values;
  std::uint64_t const* ends;
  std::size_t runs;
  Out out;

  /// The run in which place k lies: the first one that ends behind k. A run of length 0 ends where the run before it
  /// does, so it is never the first.
  TALLY_HD std::size_t run_at(std::size_t k) const
  {
    std::size_t low = 0, size = runs;
    while (size > 0) {
      std::size_t const half = size / 2;
      if (ends[low + half] <= k) {
        low += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    return low;
  }
  /// Writes places [begin, end).
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t begin, std::size_t end) const
  {
    std::size_t run = run_at(begin);
    for (std::size_t k = begin; k < end; ++run) {
      std::size_t const upto = ends[run] < end ? static_cast<std::size_t>(ends[run]) : end;
      std::iter_value_t<Values> const value = at_index(values, run);
      for (; k < upto; ++k) at_index(out, k) = value;
    }
  }
  /// Writes place k.
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t k) const { at_index(out, k) = at_index(values, run_at(k)); }
};

}  // namespace tally::detail::run_lengths
