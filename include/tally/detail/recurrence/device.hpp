#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/recurrence/maps.hpp"
#include "tally/operators/affine.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// A first-order recurrence on a GPU: a scan of the maps of single steps.
namespace tally::detail::recurrence {

/// Writes state k: the map of all steps up to it, applied to the initial state.
template <class T, class Out, class Time>
struct state_writer {
  Out out;
  T before;
  std::size_t size;

  TALLY_HD void operator()(std::size_t k, affine<T> const& all) const
  {
    out[static_cast<std::iter_difference_t<Out>>(Time::element(k, size))] = all(before);
  }
};

/// Writes the n states of a recurrence that begins with `before`.
template <class Time, device P, class A, class B, class Out, class T>
void write_states(P const& on, A a, std::size_t n, B b, Out out, T before)
{
  if (n == 0) return;
  auto const maps = elements_from(step_maps<T, A, B, Time>{a, b, n});
  tally::inclusive_scan(on, maps, maps + static_cast<std::ptrdiff_t>(n),
                        results_to(state_writer<T, Out, Time>{out, std::move(before), n}), compose{});
}

}  // namespace tally::detail::recurrence
