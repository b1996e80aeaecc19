#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/algorithms/quadrature.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/integration/device.hpp"
#include "tally/detail/integration/host.hpp"
#include "tally/detail/integration/nodes.hpp"
#include "tally/detail/path.hpp"
#include "tally/execution.hpp"

/// Numerical integration: a map of the function over nodes, and a sum.
namespace tally {

/// Returns the integral of f from a to b by a rule over n intervals of equal width.
///
///     integrate([on,] f, a, b, n [, rule])          rule: tally::simpson{} (the default), midpoint{} or trapezoidal{}
///
/// Requires  floating-point ends; if a > b, the result is the negative of the integral from b to a. `f` can be copied
///           as bytes and, if `on` is named, called from several threads at once. On a GPU f's call operator is TALLY_HD.
/// Result    of the type that f returns; the same bits for every number of threads. The rule's own error is
///           C / n^rule.order for a smooth f. The sum's error does not grow with n (docs/accuracy.md), for float either.
/// Cost      n + 1 calls of f (Simpson: 2n + 1; midpoint: n). Nothing is stored.
/// Blocks    until the value is there.
/// Throws    usage_error if n is 0; whatever f throws; cuda_error.
/// Source    Davis & Rabinowitz, Methods of numerical integration (1984), sections 2.1 and 2.2.
template <execution P, class F, class T, class Rule = simpson>
[[nodiscard]] auto integrate(P const& on, F f, T a, T b, std::size_t n, Rule = {})
{
  detail::integration::check_integrand<F, T>();
  using value = detail::integration::integrand_value<F, T>;
  detail::integration::equidistant<T> const nodes{a, b, detail::integration::checked_intervals(n)};
  value const sum = detail::integration::sum(on, detail::integration::weighted_values<F, T, Rule>{std::move(f), nodes},
                                             Rule::nodes(n));
  return static_cast<value>(sum * static_cast<value>(nodes.width() / Rule::divisor));
}
template <class F, class T, class Rule = simpson>
  requires(!execution<F>)
[[nodiscard]] auto integrate(F f, T a, T b, std::size_t n, Rule rule = {})
{
  return tally::integrate(detail::automatic{}, std::move(f), a, b, n, rule);
}

/// The areas of n trapezoids under f from a to b, as a sequence for `elements_from`. Their sum is the integral; their
/// scan is the integral up to each node.
template <class F, class T>
auto trapezoids(F f, T a, T b, std::size_t n)
{
  detail::integration::check_integrand<F, T>();
  return detail::integration::trapezoid_areas<F, T>{std::move(f), {a, b, detail::integration::checked_intervals(n)}};
}

/// Writes out[k], the integral of f from a to the end of interval k of n, by the trapezoidal rule: a stencil, a map and
/// a scan.
///
///     cumulative_integral([on,] f, a, b, n, out)
///
/// Cost      1.001 n calls of f on a CPU, which writes the results and then adds a carry to them; 2n on a GPU, in one
///           pass. Otherwise as `integrate` and `inclusive_scan`.
template <execution P, class F, class T, detail::iterator Out>
Out cumulative_integral(P const& on, F f, T a, T b, std::size_t n, Out out)
{
  static_assert(std::random_access_iterator<Out>,
                "tally: blocks of integrals are written by index: a random-access iterator");
  detail::integration::write_areas(on, tally::trapezoids(std::move(f), a, b, n), out);
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class F, class T, detail::iterator Out>
  requires(!execution<F>)
Out cumulative_integral(F f, T a, T b, std::size_t n, Out out)
{
  return tally::cumulative_integral(detail::automatic{}, std::move(f), a, b, n, std::move(out));
}

/// Returns the integral of a function that is known by samples at distances of `step`.
///
///     integrate_samples([on,] first, last, step [, rule])        rule: simpson{}, trapezoidal{}, or midpoint{} for samples of the middles
///
/// Requires  random-access iterators to floating-point values.
/// Result    0 for no samples, and for a single one unless it is a middle. If the number of intervals is odd and three
///           or more, Simpson's rule leaves the last three to the 3/8 rule. For two samples it is the trapezoidal rule.
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
  return static_cast<value>(detail::integration::sum(on, detail::integration::weighted_samples<I, Rule>(first, n), n) *
                            static_cast<value>(step));
}
template <detail::iterator I, detail::end_of<I> S, class T, class Rule = simpson>
[[nodiscard]] auto integrate_samples(I first, S last, T step, Rule rule = {})
{
  return tally::integrate_samples(detail::automatic{}, first, last, step, rule);
}

}  // namespace tally
