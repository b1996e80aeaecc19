#pragma once

#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "tally/batches.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/recurrence/calls.hpp"
#include "tally/detail/recurrence/gradient.hpp"
#include "tally/execution.hpp"

/// First-order linear recurrences with varying coefficients, y[k] = a[k]*y[k-1] + b[k], in parallel: each step is a map
/// of the state, and maps compose.
namespace tally {

/// Writes y[0], ..., y[n-1] of y[k] = a[k]*y[k-1] + b[k], where y[-1] is `before`.
///
///     linear_recurrence([on,] a, a_last, b, out, before)        y[k] = a[k]*y[k-1] + b[k]
///     linear_recurrence_backward([on,] a, a_last, b, out, after)     y[k] = a[k]*y[k+1] + b[k], y[n] = after
///
/// Requires  random-access iterators. All states have the type of the initial state: a ring, commutative or not (square
///           matrices; a is then multiplied from the left); std::complex is for a CPU. `out` may be `a` or `b` (in
///           place); otherwise it must not overlap them.
/// Result    the end of the output. The same bits on every backend and for every number of threads: those of
///           docs/order.md, "Linear recurrences". Integers wrap and equal the plain loop's. Real states differ from
///           the plain loop's by rounding; where |a| <= 1, by no more than that loop's own error.
///           From the first result on that is not finite they are the plain loop's: growth to infinity gives infinity,
///           and products of successive a may overflow.
/// Cost      one pass over memory: 24 bytes an element for double. O(n/p + log p) on p workers, O(n) from a result on
///           that is not finite. Floating-point states in place are computed twice on a GPU and on several threads of a
///           CPU: first to see whether all are finite.
/// Memory    that of `inclusive_scan`.
/// Blocks    until everything is written; on a GPU it returns at once.
/// Throws    whatever the iterators throw; usage_error; std::bad_alloc; cuda_error.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.4.
template <execution P, detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence(P const& on, A a, S a_last, B b, Out out, T before)
{
  detail::recurrence::check<A, B, Out, T>();
  auto const n = static_cast<std::size_t>(a_last - a);
  detail::recurrence::write_states<detail::batch::from_front>(on, a, n, b, out, std::move(before));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence(A a, S a_last, B b, Out out, T before)
{
  return tally::linear_recurrence(detail::automatic{}, a, a_last, b, out, std::move(before));
}

template <execution P, detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence_backward(P const& on, A a, S a_last, B b, Out out, T after)
{
  detail::recurrence::check<A, B, Out, T>();
  auto const n = static_cast<std::size_t>(a_last - a);
  detail::recurrence::write_states<detail::batch::from_back>(on, a, n, b, out, std::move(after));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence_backward(A a, S a_last, B b, Out out, T after)
{
  return tally::linear_recurrence_backward(detail::automatic{}, a, a_last, b, out, std::move(after));
}

/// Writes the states of many recurrences: along an axis of arrays, or of segments of any lengths (docs/batches.md).
///
///     linear_recurrence([on,] along(x, a), along(y, b), along(z, out) [, before] [, last_to(lasts)])
///     linear_recurrence([on,] segments(a, offsets), b, out [, before] [, last_to(lasts)])
///     linear_recurrence([on,] number, along(y, b), along(z, out) [, ...])         a[k] is the number for every k
///     linear_recurrence([on,] number, segments(b, offsets), out [, ...])
///
/// `before` is a state, or `each(states)`; without it states begin with T{}, which is 0 for numbers. `reversed(...)` of
/// all batches goes backward in time. `last_to(lasts)` takes the last state of each sequence.
///
/// Requires  as for ranges. States have the type that the call names, linear_recurrence<T>(...), else that of `before`,
///           else that of b. Arrays have one shape; the axes of a, b and out may be different ones, and the other axes
///           correspond in their order. A stride of 0 repeats a or b along an axis: coefficients for each channel, or
///           for each time step. `out` may be the array of a or of b (in place: every result has the place of its
///           coefficients); otherwise nothing overlaps. Results of segments have the places of their coefficients.
/// Result    for each sequence the bits of the recurrence of it alone. The last state of an empty one is `before`.
/// Cost      each coefficient is read once and each state written once; in place as for ranges.
/// Memory    as `inclusive_scan` of a batch. On a GPU besides, of each sequence 8 bytes for floating-point states and two
///           states each for `each` and last_to; two states a row of the order where no kernel takes the iterators.
/// Blocks    until everything is written; on a GPU it returns at once.
/// Throws    usage_error: arrays of different shapes; an output with a stride of 0; more than 8 axes besides, no two of
///           which lie as one; offsets that decrease or end behind the values, as far as a CPU sees them. Otherwise as
///           for ranges.
template <class Acc = void, execution P, class A, class B, class Out, class... Rest>
  requires detail::recurrence::is_coefficients<A>
void linear_recurrence(P const& on, A const& a, detail::batch::sequences<B> const& b,
                       detail::batch::sequences<Out> const& out, Rest... rest)
{
  detail::recurrence::recur_along<Acc>(on, a, b, out, std::move(rest)...);
}

template <class Acc = void, execution P, class A, class Offsets, class From, class B, class Out, class... Rest>
void linear_recurrence(P const& on, detail::batch::segments_between<A, Offsets, From> const& a, B&& b, Out&& out,
                       Rest... rest)
{
  auto const terms = detail::recurrence::terms_from("tally::linear_recurrence", b, a.elements);
  detail::recurrence::recur_segments<Acc>(on, a.values, terms, a, out, std::move(rest)...);
}

template <class Acc = void, execution P, class A, class B, class Offsets, class From, class Out, class... Rest>
  requires(!detail::is_batch<A>)
void linear_recurrence(P const& on, A const& a, detail::batch::segments_between<B, Offsets, From> const& b, Out&& out,
                       Rest... rest)
{
  detail::recurrence::recur_segments<Acc>(on, a, b.values, b, out, std::move(rest)...);
}

template <class Acc = void, class A, class B, class... Rest>
  requires(!execution<std::remove_cvref_t<A>> &&
           (detail::is_batch<std::remove_cvref_t<A>> || detail::is_batch<std::remove_cvref_t<B>>))
void linear_recurrence(A&& a, B&& b, Rest&&... rest)
{
  static_assert(
      requires { tally::linear_recurrence<Acc>(detail::automatic{}, a, b, std::forward<Rest>(rest)...); },
      "tally: linear_recurrence of a batch takes ([on,] along(x, a), along(y, b), along(z, out) [, before] [, "
      "last_to(lasts)]) or ([on,] segments(a, offsets), b, out [, before] [, last_to(lasts)]); a may be a number, and "
      "then segments(b, offsets) follows");
  tally::linear_recurrence<Acc>(detail::automatic{}, a, b, std::forward<Rest>(rest)...);
}

/// Writes the gradients of a function of the states, by the coefficients of the recurrences that made them.
///
///     linear_recurrence_gradient([on,] along(x, a), along(y, states), along(z, g), along(u, da), along(v, db)
///                                [, before] [, last_to(dbefore)])
///
/// `g[k]` is the derivative by y[k] where y[k] is used directly. With h[k] = g[k] + a[k+1]*h[k+1], which is the
/// derivative by y[k] with everything that follows from it:
///
///     db[k] = h[k]        da[k] = h[k] * y[k-1]        dbefore = a[0] * h[0]
///
/// `before` is y[-1], a state or `each(states)`, and T{} if it is not given, as in linear_recurrence. For complex
/// states these are the derivatives of a holomorphic function.
///
/// Requires  real or complex floating-point states, of the type that the call names, else that of `before`, else that
///           of g. Arrays have one shape, as for linear_recurrence; a, the states and g may repeat axes. `db` may be
///           the array of g; otherwise nothing overlaps.
/// Result    h has the bits of the recurrence backward in time with the coefficients a[k+1], 1 for the last k, and
///           terms g[k], which begins with T{} (docs/order.md). da and dbefore are rounded products. Of an empty
///           sequence dbefore is T{}.
/// Cost      one pass: three reads and two writes a step; where db is g, a GPU and several threads of a CPU compute h
///           twice. On a GPU, and on a CPU where the arrays are not all of floats or all of doubles, each step costs some
///           divisions of indices besides.
/// Memory    as linear_recurrence, and 2 KiB; on a CPU 2 MiB a thread for columns.
/// Blocks    until everything is written; on a GPU it returns at once.
/// Throws    as linear_recurrence.
template <class Acc = void, execution P, class A, class Y, class G, class ToA, class ToB, class... Rest>
void linear_recurrence_gradient(P const& on, detail::batch::sequences<A> const& a, detail::batch::sequences<Y> const& y,
                                detail::batch::sequences<G> const& g, detail::batch::sequences<ToA> const& da,
                                detail::batch::sequences<ToB> const& db, Rest... rest)
{
  detail::recurrence::gradient_along<Acc>(on, a, y, g, da, db, std::move(rest)...);
}
template <class Acc = void, class A, class... Rest>
void linear_recurrence_gradient(detail::batch::sequences<A> const& a, Rest... rest)
{
  tally::linear_recurrence_gradient<Acc>(detail::automatic{}, a, std::move(rest)...);
}

}  // namespace tally
