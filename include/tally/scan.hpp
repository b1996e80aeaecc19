#pragma once

#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/contract.hpp"
#include "tally/cpu/backend.hpp"

namespace tally {

namespace detail {

/// Every scan. `T` is the accumulator's type; an exclusive scan has an initial value.
template <direction Shift, class Acc, class T, class P, class I, class S, class Out, class Op, class Transform>
Out scan_all(P const& on, I first, S last, Out out, std::optional<T> init, Op op, Transform transform)
{
  check_operands<Acc, T, transformed_t<Transform, std::iter_reference_t<I>>, Op>();
  check_output<Out, T>();
  auto combine = canonical_operator<T>(std::move(op));
  return backend_scan<T>(on, std::move(first), std::move(last), std::move(out), std::move(init), combine, transform,
                         Shift);
}

}  // namespace detail

/// Writes `out[k] = init + first[0] + ... + first[k]`, where `a + b` is `op(a, b)` and `init` may be left out.
///
///     inclusive_scan([on,] first, last, out [, op [, init]])        inclusive_scan([on,] in, out [, op [, init]])
///
/// `out` is an output iterator, or for the range forms also a range, which must be at least as long as `in`.
///
/// Requires  as `reduce`. `out` may be `first` (in place); otherwise the two must not overlap.
/// Result    the end of what was written. The same bits for every number of threads and on every machine
///           (docs/order.md); every element of a float sum is within the error of docs/accuracy.md, whatever n.
/// Cost      one pass: each element is read once and written once. Vectorised for Tally's operators on arithmetic types
///           in contiguous memory; else 4 applications of `op` an element (7 for elements of 16 bytes or more, 1 if
///           `op` says that it is exactly associative). O(n/p + log p) on p threads.
/// Memory    none on one thread; else 32 KiB a thread.
/// Blocks    until all is written. A thread that the system takes the processor from delays the others only once they
///           are 512 tiles (16 MiB) a thread ahead of it.
/// Throws    what `op` and the iterators throw, and then `out` is partly written; usage_error; std::bad_alloc.
/// Source    Merrill & Garland (2016) for the single pass; docs/order.md for the order.
template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class Op = plus>
auto inclusive_scan(P const& on, I first, S last, Out out, Op op = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  return detail::scan_all<detail::direction::inclusive, Acc, value>(
      on, std::move(first), std::move(last), std::move(out), std::optional<value>(), std::move(op), std::identity{});
}

template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class Op,
          class T>
auto inclusive_scan(P const& on, I first, S last, Out out, Op op, T init)
{
  using value = detail::accumulator<Acc, T>;
  return detail::scan_all<detail::direction::inclusive, Acc, value>(
      on, std::move(first), std::move(last), std::move(out), detail::initial<value>(std::move(init)), std::move(op),
      std::identity{});
}

template <class Acc = void, execution P, class R, class Out, class... OpInit>
  requires detail::range_before<R, Out>
auto inclusive_scan(P const& on, R&& in, Out&& out, OpInit... op_init)
{
  return tally::inclusive_scan<Acc>(on, std::ranges::begin(in), std::ranges::end(in), detail::output_of(in, out),
                                    std::move(op_init)...);
}

template <class Acc = void, class First, class... Rest>
  requires(!execution<std::remove_cvref_t<First>>)
auto inclusive_scan(First&& first, Rest&&... rest)
{
  static_assert(
      requires {
        tally::inclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first), std::forward<Rest>(rest)...);
      }, "tally: inclusive_scan takes ([on,] first, last, out [, op [, init]]) or ([on,] in, out [, op [, init]]), "
         "where `on` is an "
         "execution such as tally::cpu{}, and first, last and out are iterators");
  return tally::inclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first), std::forward<Rest>(rest)...);
}

/// Writes `out[k] = init + first[0] + ... + first[k-1]`: `out[0]` is `init`, the last element is not in any result.
///
///     exclusive_scan([on,] first, last, out, init [, op])        exclusive_scan([on,] in, out, init [, op])
///
/// Its bits are those of the inclusive scan with the same `init`, one place later. As `inclusive_scan` otherwise.
template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class T,
          class Op = plus>
auto exclusive_scan(P const& on, I first, S last, Out out, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  return detail::scan_all<detail::direction::exclusive, Acc, value>(
      on, std::move(first), std::move(last), std::move(out), detail::initial<value>(std::move(init)), std::move(op),
      std::identity{});
}

template <class Acc = void, execution P, class R, class Out, class T, class... Op>
  requires detail::range_before<R, Out>
auto exclusive_scan(P const& on, R&& in, Out&& out, T init, Op... op)
{
  return tally::exclusive_scan<Acc>(on, std::ranges::begin(in), std::ranges::end(in), detail::output_of(in, out),
                                    std::move(init), std::move(op)...);
}

template <class Acc = void, class First, class... Rest>
  requires(!execution<std::remove_cvref_t<First>>)
auto exclusive_scan(First&& first, Rest&&... rest)
{
  static_assert(
      requires {
        tally::exclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first), std::forward<Rest>(rest)...);
      }, "tally: exclusive_scan takes ([on,] first, last, out, init [, op]) or ([on,] in, out, init [, op]), where "
         "`on` is an "
         "execution such as tally::cpu{}, and first, last and out are iterators");
  return tally::exclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first), std::forward<Rest>(rest)...);
}

/// The scans of `t(first[0]), t(first[1]), ...`; `t` is called once for each element.
///
///     transform_inclusive_scan([on,] first, last, out, op, t [, init])    transform_inclusive_scan([on,] in, out, op, t [, init])
///     transform_exclusive_scan([on,] first, last, out, init, op, t)       transform_exclusive_scan([on,] in, out, init, op, t)
template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class Op,
          class Transform>
auto transform_inclusive_scan(P const& on, I first, S last, Out out, Op op, Transform transform)
{
  using value = detail::accumulator<Acc, detail::transformed_t<Transform, std::iter_reference_t<I>>>;
  return detail::scan_all<detail::direction::inclusive, Acc, value>(on, std::move(first), std::move(last),
                                                                    std::move(out), std::optional<value>(),
                                                                    std::move(op), std::move(transform));
}

template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class Op,
          class Transform, class T>
auto transform_inclusive_scan(P const& on, I first, S last, Out out, Op op, Transform transform, T init)
{
  using value = detail::accumulator<Acc, T>;
  return detail::scan_all<detail::direction::inclusive, Acc, value>(
      on, std::move(first), std::move(last), std::move(out), detail::initial<value>(std::move(init)), std::move(op),
      std::move(transform));
}

template <class Acc = void, execution P, class R, class Out, class Op, class Transform, class... Init>
  requires detail::range_before<R, Out>
auto transform_inclusive_scan(P const& on, R&& in, Out&& out, Op op, Transform transform, Init... init)
{
  return tally::transform_inclusive_scan<Acc>(on, std::ranges::begin(in), std::ranges::end(in),
                                              detail::output_of(in, out), std::move(op), std::move(transform),
                                              std::move(init)...);
}

template <class Acc = void, class First, class... Rest>
  requires(!execution<std::remove_cvref_t<First>>)
auto transform_inclusive_scan(First&& first, Rest&&... rest)
{
  static_assert(
      requires {
        tally::transform_inclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first),
                                             std::forward<Rest>(rest)...);
      }, "tally: transform_inclusive_scan takes ([on,] first, last, out, op, transform [, init]) or ([on,] in, out, "
         "op, transform [, init]), "
         "where `on` is an execution such as tally::cpu{}, and first, last and out are iterators");
  return tally::transform_inclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first),
                                              std::forward<Rest>(rest)...);
}

template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class T,
          class Op, class Transform>
auto transform_exclusive_scan(P const& on, I first, S last, Out out, T init, Op op, Transform transform)
{
  using value = detail::accumulator<Acc, T>;
  return detail::scan_all<detail::direction::exclusive, Acc, value>(
      on, std::move(first), std::move(last), std::move(out), detail::initial<value>(std::move(init)), std::move(op),
      std::move(transform));
}

template <class Acc = void, execution P, class R, class Out, class T, class Op, class Transform>
  requires detail::range_before<R, Out>
auto transform_exclusive_scan(P const& on, R&& in, Out&& out, T init, Op op, Transform transform)
{
  return tally::transform_exclusive_scan<Acc>(on, std::ranges::begin(in), std::ranges::end(in),
                                              detail::output_of(in, out), std::move(init), std::move(op),
                                              std::move(transform));
}

template <class Acc = void, class First, class... Rest>
  requires(!execution<std::remove_cvref_t<First>>)
auto transform_exclusive_scan(First&& first, Rest&&... rest)
{
  static_assert(
      requires {
        tally::transform_exclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first),
                                             std::forward<Rest>(rest)...);
      }, "tally: transform_exclusive_scan takes ([on,] first, last, out, init, op, transform) or ([on,] in, out, init, "
         "op, transform), "
         "where `on` is an execution such as tally::cpu{}, and first, last and out are iterators");
  return tally::transform_exclusive_scan<Acc>(detail::automatic{}, std::forward<First>(first),
                                              std::forward<Rest>(rest)...);
}

}  // namespace tally
