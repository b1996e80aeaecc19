#pragma once

#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/zip_with.hpp"

namespace tally {

namespace detail {

/// Every form of reduce: `init op t(first[0]) op t(first[1]) ...`; absent if the range is empty and there is no `init`.
template <class Acc, class T, class P, class I, class S, class Op, class Transform>
std::optional<T> reduce_all(P const& on, I first, S last, std::optional<T> init, Op op, Transform transform)
{
  check_bounds<I, S>();
  check_operands<Acc, T, transformed_t<Transform, std::iter_reference_t<I>>, Op>();
  auto combine = canonical_operator<T>(std::move(op));
  auto call = callable(std::move(transform));
  auto end = end_for(on, first, std::move(last));
  return backend_reduce<T>(on, std::move(first), std::move(end), std::move(init), combine, call);
}

/// A reduction without an initial value. An empty range gives the identity, so the operator must have one.
template <class Acc, class T, class P, class I, class S, class Op>
T reduce_or_identity(P const& on, I first, S last, Op op)
{
  auto const combine = canonical_operator<T>(op);
  static_assert(has_identity<decltype(combine), T>,
                "tally: an operator without an identity has no value for an empty range. Give an initial value: "
                "tally::reduce(range, init, op)");
  auto result =
      reduce_all<Acc, T>(on, std::move(first), std::move(last), std::optional<T>(), std::move(op), std::identity{});
  return result ? *std::move(result) : reduction_of_nothing<T>(combine);
}

}  // namespace detail

/// Returns `init + first[0] + ... + first[n-1]`, where `a + b` is `op(a, b)`. Without `init` the sum starts from the
/// operator's identity.
///
///     reduce([on,] first, last [, init [, op]])
///     reduce([on,] range [, op])    reduce([on,] range, init [, op])
///
/// Requires  `op` is associative (up to rounding). It need not be commutative: operands are combined in index order. It
///           takes them by value or by reference to const, since they are used again, and must not invalidate
///           iterators. `op` and transformations may be pointers to members. Elements convert to the accumulator's type
///           T. T is the type of `init`, or without `init` the type of the elements, or the type that the call names,
///           as in tally::reduce<double>(first, last, 0). An integer `init` does not compile with floating-point
///           elements nor with wider integers, which it would truncate.
/// Result    `init` if the range is empty; without `init` the identity, but +0.0 for sums. The bits are the same for
///           every number of threads and on every machine (docs/order.md), and the same as those of the last element of
///           `inclusive_scan`. docs/accuracy.md bounds the error of a float sum.
/// Cost      n applications of `op`, and up to three more for each tile of 32 KiB (or 2048 elements) if there are
///           several; each element is read once; O(n/p + log p) on p threads.
/// Memory    one thread uses up to 100 KiB of the stack and nothing else, if a value has at most 1 KiB. Of larger
///           values up to 80 are on the heap at a time, and six on the stack. Several threads need one more value for
///           each tile, of 2^15 tiles at most: 16 bytes for each 32 KiB of doubles, 512 KiB in all.
/// Blocks    until the value is there.
/// Throws    what `op` and the iterators throw; usage_error if `on` asks for a negative number of threads;
///           std::bad_alloc.
/// Source    Kogge & Stone (1973) for the scan of a row; docs/order.md has the rest.
template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, class T, class Op = plus>
[[nodiscard]] auto reduce(P const& on, I first, S last, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  return *detail::reduce_all<Acc, value>(on, std::move(first), std::move(last), detail::initial<value>(std::move(init)),
                                         std::move(op), std::identity{});
}

template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S>
[[nodiscard]] auto reduce(P const& on, I first, S last)
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  return detail::reduce_or_identity<Acc, value>(on, std::move(first), std::move(last), plus{});
}

template <class Acc = void, execution P, detail::range R>
[[nodiscard]] auto reduce(P const& on, R&& range)
{
  return tally::reduce<Acc>(on, std::ranges::begin(range), std::ranges::end(range));
}

template <class Acc = void, execution P, detail::range R, class Op>
  requires detail::operator_argument<Op, detail::accumulator<Acc, detail::range_value<R>>>
[[nodiscard]] auto reduce(P const& on, R&& range, Op op)
{
  using value = detail::accumulator<Acc, detail::range_value<R>>;
  return detail::reduce_or_identity<Acc, value>(on, std::ranges::begin(range), std::ranges::end(range), std::move(op));
}

template <class Acc = void, execution P, class R, class T, class Op = plus>
  requires(detail::range_before<R, T> &&
           !detail::operator_argument<T, detail::accumulator<Acc, detail::range_value<R>>>)
[[nodiscard]] auto reduce(P const& on, R&& range, T init, Op op = {})
{
  return tally::reduce<Acc>(on, std::ranges::begin(range), std::ranges::end(range), std::move(init), std::move(op));
}

/// Without an execution argument: see `tally::cpu`.
TALLY_VALUE_WITHOUT_EXECUTION(reduce,
                              "([on,] first, last [, init [, op]]), ([on,] range [, op]) or ([on,] range, init [, "
                              "op]), where `on` is an execution such as tally::cpu{}, and first and last are iterators",
                              Acc);

/// Returns `init + t(first[0]) + ... + t(first[n-1])`, or `init + t(first1[0], first2[0]) + ...`, where `a + b` is
/// `op(a, b)`.
///
///     transform_reduce([on,] first, last, init, op, t)          transform_reduce([on,] range, init, op, t)
///     transform_reduce([on,] first1, last1, first2, init [, op, t])     sums of products unless op and t are given
///
/// The elements are the results of `t`, which is called once for each of them, on any thread. Otherwise as `reduce`.
template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, class T, class Op, class Transform>
  requires(!detail::iterator<T>)
[[nodiscard]] auto transform_reduce(P const& on, I first, S last, T init, Op op, Transform transform)
{
  using value = detail::accumulator<Acc, T>;
  return *detail::reduce_all<Acc, value>(on, std::move(first), std::move(last), detail::initial<value>(std::move(init)),
                                         std::move(op), std::move(transform));
}

template <class Acc = void, execution P, detail::iterator I1, detail::end_of<I1> S, detail::iterator I2, class T,
          class Op = plus, class Transform = multiplies>
[[nodiscard]] auto transform_reduce(P const& on, I1 first1, S last1, I2 first2, T init, Op op = {},
                                    Transform transform = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::check_bounds<I1, S>();
  auto product = detail::callable(std::move(transform));
  auto const pairs = detail::zip_with(std::move(first1), std::move(last1), std::move(first2), product);
  return *detail::reduce_all<Acc, value>(on, pairs.first, pairs.last, detail::initial<value>(std::move(init)),
                                         std::move(op), std::identity{});
}

template <class Acc = void, execution P, class R, class T, class Op, class Transform>
  requires detail::range_before<R, T>
[[nodiscard]] auto transform_reduce(P const& on, R&& range, T init, Op op, Transform transform)
{
  return tally::transform_reduce<Acc>(on, std::ranges::begin(range), std::ranges::end(range), std::move(init),
                                      std::move(op), std::move(transform));
}

TALLY_VALUE_WITHOUT_EXECUTION(transform_reduce,
                              "([on,] first, last, init, op, transform), ([on,] range, init, op, transform) or ([on,] "
                              "first1, last1, first2, init [, op, transform])",
                              Acc);

}  // namespace tally
