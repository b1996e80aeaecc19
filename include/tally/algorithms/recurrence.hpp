#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/block_results.hpp"
#include "tally/detail/recurrence/delayed.hpp"
#include "tally/execution.hpp"
#include "tally/operators/affine.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// First-order linear recurrences with varying coefficients, y[k] = a[k]*y[k-1] + b[k], in parallel: each step is a map
/// of the state, and maps compose.
namespace tally {

namespace detail {

/// `later` after `earlier`, where neither is the identity: without compose's case of an offset that adds nothing.
template <class T>
TALLY_HD affine<T> composed(affine<T> const& earlier, affine<T> const& later)
{
  return {rounded_product(later.scale, earlier.scale),
          static_cast<T>(plus{}(rounded_product(later.scale, earlier.offset), later.offset))};
}

/// Which element step k of n takes: in the order of the array, or from its end.
struct forward_in_time {
  static TALLY_HD std::size_t element(std::size_t k, std::size_t) { return k; }
};
struct backward_in_time {
  static TALLY_HD std::size_t element(std::size_t k, std::size_t n) { return n - 1 - k; }
};

/// The steps of a recurrence as maps.
template <class T, class A, class B, class Time>
struct recurrence_steps {
  A a;
  B b;
  std::size_t size;

  TALLY_HD_AS_GIVEN
  TALLY_HD affine<T> operator()(std::size_t k) const
  {
    auto const at = static_cast<std::iter_difference_t<A>>(Time::element(k, size));
    return {static_cast<T>(a[at]), static_cast<T>(b[static_cast<std::iter_difference_t<B>>(at)])};
  }
};

/// Elements in a block: 4 KiB of coefficients, where the scan of blocks is a twentieth of the work and less.
template <class T>
inline constexpr std::size_t recurrence_block = sizeof(T) < 128 ? 2048 / sizeof(T) : 16;

/// The map of block j. Of four steps everything that the state does not enter is computed beside it, so that the state
/// waits for one product and one sum a four, where the plain loop waits for four of each: that loop has nothing else to
/// do.
template <class T, class A, class B, class Time>
struct recurrence_blocks {
  recurrence_steps<T, A, B, Time> steps;
  notes<affine<T>> noted;

  std::size_t end(std::size_t begin) const
  {
    return steps.size - begin < recurrence_block<T> ? steps.size : begin + recurrence_block<T>;
  }
  affine<T> operator()(std::size_t j) const
  {
    return noted.get(j, [this, j] {
      auto const step = steps;
      std::size_t k = j * recurrence_block<T>;
      std::size_t const last = end(k);
      affine<T> all = step(k++);
      for (; last - k >= 4; k += 4)
        all = composed(all, composed(composed(step(k), step(k + 1)), composed(step(k + 2), step(k + 3))));
      for (; k < last; ++k) all = composed(all, step(k));
      return all;
    });
  }
};

/// Runs block j from the state that the map of all before it makes of the first state.
template <class T, class A, class B, class Out, class Time>
struct recurrence_run {
  recurrence_blocks<T, A, B, Time> blocks;
  block_ends<T> ends;
  Out out;
  T before;

  void operator()(std::size_t j, affine<T> const& all_before) const
  {
    T const first = all_before(before);
    if (j != 0 && !is_finite(first)) return ends.put_off(j);
    ends.ended(j, run(j, first));
  }

  /// Returns the last state. A map of two or four steps that overflows shows in the fourth state, as no infinity of a
  /// map gives a finite one.
  T run(std::size_t j, T y) const
  {
    auto const step = blocks.steps;
    Out const to = out;
    auto const put = [&](std::size_t at, T const& value) {
      to[static_cast<std::iter_difference_t<Out>>(Time::element(at, step.size))] = value;
    };
    std::size_t k = j * recurrence_block<T>;
    std::size_t const last = blocks.end(k);
    for (; last - k >= 4; k += 4) {
      affine<T> const one = step(k), third = step(k + 2);
      affine<T> const two = composed(one, step(k + 1));
      affine<T> const three = composed(two, third);
      affine<T> const four = composed(two, composed(third, step(k + 3)));
      T const after_three = three(y), after_four = four(y);
      if (!both_finite(after_three, after_four)) break;
      put(k, one(y));
      put(k + 1, two(y));
      put(k + 2, after_three);
      put(k + 3, after_four);
      y = after_four;
    }
    // The rest of the block, or what is behind an overflow.
    for (; k < last; ++k) {
      y = step(k)(y);
      put(k, y);
    }
    return y;
  }
};

/// On a GPU, where a block is one step: the map up to it, applied to the first state.
template <class T, class Out, class Time>
struct recurrence_result {
  Out out;
  T before;
  std::size_t size;

  TALLY_HD void operator()(std::size_t k, affine<T> const& all) const
  {
    out[static_cast<std::iter_difference_t<Out>>(Time::element(k, size))] = all(before);
  }
};

template <class Time, class P, class A, class B, class Out, class T>
void run_recurrence(P const& on, A a, std::size_t n, B b, Out out, T before)
{
  static_assert(std::random_access_iterator<A> && std::random_access_iterator<B> && std::random_access_iterator<Out>,
                "tally: a recurrence takes random-access iterators: its blocks are reached by index");
  static_assert(!(std::is_integral_v<T> &&
                  (std::is_floating_point_v<std::iter_value_t<A>> || std::is_floating_point_v<std::iter_value_t<B>>)),
                "tally: an integer initial state would truncate every state of a recurrence with floating-point "
                "coefficients. Write it as 0.0");
  static_assert(operator_over<compose, affine<T>>,
                "tally: a recurrence needs a sum and a product of states: the initial state's type has none");
  static_assert(has_identity<compose, affine<T>>, "tally: a recurrence needs a state's type that has a one, T(1)");
  if (n == 0) return;
  if constexpr (host<P>) {
    constexpr std::size_t block = recurrence_block<T>;
    std::size_t const count = n / block + (n % block != 0);
    took(n % block == 0 ? "recurrence: whole blocks" : "recurrence: a short block");
    notebook<affine<T>, P> const noted(on, count);
    recurrence_blocks<T, A, B, Time> const blocks{{a, b, n}, noted.pages()};
    put_off_blocks<T, P> put_off(on, count);
    recurrence_run<T, A, B, Out, Time> const runs{blocks, put_off.ends(), out, std::move(before)};
    auto const maps = elements_from(blocks, 2 * block * sizeof(T));
    tally::exclusive_scan(on, maps, maps + static_cast<std::ptrdiff_t>(count), results_to(runs),
                          compose::identity<affine<T>>(), compose{});
    put_off.run([&](std::size_t j, T const& first) { return runs.run(j, first); });
  } else {
    auto const maps = elements_from(recurrence_steps<T, A, B, Time>{a, b, n});
    tally::inclusive_scan(on, maps, maps + static_cast<std::ptrdiff_t>(n),
                          results_to(recurrence_result<T, Out, Time>{out, std::move(before), n}), compose{});
  }
}

/// Without an execution argument: all threads where there is nothing of the caller's to call, as reduce and scan.
template <class T, class... Iterators>
auto recurrence_execution()
{
  if constexpr (std::is_arithmetic_v<T> && (std::contiguous_iterator<Iterators> && ...))
    return cpu{};
  else
    return automatic{};
}

}  // namespace detail

/// Writes y[0], ..., y[n-1] of y[k] = a[k]*y[k-1] + b[k], where y[-1] is `before`.
///
///     linear_recurrence([on,] a, a_last, b, out, before)        y[k] = a[k]*y[k-1] + b[k]
///     linear_recurrence_backward([on,] a, a_last, b, out, after)     y[k] = a[k]*y[k+1] + b[k], y[n] = after
///
/// Requires  random-access iterators; the type of the initial state is that of all states, a ring with T(1),
///           commutative or not (square matrices: a is then multiplied from the left). On a CPU `out` may be `a` or
///           `b` (in place); otherwise it must not overlap them. On a GPU, and of types other than floating-point
///           numbers, products of successive a stay finite: else a state may be NaN that the plain loop keeps finite.
/// Result    the end of what was written. The same bits for every number of threads; integers wrap, and are those of
///           the plain loop. Floating-point states are bracketed in fours and blocks, and differ from the plain loop's
///           by rounding; where |a| <= 1 by no more than that loop's own error. On a CPU they go on step by step, as
///           the plain loop, where products of successive a overflow: what grows to infinity is infinite, not NaN.
/// Cost      one pass over memory: 24 bytes an element of type double. Work per element, in the cache: 3 products and 2
///           sums for the map of its block, some 4 products and 3 sums for its state, of which the state waits for a
///           quarter of one. O(n/p + log p) on p threads, O(n) behind an overflow.
/// Memory    as `inclusive_scan`, and a map and a state for each 4 KiB of coefficients.
/// Blocks    until all is written; on a GPU returns at once.
/// Throws    what the iterators throw; usage_error; std::bad_alloc; cuda_error.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.4; the look-ahead: Kogge, The architecture
///           of pipelined computers (1981).
template <execution P, detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence(P const& on, A a, S a_last, B b, Out out, T before)
{
  auto const n = static_cast<std::size_t>(a_last - a);
  detail::run_recurrence<detail::forward_in_time>(on, a, n, b, out, std::move(before));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence(A a, S a_last, B b, Out out, T before)
{
  return tally::linear_recurrence(detail::recurrence_execution<T, A, B, Out>(), a, a_last, b, out, std::move(before));
}

template <execution P, detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence_backward(P const& on, A a, S a_last, B b, Out out, T after)
{
  auto const n = static_cast<std::size_t>(a_last - a);
  detail::run_recurrence<detail::backward_in_time>(on, a, n, b, out, std::move(after));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out, class T>
Out linear_recurrence_backward(A a, S a_last, B b, Out out, T after)
{
  return tally::linear_recurrence_backward(detail::recurrence_execution<T, A, B, Out>(), a, a_last, b, out,
                                           std::move(after));
}

}  // namespace tally
