#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/integration/nodes.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

namespace tally {
template <class T>
struct distribution_point;
}

/// The table of a distribution on a GPU.
namespace tally::detail::distribution {

/// Writes a line with the area up to it.
template <class F, class T, class Out>
struct point_writer {
  F density;
  integration::equidistant<T> nodes;
  Out out;

  TALLY_HD void operator()(std::size_t k, T const& area_so_far) const
  {
    T const x = nodes.at(2 * k + 2);
    out[static_cast<std::iter_difference_t<Out>>(k)] = distribution_point<T>{x, density(x), area_so_far};
  }
};

/// Writes a line for the end of each interval.
template <device P, class F, class T, class Out>
void write_table(P const& on, integration::trapezoid_areas<F, T> const& stencil, Out out)
{
  auto const areas = elements_from(stencil);
  tally::inclusive_scan(on, areas, areas + static_cast<std::ptrdiff_t>(stencil.nodes.intervals),
                        results_to(point_writer<F, T, Out>{stencil.f, stencil.nodes, out}));
}

}  // namespace tally::detail::distribution
