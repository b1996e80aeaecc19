#pragma once

#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/count_type.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/run_lengths/runs.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Run lengths on a device, by single elements.
namespace tally::detail::run_lengths {

/// Element k of the scan.
template <class Criterion, class Index>
struct runs_of_element {
  Criterion criterion;
  TALLY_HD runs_so_far<Index> operator()(std::size_t k) const
  {
    return selection::is_selected(criterion, k) ? runs_so_far<Index>{1, static_cast<Index>(k)}
                                                : runs_so_far<Index>{0, 0};
  }
};

/// Result k of the scan: a run's value is written at its head, its length at its last element.
template <class Criterion, class Output>
struct write_at_element {
  Criterion criterion;
  Output out;
  std::size_t n;
  std::size_t* total;

  template <class Index>
  TALLY_HD void operator()(std::size_t k, runs_so_far<Index> const& upto) const
  {
    std::size_t const run = static_cast<std::size_t>(upto.count) - 1;
    if (upto.head == k) out.begin(run, k);
    if (k + 1 == n || selection::is_selected(criterion, k + 1))
      out.length(run, k + 1 - static_cast<std::size_t>(upto.head));
    if (k + 1 == n) *total = run + 1;
  }
};

/// Writes the runs of n elements, and returns their number. `criterion` selects heads.
template <device P, class Criterion, class Output>
std::size_t encode(P const& on, std::size_t n, std::size_t /*bytes*/, Criterion const& criterion, Output const& out)
{
  if (n == 0) return 0;
  temporary<std::size_t, P> const total(on, 1);
  with_count_type(n, [&]<class Index>(Index) {
    auto const elements = elements_from(runs_of_element<Criterion, Index>{criterion});
    tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                          results_to(write_at_element<Criterion, Output>{criterion, out, n, total.data()}),
                          join_runs{});
  });
  return value_at(on, total.data());
}

/// Writes the `total` elements that runs decode to, each after a search for its run.
template <device P, class Decoding>
void decode(P const& on, std::size_t total, Decoding const& decoding)
{
  tally::for_each_index(on, total, decoding);
}

}  // namespace tally::detail::run_lengths
