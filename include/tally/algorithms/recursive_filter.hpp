#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/batches.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/recurrence/default_execution.hpp"
#include "tally/detail/recurrence/filter_calls.hpp"
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
/// Requires  feedback and before are std::array<T, Order>, Order > 0; random-access iterators. `out` may be `first` (in
///           place), otherwise it must not overlap the input. T is a ring with T(1); on a GPU no half.
/// Result    the end of the output. The same bits on every backend and for every number of threads. Integers wrap and equal those of the
///           plain loop. Floating-point values differ from that loop's by rounding. Where a filter that is not stable
///           overflows, outputs are computed one by one as the loop does: growth to infinity gives infinity, not NaN.
/// Cost      one pass over memory: each element is read and written once. Twice the loop's work in the cache, of which
///           four steps run at once. O(n/p + log p) on p threads. On a GPU elements are read twice.
/// Memory    that of `inclusive_scan`, and 5 states for each 1280 elements; on a GPU 6 states and 3 maps of them, of
///           Order * (Order + 1) values each.
/// Blocks    until everything is written; on a GPU it returns at once.
/// Throws    whatever the iterators throw; usage_error; std::bad_alloc.
/// Source    Kogge & Stone, A parallel algorithm for the efficient solution of a general class of recurrence equations
///           (1973); Blelloch (1990), section 1.4.
template <execution P, class T, std::size_t Order, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out recursive_filter(P const& on, std::array<T, Order> const& feedback, I first, S last, Out out,
                     std::type_identity_t<std::array<T, Order>> const& before = {})
{
  detail::recurrence::check_filter<T, Order, std::iter_value_t<I>>();
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Out>,
                "tally: a recursive filter takes random-access iterators: its blocks are reached by index");
  auto const n = static_cast<std::size_t>(last - first);
  detail::recurrence::filter_range(on, feedback, first, n, out, before);
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class T, std::size_t Order, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out recursive_filter(std::array<T, Order> const& feedback, I first, S last, Out out,
                     std::type_identity_t<std::array<T, Order>> const& before = {})
{
  return tally::recursive_filter(detail::recurrence::default_execution<T, I, Out>(), feedback, first, last, out,
                                 before);
}

/// Filters many signals: along an axis of arrays, as the channels of a recording, or segments of any lengths
/// (docs/batches.md).
///
///     recursive_filter([on,] feedback, along(x, in), along(z, out) [, before] [, last_to(lasts)])
///     recursive_filter([on,] feedback, segments(in, offsets), out [, before] [, last_to(lasts)])
///
/// `before` is a state, std::array<T, Order>, the latest output first, or `each(states)`; without it states are zeros.
/// `reversed(...)` of all batches goes backward in time. `last_to(lasts)` takes the state after each signal, with which
/// another call goes on: a stream in pieces.
///
/// Requires  as for ranges; arrays have one shape, besides the places of their axes, and may be one (in place, with the
///           same strides). Results of segments have the places of their elements.
/// Result    for each signal the bits of the filter of it alone. The last state of an empty one is `before`. A signal in
///           pieces differs from the whole by rounding.
/// Cost      as for ranges. On a CPU a signal of less than 512 KiB runs on one thread.
/// Memory    as for ranges; on a GPU also two states for each signal.
/// Blocks    until everything is written. On a GPU it returns at once, except for segments of a bare pointer, whose
///           offsets it waits for.
/// Throws    usage_error: arrays of different shapes; an output with a stride of 0; more than 8 axes besides, no two of
///           which lie as one; offsets that end behind the values, as far as a CPU sees them. Otherwise as for ranges.
template <execution P, class T, std::size_t Order, class In, class Out, class... Rest>
void recursive_filter(P const& on, std::array<T, Order> const& feedback, detail::batch::sequences<In> const& in,
                      detail::batch::sequences<Out> const& out, Rest... rest)
{
  detail::recurrence::filter_along(on, feedback, in, out, std::move(rest)...);
}
template <class T, std::size_t Order, class In, class Out, class... Rest>
void recursive_filter(std::array<T, Order> const& feedback, detail::batch::sequences<In> const& in,
                      detail::batch::sequences<Out> const& out, Rest... rest)
{
  detail::recurrence::filter_along(detail::recurrence::default_execution<T, In*, Out*>(), feedback, in, out,
                                   std::move(rest)...);
}

template <execution P, class T, std::size_t Order, class Values, class Offsets, class From, class Out, class... Rest>
void recursive_filter(P const& on, std::array<T, Order> const& feedback,
                      detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out, Rest... rest)
{
  detail::recurrence::filter_segments(on, feedback, in, out, std::move(rest)...);
}
template <class T, std::size_t Order, class Values, class Offsets, class From, class Out, class... Rest>
void recursive_filter(std::array<T, Order> const& feedback,
                      detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out, Rest... rest)
{
  detail::recurrence::filter_segments(detail::recurrence::default_execution<T, Values>(), feedback, in, out,
                                      std::move(rest)...);
}

}  // namespace tally
