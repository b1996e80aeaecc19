#pragma once

#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"

namespace tally {

namespace detail {

/// Every form of scan. `T` is the accumulator's type; an exclusive scan has an initial value.
template <direction Shift, class Acc, class T, class P, class I, class S, class Out, class Op, class Transform>
auto scan_all(P const& on, I first, S last, Out out, std::optional<T> init, Op op, Transform transform)
{
  check_bounds<I, S>();
  check_operands<Acc, T, transformed_t<Transform, std::iter_reference_t<I>>, Op>();
  check_output<Out, T>();
  if constexpr (Shift == direction::inclusive) check_output_of_kept<Out, T>();
  auto combine = canonical_operator<T>(std::move(op));
  auto call = callable(std::move(transform));
  auto end = end_for(on, first, std::move(last));
  return backend_scan<T>(on, std::move(first), std::move(end), std::move(out), std::move(init), combine, call, Shift);
}

}  // namespace detail

/// Writes `out[k] = init + first[0] + ... + first[k]`, where `a + b` is `op(a, b)` and `init` may be left out.
///
///     inclusive_scan([on,] first, last, out [, op [, init]])        inclusive_scan([on,] in, out [, op [, init]])
///
/// `out` is an output iterator, or for the range forms also a range, which must be at least as long as `in`.
///
/// Requires  as `reduce`. Values that cannot be copied are scanned from the left by one thread; an inclusive scan of
///           them needs an output that can be assigned from a reference. `out` may be `first` (in place); otherwise the
///           two must not overlap.
/// Result    the end of the results. The bits are the same for every number of threads and on every machine
///           (docs/order.md). Every element of a float sum is within the error of docs/accuracy.md, whatever n.
/// Cost      one pass: each element is read once and written once. Tally's operators on arithmetic types in contiguous
///           memory are vectorised. Otherwise the applications of `op` per element are 3.3 for elements of one byte,
///           3.6 for two, 4 for four, 5 for eight, 7 for 16 bytes and more, and 2 if `op` says that it is exactly
///           associative. The first tile without an initial value takes fewer, and so do few elements (1 for two, 21
///           for eight of 16 bytes). Several threads take one more per element, for the totals of tiles. O(n/p + log p)
///           on p threads.
/// Memory    one thread uses up to 100 KiB of the stack and nothing else, if a value has at most 1 KiB. Of larger
///           values up to 80 are on the heap at a time, and six on the stack. Each of several threads adds 512 slots of
///           64 bytes (32 KiB); slots of values beyond 40 bytes are larger.
/// Blocks    until all results are written. A thread that is descheduled delays the others only once they are 512 tiles
///           (16 MiB) a thread ahead of it.
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

TALLY_WITHOUT_EXECUTION(inclusive_scan,
                        "([on,] first, last, out [, op [, init]]) or ([on,] in, out [, op [, init]]), where `on` is an "
                        "execution such as tally::cpu{}, and first, last and out are iterators",
                        Acc);

/// Writes `out[k] = init + first[0] + ... + first[k-1]`: `out[0]` is `init`, the last element is not in any result.
///
///     exclusive_scan([on,] first, last, out, init [, op])        exclusive_scan([on,] in, out, init [, op])
///
/// Its bits are those of the inclusive scan with the same `init`, one place later. Otherwise as `inclusive_scan`.
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

TALLY_WITHOUT_EXECUTION(exclusive_scan,
                        "([on,] first, last, out, init [, op]) or ([on,] in, out, init [, op]), where `on` is an "
                        "execution such as tally::cpu{}, and first, last and out are iterators",
                        Acc);

/// The scans of `t(first[0]), t(first[1]), ...`. On one thread `t` is called once for each element, in order. On
/// several threads it is called twice, first for a tile's total and then for the tile's results. Depending on timing it
/// is called once more, for a late total that another thread computes again. If `t` does not return the same value each
/// time, the results mix the values of different calls and differ from run to run.
///
///     transform_inclusive_scan([on,] first, last, out, op, t [, init])
///     transform_inclusive_scan([on,] in, out, op, t [, init])
///     transform_exclusive_scan([on,] first, last, out, init, op, t)
///     transform_exclusive_scan([on,] in, out, init, op, t)
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

TALLY_WITHOUT_EXECUTION(transform_inclusive_scan,
                        "([on,] first, last, out, op, transform [, init]) or ([on,] in, out, op, transform [, init]), "
                        "where `on` is an execution such as tally::cpu{}, and first, last and out are iterators",
                        Acc);

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

TALLY_WITHOUT_EXECUTION(transform_exclusive_scan,
                        "([on,] first, last, out, init, op, transform) or ([on,] in, out, init, op, transform), where "
                        "`on` is an execution such as tally::cpu{}, and first, last and out are iterators",
                        Acc);

}  // namespace tally
