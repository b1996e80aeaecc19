#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/recurrence/default_execution.hpp"
#include "tally/detail/recurrence/filter.hpp"
#include "tally/execution.hpp"

/// Linear recurrences of any order with constant coefficients. Signal processing calls them all-pole filters of
/// infinite impulse response.
namespace tally {

/// Writes out[k] = x[k] + feedback[0]*out[k-1] + feedback[1]*out[k-2] + ..., where out[-1], out[-2], ... are `before`,
/// or zeros.
///
///     recursive_filter([on,] feedback, first, last, out [, before])
///
/// The feed-forward part of a filter is a map of the input. `first` can be such a map: the iterator of `elements_from`.
///
/// Requires  feedback and before are std::array<T, Order>, Order > 0; random-access iterators; a CPU. `out` may be
///           `first` (in place), otherwise it must not overlap the input. T is a ring with T(1).
/// Result    the end of the output. The same bits for every number of threads. Integers wrap and equal those of the
///           plain loop. Floating-point values differ from that loop's by rounding. Where a filter that is not stable
///           overflows, outputs are computed one by one as the loop does: growth to infinity gives infinity, not NaN.
/// Cost      one pass over memory: each element is read and written once. Twice the loop's work in the cache, of which
///           four steps run at once. O(n/p + log p) on p threads.
/// Memory    that of `inclusive_scan`, and 5 states for each 1280 elements.
/// Blocks    until everything is written.
/// Throws    whatever the iterators throw; usage_error; std::bad_alloc.
/// Source    Kogge & Stone, A parallel algorithm for the efficient solution of a general class of recurrence equations
///           (1973); Blelloch (1990), section 1.4.
template <execution P, class T, std::size_t Order, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out recursive_filter(P const& on, std::array<T, Order> const& feedback, I first, S last, Out out,
                     std::type_identity_t<std::array<T, Order>> const& before = {})
{
  static_assert(detail::host<P>, "tally: recursive_filter runs on a CPU; on a GPU linear_recurrence does, for order 1");
  static_assert(Order > 0, "tally: a recursive filter feeds back at least one output");
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Out>,
                "tally: a recursive filter takes random-access iterators: its blocks are reached by index");
  static_assert(!(std::is_integral_v<T> && std::is_floating_point_v<std::iter_value_t<I>>),
                "tally: integer coefficients would truncate every value of a floating-point signal. Write them as 1.0");
  auto const n = static_cast<std::size_t>(last - first);
  detail::recurrence::filter(on, feedback, first, n, out, before);
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class T, std::size_t Order, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out recursive_filter(std::array<T, Order> const& feedback, I first, S last, Out out,
                     std::type_identity_t<std::array<T, Order>> const& before = {})
{
  return tally::recursive_filter(detail::recurrence::default_execution<T, I, Out>(), feedback, first, last, out,
                                 before);
}

}  // namespace tally
