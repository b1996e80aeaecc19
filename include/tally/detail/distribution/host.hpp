#pragma once

#include <cstddef>
#include <iterator>

#include "tally/detail/execution.hpp"
#include "tally/detail/integration/host.hpp"
#include "tally/detail/integration/nodes.hpp"

namespace tally {
template <class T>
struct distribution_point;
}

/// The table of a distribution on a CPU.
namespace tally::detail::distribution {

/// Writes a line with the area of its block so far; `add` completes it by the area of all blocks before.
template <class Out>
struct line_writer {
  Out out;

  template <class T>
  void operator()(std::size_t k, T const& x, T const& density, T const& area) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)] = distribution_point<T>{x, density, area};
  }
  template <class T>
  void add(std::size_t k, T const& area) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)].cumulative += area;
  }
};

/// Writes a line for the end of each interval.
template <host P, class F, class T, class Out>
void write_table(P const& on, integration::trapezoid_areas<F, T> const& areas, Out out)
{
  integration::accumulate_areas(on, areas.f, areas.nodes, line_writer<Out>{out});
}

}  // namespace tally::detail::distribution
