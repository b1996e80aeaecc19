#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/integrate.hpp"
#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/distribution/device.hpp"
#include "tally/detail/distribution/host.hpp"
#include "tally/detail/distribution/steps.hpp"
#include "tally/detail/elementary/exponential.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"
#include "tally/sequences.hpp"

/// Cumulative distributions: of a density by a scan of areas, of sorted data by a compaction.
namespace tally {

/// exp(-(x - mean)^2 / (2 deviation^2)) / (deviation sqrt(2 pi)). For float and double the same bits on every machine.
template <class T>
struct normal_density {
  T mean = T(0);
  T deviation = T(1);

  TALLY_HD T operator()(T x) const
  {
    // 1 / sqrt(2 pi). It is a literal for float and double, because the quotient in T is an ulp off, and nvcc warns of
    // a quotient in long double.
    constexpr T factor = sizeof(T) > sizeof(double) ? std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>
                                                    : static_cast<T>(0x1.9884533d43651p-2);
    T const distance = (x - mean) * (T(1) / deviation);
    return factor / deviation * detail::elementary::exponential(distance * distance * T(-0.5));
  }
};

/// The integral of normal_density from -infinity to x, by the standard library's erfc. It is the reference for tables.
template <class T>
T normal_cumulative(T x, T mean = T(0), T deviation = T(1))
{
  return std::erfc((mean - x) / (deviation * std::numbers::sqrt2_v<T>)) / 2;
}

/// A line of the table of a distribution.
template <class T>
struct distribution_point {
  T x;
  T density;
  T cumulative;
};

/// A step of an empirical distribution. `count` values of the data are not above `value`.
template <class T>
struct distribution_step {
  T value;
  std::size_t count;

  friend bool operator==(distribution_step const&, distribution_step const&) = default;
};

/// Writes the table of a distribution from its density: out[k] = {x, density(x), area under it from a to x} for the
/// ends x of n intervals.
///
///     tabulate_distribution([on,] density, a, b, n, out)
///
/// Requires  as `integrate`. A distribution_point<T> can be assigned to out[k].
/// Result    the end of the output. Areas come from the trapezoidal rule: their error is at most (b - a)^3/(12 n^2)
///           times the greatest second derivative.
/// Cost      a stencil, a map and a scan: 1.001 n calls of the density on a CPU, 3n on a GPU.
/// Blocks    as `inclusive_scan`.
/// Throws    as `integrate`.
template <execution P, class F, class T, detail::iterator Out>
Out tabulate_distribution(P const& on, F density, T a, T b, std::size_t n, Out out)
{
  detail::distribution::write_table(on, tally::trapezoids(std::move(density), a, b, n), out);
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class F, class T, detail::iterator Out>
  requires(!execution<F>)
Out tabulate_distribution(F density, T a, T b, std::size_t n, Out out)
{
  return tally::tabulate_distribution(detail::automatic{}, std::move(density), a, b, n, out);
}

/// Writes the table of the normal distribution at `points` points, up to five deviations from its mean. The tail beyond
/// has 2.9e-7 of the area on either side.
///
///     tabulate_normal([on,] mean, deviation, points, out)
///
/// Requires  deviation > 0, points > 0.
/// Throws    usage_error if either is not; otherwise as `tabulate_distribution`.
template <execution P, class T, detail::iterator Out>
Out tabulate_normal(P const& on, T mean, T deviation, std::size_t points, Out out)
{
  if (!(deviation > T(0)))
    throw usage_error("tally: tabulate_normal: the deviation is " + std::to_string(deviation) + "; it must be above 0");
  return tally::tabulate_distribution(on, normal_density<T>{mean, deviation}, mean - 5 * deviation,
                                      mean + 5 * deviation, points, out);
}
template <class T, detail::iterator Out>
Out tabulate_normal(T mean, T deviation, std::size_t points, Out out)
{
  return tally::tabulate_normal(detail::automatic{}, mean, deviation, points, out);
}

/// Writes the steps of the empirical distribution of sorted data: each value once, with the number of data up to it.
///
///     empirical_distribution([on,] first, last, out)
///
/// Requires  [first, last) is sorted and has no NaN. `out` has room for as many steps as there are values, and overlaps
///           no input.
/// Result    the end of the steps. The last step's count is the number of all data.
/// Cost      one pass over the data, as `copy_if`.
/// Blocks    until everything is written.
/// Throws    as `copy_if`.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out empirical_distribution(P const& on, I first, S last, Out out)
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Out>,
                "tally: an empirical distribution is written by index, from random-access iterators to one");
  auto const n = static_cast<std::size_t>(last - first);
  auto const places = counting_from(0);
  auto const steps = results_to(detail::distribution::step_writer<I, Out>{first, out});
  auto const end = tally::copy_if(on, places, places + static_cast<std::ptrdiff_t>(n), steps,
                                  detail::distribution::last_of_equals<I>{first, n});
  return out + static_cast<std::iter_difference_t<Out>>(end - steps);
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out empirical_distribution(I first, S last, Out out)
{
  return tally::empirical_distribution(detail::automatic{}, first, last, out);
}

/// Returns the fraction of sorted data that is not above x: the empirical distribution at x, in O(log n).
///
/// Requires  at least one value.
/// Throws    usage_error if there is none.
template <class I, class S, class T>
[[nodiscard]] double empirical_cumulative(I first, S last, T const& x)
{
  if (first == last) throw usage_error("tally: empirical_cumulative: there are no data; at least one value is needed");
  return static_cast<double>(std::upper_bound(first, last, x) - first) / static_cast<double>(last - first);
}

/// Returns the value below which the fraction p of sorted data lies. Between neighbours it interpolates linearly, so
/// quantile 1/2 is the median of textbooks.
///
/// Equation  x[i] + (h - i) (x[i+1] - x[i]) with h = p (n - 1) and i its integer part
/// Requires  0 <= p <= 1, at least one value.
/// Throws    usage_error if p is out of range or there are no data.
/// Source    Hyndman & Fan, Sample quantiles in statistical packages (1996), definition 7, the default of numpy and R.
template <class I, class S>
[[nodiscard]] auto quantile(I first, S last, double p)
{
  if (first == last) throw usage_error("tally: quantile: there are no data; at least one value is needed");
  if (!(p >= 0 && p <= 1))
    throw usage_error("tally: quantile: the part is " + std::to_string(p) + "; it must be from 0 to 1");
  using distance = std::iter_difference_t<I>;
  using value = std::common_type_t<std::iter_value_t<I>, double>;
  double const h = p * static_cast<double>(last - first - 1);
  auto const i = static_cast<distance>(h);
  auto const below = static_cast<value>(first[i]);
  auto const part = static_cast<value>(h - static_cast<double>(i));
  if (part == 0) return below;
  return below + part * (static_cast<value>(first[i + 1]) - below);
}

}  // namespace tally
