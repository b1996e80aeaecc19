#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/algorithms/quadrature.hpp"
#include "tally/config.hpp"
#include "tally/error.hpp"

/// The nodes of an integral, and the weighted values and areas at them.
namespace tally::detail::integration {

/// The ends and the middles of n intervals, counted in half intervals. Both ends are exact. Nodes of type float are
/// computed in double, because floats cannot count 2^25 nodes.
template <class T>
struct equidistant {
  using wide = std::conditional_t<std::is_same_v<T, float>, double, T>;

  T a;
  T b;
  std::size_t intervals;
  wide half;  // of an interval

  TALLY_HD equidistant(T from, T to, std::size_t n)
      : a(from),
        b(to),
        intervals(n),
        half((static_cast<wide>(to) - static_cast<wide>(from)) / static_cast<wide>(n) / 2)
  {
  }
  TALLY_HD wide width() const { return 2 * half; }
  TALLY_HD T at(std::size_t half_intervals) const
  {
    if (half_intervals == 2 * intervals) return b;
    // Signed, because processors have an instruction for its conversion.
    return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(static_cast<std::ptrdiff_t>(half_intervals)) * half);
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

  TALLY_HD_AS_GIVEN
  TALLY_HD auto operator()(std::size_t k) const
  {
    using value = integrand_value<F, T>;
    return static_cast<value>(f(nodes.at(Rule::place(k))) * static_cast<value>(Rule::weight(k, nodes.intervals)));
  }
};

/// The area of trapezoid k, a stencil of two values.
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

/// Sample k of n times its weight, in units of the samples' distance. If Simpson's rule meets an odd number of
/// intervals, the 3/8 rule takes the last three.
template <class I, class Rule>
struct weighted_samples {
  I samples;
  std::size_t size;
  std::size_t parabolas;  // the number of intervals under parabolas

  TALLY_HD weighted_samples(I first, std::size_t n)
      : samples(first),
        size(n),
        parabolas((n - 1) % 2 == 0 ? n - 1
                  : n < 4          ? 0
                                   : n - 4)
  {
  }
  TALLY_HD auto operator()(std::size_t k) const
  {
    using value = std::remove_cvref_t<std::iter_reference_t<I>>;
    bool const inside = k > 0 && k + 4 < size;
    double const weight = !std::is_same_v<Rule, simpson>
                              ? (inside || std::is_same_v<Rule, midpoint> ? 1 : at_the_ends(k))
                          : inside && k < parabolas ? (k % 2 == 1 ? 4.0 / 3 : 2.0 / 3)
                                                    : at_the_ends(k);
    return static_cast<value>(samples[static_cast<std::iter_difference_t<I>>(k)] * static_cast<value>(weight));
  }
  TALLY_HD double at_the_ends(std::size_t k) const
  {
    bool const end = k == 0 || k == size - 1;
    if (std::is_same_v<Rule, trapezoidal> || size == 2) return end ? 0.5 : 1;
    double const in_parabolas = k > parabolas || parabolas == 0 ? 0.0
                                : k == 0 || k == parabolas      ? 1.0 / 3
                                : k % 2 == 1                    ? 4.0 / 3
                                                                : 2.0 / 3;
    if (parabolas == size - 1 || k < parabolas) return in_parabolas;
    return in_parabolas + (k == parabolas || k == size - 1 ? 3.0 / 8 : 9.0 / 8);
  }
};

}  // namespace tally::detail::integration
