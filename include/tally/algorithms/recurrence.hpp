#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/recurrence/default_execution.hpp"
#include "tally/detail/recurrence/device.hpp"
#include "tally/detail/recurrence/host.hpp"
#include "tally/detail/recurrence/maps.hpp"
#include "tally/execution.hpp"

/// First-order linear recurrences with varying coefficients, y[k] = a[k]*y[k-1] + b[k], in parallel: each step is a map
/// of the state, and maps compose.
namespace tally {

/// Writes y[0], ..., y[n-1] of y[k] = a[k]*y[k-1] + b[k], where y[-1] is `before`.
///
///     linear_recurrence([on,] a, a_last, b, out, before)        y[k] = a[k]*y[k-1] + b[k]
///     linear_recurrence_backward([on,] a, a_last, b, out, after)     y[k] = a[k]*y[k+1] + b[k], y[n] = after
///
/// Requires  random-access iterators. All states have the type of the initial state: a ring with T(1), commutative or
///           not (square matrices; a is then multiplied from the left). On a CPU `out` may be `a` or `b` (in place);
///           otherwise it must not overlap them. Products of successive a must stay finite on a GPU, and everywhere for
///           types other than floating-point numbers. Otherwise a state may be NaN that the plain loop keeps finite.
/// Result    the end of the output. The same bits for every number of threads. Integers wrap and equal those of the
///           plain loop. Floating-point states are bracketed in fours and blocks, so they differ from the plain loop's
///           by rounding; where |a| <= 1, by no more than that loop's own error. Where products of successive a
///           overflow, a CPU goes on step by step as the plain loop does: growth to infinity gives infinity, not NaN.
/// Cost      one pass over memory: 24 bytes an element for double. In the cache each element takes 3 products and 2
///           sums for the map of its block, and some 4 products and 3 sums for its state; the state waits for a quarter of
///           one product and one sum. O(n/p + log p) on p threads, O(n) after an overflow.
/// Memory    that of `inclusive_scan`, and a map and a state for each 4 KiB of coefficients.
/// Blocks    until everything is written; on a GPU it returns at once.
/// Throws    whatever the iterators throw; usage_error; std::bad_alloc; cuda_error.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.4; the look-ahead: Kogge, The architecture
///           of pipelined computers (1981).
template <execution P, detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence(P const& on, A a, S a_last, B b, Out out, T before)
{
  detail::recurrence::check<A, B, Out, T>();
  auto const n = static_cast<std::size_t>(a_last - a);
  detail::recurrence::write_states<detail::recurrence::forward_in_time>(on, a, n, b, out, std::move(before));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence(A a, S a_last, B b, Out out, T before)
{
  return tally::linear_recurrence(detail::recurrence::default_execution<T, A, B, Out>(), a, a_last, b, out,
                                  std::move(before));
}

template <execution P, detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence_backward(P const& on, A a, S a_last, B b, Out out, T after)
{
  detail::recurrence::check<A, B, Out, T>();
  auto const n = static_cast<std::size_t>(a_last - a);
  detail::recurrence::write_states<detail::recurrence::backward_in_time>(on, a, n, b, out, std::move(after));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence_backward(A a, S a_last, B b, Out out, T after)
{
  return tally::linear_recurrence_backward(detail::recurrence::default_execution<T, A, B, Out>(), a, a_last, b, out,
                                           std::move(after));
}

}  // namespace tally
