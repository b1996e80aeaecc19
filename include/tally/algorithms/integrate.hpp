#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/contract.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// Numerical integration: a map of the function over nodes, and a sum.
namespace tally {

/// A rule says where in n intervals its nodes are, counted in half intervals from the left, and what weight the function has there. A rule of one's own is a
/// struct with the same members.
///
/// The error over n intervals of a smooth function is C / n^order.
struct midpoint {
  static constexpr int order = 2;
  static constexpr int divisor = 1;  ///< weights are given times this, so that they are whole or halves
  static TALLY_HD constexpr std::size_t nodes(std::size_t n) { return n; }
  static TALLY_HD constexpr std::size_t place(std::size_t k) { return 2 * k + 1; }
  static TALLY_HD constexpr float weight(std::size_t, std::size_t) { return 1; }
};
struct trapezoidal {
  static constexpr int order = 2;
  static constexpr int divisor = 1;
  static TALLY_HD constexpr std::size_t nodes(std::size_t n) { return n + 1; }
  static TALLY_HD constexpr std::size_t place(std::size_t k) { return 2 * k; }
  static TALLY_HD constexpr float weight(std::size_t k, std::size_t n) { return k == 0 || k == n ? 0.5f : 1.0f; }
};
/// A parabola through the ends and the middle of each interval.
struct simpson {
  static constexpr int order = 4;
  static constexpr int divisor = 6;
  static TALLY_HD constexpr std::size_t nodes(std::size_t n) { return 2 * n + 1; }
  static TALLY_HD constexpr std::size_t place(std::size_t k) { return k; }
  static TALLY_HD constexpr float weight(std::size_t k, std::size_t n)
  {
    return k == 0 || k == 2 * n ? 1.0f : k % 2 == 1 ? 4.0f : 2.0f;
  }
};

namespace detail {

/// The ends of n intervals and their middles, in half intervals: exact at both ends, and in double for float, in which 2^25 nodes have no numbers.
template <class T>
struct equidistant {
  using wide = std::conditional_t<std::is_same_v<T, float>, double, T>;

  T a;
  T b;
  std::size_t intervals;

  TALLY_HD wide width() const { return (static_cast<wide>(b) - static_cast<wide>(a)) / static_cast<wide>(intervals); }
  TALLY_HD T at(std::size_t half_intervals) const
  {
    if (half_intervals == 0) return a;
    if (half_intervals == 2 * intervals) return b;
    return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(half_intervals) * (width() / 2));
  }
};

template <class F, class T>
using integrand_value = std::remove_cvref_t<std::invoke_result_t<F const&, T>>;

template <class F, class T>
constexpr void check_integrand()
{
  static_assert(std::is_floating_point_v<T>, "tally: the ends of an integral are floating-point numbers: 0.0, not 0");
  static_assert(std::is_invocable_v<F const&, T>, "tally: the integrand cannot be called with a number");
}
inline std::size_t checked_intervals(std::size_t n)
{
  if (n == 0) throw usage_error("tally: an integral over no intervals; there must be at least one");
  return n;
}

/// The function at node k, times the node's weight.
template <class F, class T, class Rule>
struct weighted_values {
  F f;
  equidistant<T> nodes;

  TALLY_HD auto operator()(std::size_t k) const
  {
    using value = integrand_value<F, T>;
    return static_cast<value>(f(nodes.at(Rule::place(k))) * static_cast<value>(Rule::weight(k, nodes.intervals)));
  }
};

/// The area of trapezoid k: a stencil of two values.
template <class F, class T>
struct trapezoid_areas {
  F f;
  equidistant<T> nodes;

  TALLY_HD auto operator()(std::size_t k) const
  {
    using value = integrand_value<F, T>;
    return static_cast<value>((f(nodes.at(2 * k)) + f(nodes.at(2 * k + 2))) * static_cast<value>(nodes.width() / 2));
  }
};

/// Sample k of n times its weight, in intervals of the samples. Where Simpson's rule has an odd interval left over, the last three have the 3/8 rule.
template <class I, class Rule>
struct weighted_samples {
  I samples;
  std::size_t size;

  TALLY_HD auto operator()(std::size_t k) const
  {
    using value = std::remove_cvref_t<std::iter_reference_t<I>>;
    return static_cast<value>(samples[static_cast<std::iter_difference_t<I>>(k)] * static_cast<value>(weight(k)));
  }
  TALLY_HD double weight(std::size_t k) const
  {
    std::size_t const intervals = size - 1;
    bool const end = k == 0 || k == intervals;
    if constexpr (std::is_same_v<Rule, midpoint>) return 1;
    if constexpr (std::is_same_v<Rule, trapezoidal>) return end ? 0.5 : 1;
    if (intervals == 1) return 0.5;
    std::size_t const parabolas = intervals % 2 == 0 ? intervals : intervals - 3;
    double const in_parabola = k > parabolas || parabolas == 0 ? 0.0
                               : k == 0 || k == parabolas      ? 1.0 / 3
                               : k % 2 == 1                    ? 4.0 / 3
                                                               : 2.0 / 3;
    if (parabolas == intervals || k < parabolas) return in_parabola;
    return in_parabola + (k == parabolas || k == intervals ? 3.0 / 8 : 9.0 / 8);
  }
};

}  // namespace detail

/// Returns the integral of f from a to b by a rule over n intervals of equal width.
///
///     integrate([on,] f, a, b, n [, rule])          rule: tally::simpson{}, if none is given, midpoint{} or trapezoidal{}
///
/// Requires  floating-point ends, a > b being the negative of the integral from b to a; `f` can be copied as bytes and, if `on` is named, called from several
///           threads at once. On a GPU f's call operator is TALLY_HD.
/// Result    in the type that f returns; the same bits for every number of threads. The rule's own error is C / n^rule.order for a smooth f; the sum's does not
///           grow with n (docs/accuracy.md), also for float.
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
  auto const values = elements_from(detail::weighted_values<F, T, Rule>{std::move(f), nodes});
  value const sum = tally::reduce(on, values, values + static_cast<std::ptrdiff_t>(Rule::nodes(n)));
  return static_cast<value>(sum * static_cast<value>(nodes.width() / Rule::divisor));
}
template <class F, class T, class Rule = simpson>
  requires(!execution<F>)
[[nodiscard]] auto integrate(F f, T a, T b, std::size_t n, Rule rule = {})
{
  return tally::integrate(detail::automatic{}, std::move(f), a, b, n, rule);
}

/// The areas of n trapezoids under f from a to b, as a sequence for `elements_from`: their sum is the integral, their scan the integral up to each node.
template <class F, class T>
auto trapezoids(F f, T a, T b, std::size_t n)
{
  detail::check_integrand<F, T>();
  return detail::trapezoid_areas<F, T>{std::move(f), {a, b, detail::checked_intervals(n)}};
}

/// Writes out[k], the integral of f from a to the end of interval k of n, by the trapezoidal rule: a stencil, a map and a scan in one pass.
///
///     cumulative_integral([on,] f, a, b, n, out)
///
/// Cost      2n calls of f. Nothing but the results is stored. As `integrate` and `inclusive_scan` otherwise.
template <execution P, class F, class T, detail::iterator Out>
Out cumulative_integral(P const& on, F f, T a, T b, std::size_t n, Out out)
{
  auto const areas = elements_from(trapezoids(std::move(f), a, b, n));
  return tally::inclusive_scan(on, areas, areas + static_cast<std::ptrdiff_t>(n), std::move(out));
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
/// Result    0 for no samples, and for a single one unless it is a middle. Simpson's rule gives an odd number of intervals, if there are three or more, the
///           3/8 rule for the last three; two samples have the trapezoidal rule.
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
  auto const values = elements_from(detail::weighted_samples<I, Rule>{first, n});
  return static_cast<value>(tally::reduce(on, values, values + static_cast<std::ptrdiff_t>(n)) *
                            static_cast<value>(step));
}
template <detail::iterator I, detail::end_of<I> S, class T, class Rule = simpson>
[[nodiscard]] auto integrate_samples(I first, S last, T step, Rule rule = {})
{
  return tally::integrate_samples(detail::automatic{}, first, last, step, rule);
}

}  // namespace tally
