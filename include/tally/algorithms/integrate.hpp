#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/algorithms/quadrature.hpp"
#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/execution.hpp"
#include "tally/for_each.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Numerical integration: a map of the function over nodes, and a sum.
namespace tally {

namespace detail {

/// Elements that stand for a block of those that f gives: their sum, in four parts, so that no addition waits for the
/// one before it.
template <class F>
struct sums_of_blocks {
  static constexpr std::size_t block = 512;

  F f;
  std::size_t size;

  TALLY_HD auto operator()(std::size_t b) const
  {
    using value = std::remove_cvref_t<std::invoke_result_t<F const&, std::size_t>>;
    std::size_t k = b * block;
    std::size_t const end = size - k < block ? size : k + block;
    value part[4] = {f(k++), value(0), value(0), value(0)};
    for (; end - k >= 4; k += 4)
      for (std::size_t i = 0; i < 4; ++i) part[i] += f(k + i);
    for (; k < end; ++k) part[0] += f(k);
    return static_cast<value>((part[0] + part[1]) + (part[2] + part[3]));
  }
};

/// f(0) + ... + f(n-1), n > 0: by blocks on a CPU.
template <class P, class F>
auto sum_of(P const& on, F const& f, std::size_t n)
{
  if constexpr (host<P>) {
    using blocks = sums_of_blocks<F>;
    took(n % blocks::block == 0 ? "integrate: a sum of whole blocks" : "integrate: a sum with a short block");
    using value = std::remove_cvref_t<std::invoke_result_t<F const&, std::size_t>>;
    auto const sums = elements_from(blocks{f, n}, blocks::block * sizeof(value));
    return tally::reduce(on, sums, sums + static_cast<std::ptrdiff_t>((n + blocks::block - 1) / blocks::block));
  } else {
    auto const values = elements_from(f);
    return tally::reduce(on, values, values + static_cast<std::ptrdiff_t>(n));
  }
}

/// Areas summed up from the beginning of each block; a block's own sum goes to `totals`. `put(k, right end, f there,
/// area so far)`.
template <class F, class T, class Put>
struct areas_in_blocks {
  using value = integrand_value<F, T>;

  F f;
  equidistant<T> nodes;
  Put put;
  value* totals;
  std::size_t block;

  void operator()(std::size_t begin, std::size_t end) const
  {
    // A copy, which nothing that `put` stores can change for all that a compiler sees: what does not depend on k is
    // found once.
    areas_in_blocks const own = *this;
    auto const half = static_cast<value>(own.nodes.half);
    value left = own.f(own.nodes.at(2 * begin)), sum = value(0);
    for (std::size_t k = begin; k < end; ++k) {
      T const x = own.nodes.at(2 * k + 2);
      value const right = own.f(x);
      sum += (left + right) * half;
      own.put(k, x, right, sum);
      left = right;
    }
    totals[begin / block] = sum;
  }
};
/// And then the areas of all blocks before.
template <class Put, class V>
struct areas_before {
  Put put;
  V const* before;
  std::size_t block;

  void operator()(std::size_t begin, std::size_t end) const
  {
    V const area = before[begin / block];
    for (std::size_t k = begin; k < end; ++k) put.add(k, area);
  }
};

/// The integrals up to each of n nodes on a CPU, each value of f found once: two maps of blocks, and between them a
/// scan of their areas.
template <class P, class F, class T, class Put>
void accumulate_areas(P const& on, F const& f, equidistant<T> const& nodes, Put const& put)
{
  using value = integrand_value<F, T>;
  constexpr std::size_t block = 1024;
  std::size_t const n = nodes.intervals;
  took(n % block == 0 ? "integrate: areas of whole blocks" : "integrate: areas with a short block");
  temporary<value, P> totals(on, (n + block - 1) / block);
  tally::for_each_block(on, n, block, areas_in_blocks<F, T, Put>{f, nodes, put, totals.data(), block});
  tally::exclusive_scan(on, totals.begin(), totals.end(), totals.begin(), value(0));
  tally::for_each_block(on, n, block, areas_before<Put, value>{put, totals.data(), block});
}

template <class Out>
struct put_area {
  Out out;

  template <class T, class V>
  void operator()(std::size_t k, T const&, V const&, V const& area) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)] = area;
  }
  template <class V>
  void add(std::size_t k, V const& area) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)] += area;
  }
};

}  // namespace detail

/// Returns the integral of f from a to b by a rule over n intervals of equal width.
///
///     integrate([on,] f, a, b, n [, rule])          rule: tally::simpson{}, if none is given, midpoint{} or trapezoidal{}
///
/// Requires  floating-point ends, a > b being the negative of the integral from b to a; `f` can be copied as bytes and,
///           if `on` is named, called from several threads at once. On a GPU f's call operator is TALLY_HD.
/// Result    in the type that f returns; the same bits for every number of threads. The rule's own error is C /
///           n^rule.order for a smooth f; the sum's does not grow with n (docs/accuracy.md), also for float.
/// Cost      n + 1 calls of f (Simpson: 2n + 1; midpoint: n). Nothing is stored.
/// Blocks    until the value is there.
/// Throws    usage_error if n is 0; what f throws; cuda_error.
/// Source    Davis & Rabinowitz, Methods of numerical integration (1984), sections 2.1 and 2.2.
template <execution P, class F, class T, class Rule = simpson>
[[nodiscard]] auto integrate(P const& on, F f, T a, T b, std::size_t n, Rule = {})
{
  detail::check_integrand<F, T>();
  using value = detail::integrand_value<F, T>;
  detail::equidistant<T> const nodes{a, b, detail::checked_intervals(n)};
  value const sum = detail::sum_of(on, detail::weighted_values<F, T, Rule>{std::move(f), nodes}, Rule::nodes(n));
  return static_cast<value>(sum * static_cast<value>(nodes.width() / Rule::divisor));
}
template <class F, class T, class Rule = simpson>
  requires(!execution<F>)
[[nodiscard]] auto integrate(F f, T a, T b, std::size_t n, Rule rule = {})
{
  return tally::integrate(detail::automatic{}, std::move(f), a, b, n, rule);
}

/// The areas of n trapezoids under f from a to b, as a sequence for `elements_from`: their sum is the integral, their
/// scan the integral up to each node.
template <class F, class T>
auto trapezoids(F f, T a, T b, std::size_t n)
{
  detail::check_integrand<F, T>();
  return detail::trapezoid_areas<F, T>{std::move(f), {a, b, detail::checked_intervals(n)}};
}

/// Writes out[k], the integral of f from a to the end of interval k of n, by the trapezoidal rule: a stencil, a map and
/// a scan.
///
///     cumulative_integral([on,] f, a, b, n, out)
///
/// Cost      1.001 n calls of f on a CPU, where results are written, and a carry added to them; 2n on a GPU, in one
///           pass. As `integrate` and `inclusive_scan` otherwise.
template <execution P, class F, class T, detail::iterator Out>
Out cumulative_integral(P const& on, F f, T a, T b, std::size_t n, Out out)
{
  static_assert(std::random_access_iterator<Out>,
                "tally: blocks of integrals are written by index: a random-access iterator");
  auto const stencil = trapezoids(f, a, b, n);
  if constexpr (detail::host<P>) {
    detail::accumulate_areas(on, f, stencil.nodes, detail::put_area<Out>{out});
  } else {
    auto const areas = elements_from(stencil);
    tally::inclusive_scan(on, areas, areas + static_cast<std::ptrdiff_t>(n), out);
  }
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class F, class T, detail::iterator Out>
  requires(!execution<F>)
Out cumulative_integral(F f, T a, T b, std::size_t n, Out out)
{
  return tally::cumulative_integral(detail::automatic{}, std::move(f), a, b, n, std::move(out));
}

/// Returns the integral of a function of which only samples are known, `step` apart.
///
///     integrate_samples([on,] first, last, step [, rule])        rule: simpson{}, trapezoidal{}, or midpoint{} for samples of the middles
///
/// Requires  random-access iterators to floating-point values.
/// Result    0 for no samples, and for a single one unless it is a middle. Simpson's rule gives an odd number of
///           intervals, if there are three or more, the 3/8 rule for the last three; two samples have the trapezoidal
///           rule.
/// Cost      one pass over the samples.
/// Blocks    until the value is there.
/// Throws    usage_error; cuda_error.
template <execution P, detail::iterator I, detail::end_of<I> S, class T, class Rule = simpson>
[[nodiscard]] auto integrate_samples(P const& on, I first, S last, T step, Rule = {})
{
  using value = std::iter_value_t<I>;
  static_assert(std::random_access_iterator<I>, "tally: samples are reached by index: random-access iterators");
  static_assert(std::is_floating_point_v<value>, "tally: samples are floating-point numbers");
  auto const n = static_cast<std::size_t>(last - first);
  if (n == 0 || (n == 1 && !std::is_same_v<Rule, midpoint>)) return value(0);
  if constexpr (std::is_same_v<Rule, simpson>)
    detail::took(n == 2       ? "integrate: two samples"
                 : n % 2 == 1 ? "integrate: samples under parabolas"
                 : n == 4     ? "integrate: samples under one cubic"
                              : "integrate: samples under parabolas and a cubic");
  return static_cast<value>(detail::sum_of(on, detail::weighted_samples<I, Rule>(first, n), n) *
                            static_cast<value>(step));
}
template <detail::iterator I, detail::end_of<I> S, class T, class Rule = simpson>
[[nodiscard]] auto integrate_samples(I first, S last, T step, Rule rule = {})
{
  return tally::integrate_samples(detail::automatic{}, first, last, step, rule);
}

}  // namespace tally
