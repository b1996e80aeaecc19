#pragma once

#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/count_type.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Selection on a device. An element of the scan stands for itself, as a truth value.
namespace tally::detail::selection {

/// Element k of the scan.
template <class Criterion>
struct selected_flag {
  Criterion criterion;
  TALLY_HD bool operator()(std::size_t k) const { return is_selected(criterion, k); }
};

/// A step of the scan: moves element k.
template <class Move>
struct move_element {
  Move move;
  std::size_t* total;

  TALLY_HD auto take(std::size_t k) const { return move.take(k); }
  template <class Count, class Taken>
  TALLY_HD void operator()(std::size_t k, Count before, Count upto, Taken const& taken) const
  {
    move.one(k, static_cast<std::size_t>(before), before != upto, taken);
  }
  template <class Count>
  TALLY_HD void end(Count count) const
  {
    *total = static_cast<std::size_t>(count);
  }
};

/// Moves the selected ones of n elements, and returns their number.
template <device P, class Criterion, class Move>
std::size_t move_selected(P const& on, std::size_t n, std::size_t /*bytes*/, Criterion const& criterion,
                          Move const& move)
{
  if (n == 0) return 0;
  temporary<std::size_t, P> const total(on, 1);
  with_count_type(n, [&]<class Count>(Count) {
    auto const elements = elements_from(selected_flag<Criterion>{criterion});
    tally::inclusive_scan<Count>(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                                 steps_to(move_element<Move>{move, total.data()}));
  });
  return value_at(on, total.data());
}

/// The number of selected ones of n elements.
template <device P, class Criterion>
std::size_t count_selected(P const& on, std::size_t n, std::size_t /*bytes*/, Criterion const& criterion)
{
  auto const elements = elements_from(selected_flag<Criterion>{criterion});
  return tally::reduce<std::size_t>(on, elements, elements + static_cast<std::ptrdiff_t>(n));
}

}  // namespace tally::detail::selection
