#pragma once

#include <cstddef>

#include "tally/detail/execution.hpp"
#include "tally/detail/integration/nodes.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// Integrals on a GPU, by single nodes.
namespace tally::detail::integration {

/// f(0) + ... + f(n-1), n > 0.
template <device P, class F>
auto sum(P const& on, F const& f, std::size_t n)
{
  auto const values = elements_from(f);
  return tally::reduce(on, values, values + static_cast<std::ptrdiff_t>(n));
}

/// Writes the integral up to the end of each interval.
template <device P, class F, class T, class Out>
void write_areas(P const& on, trapezoid_areas<F, T> const& stencil, Out out)
{
  auto const areas = elements_from(stencil);
  tally::inclusive_scan(on, areas, areas + static_cast<std::ptrdiff_t>(stencil.nodes.intervals), out);
}

}  // namespace tally::detail::integration
