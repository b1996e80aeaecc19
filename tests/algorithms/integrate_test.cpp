// Numerical integration: the course's three values of pi, the rules' errors, samples.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <future>
#include <numbers>
#include <string>
#include <vector>

#include "tally/algorithms/integrate.hpp"

namespace {

struct half_circle {
  template <class T>
  T operator()(T x) const
  {
    return std::sqrt(1 - x * x);
  }
};
struct exponential_function {
  double operator()(double x) const { return std::exp(x); }
};
struct cubic {
  double operator()(double x) const { return ((x - 2) * x + 3) * x - 4; }
  static double integral(double x) { return (((x / 4 - 2.0 / 3) * x + 1.5) * x - 4) * x; }
};

std::string shown(double value, int digits)
{
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

constexpr std::size_t million = std::size_t{1} << 20;

template <class T>
auto half_circle_areas()
{
  return tally::elements_from(tally::trapezoids(half_circle{}, T(-1), T(1), million));
}
template <class T>
T summed_serially()
{
  auto const areas = half_circle_areas<T>();
  T sum = 0;
  for (std::size_t k = 0; k < million; ++k) sum += areas[static_cast<std::ptrdiff_t>(k)];
  return 2 * sum;
}
template <class T>
T summed_by_tree(int threads)
{
  auto const areas = half_circle_areas<T>();
  return 2 * tally::reduce(tally::cpu{threads}, areas, areas + std::ptrdiff_t{million});
}

TEST(integrate, pi_by_the_trapezoidal_rule)
{
  EXPECT_EQ(shown(summed_by_tree<double>(1), 10), "3.1415926505");
  EXPECT_NEAR(summed_by_tree<double>(1) - std::numbers::pi, -3.1e-9, 0.05e-9);
  EXPECT_EQ(shown(summed_serially<double>(), 10), "3.1415926505");
  EXPECT_EQ(shown(static_cast<double>(summed_by_tree<float>(1)), 7), "3.1415927");
  EXPECT_EQ(shown(static_cast<double>(summed_serially<float>()), 7), "3.1429331");
  for (int const threads : {2, 3, 8}) {
    EXPECT_EQ(summed_by_tree<double>(threads), summed_by_tree<double>(1));
    EXPECT_EQ(summed_by_tree<float>(threads), summed_by_tree<float>(1));
  }
}

/// A node's value, times half an interval.
struct half_area {
  tally::detail::integration::equidistant<double> nodes;
  double operator()(std::size_t k) const { return half_circle{}(nodes.at(2 * k)) * (nodes.width() / 2); }
};

/// One sum of a stencil equals two sums of nodes, of the left ends and of the right ends, computed at the same time.
TEST(integrate, one_sum_of_a_stencil_is_two_concurrent_sums_of_nodes)
{
  auto const nodes = tally::elements_from(half_area{{-1.0, 1.0, million}});
  auto const sum = [=](std::ptrdiff_t begin) {
    return tally::reduce(tally::cpu{1}, nodes + begin, nodes + begin + std::ptrdiff_t{million});
  };
  auto left = std::async(std::launch::async, sum, 0);
  auto right = std::async(std::launch::async, sum, 1);
  double const both = 2 * (left.get() + right.get());
  EXPECT_NEAR(both, summed_by_tree<double>(1), 1e-14);
  EXPECT_NEAR(2 * tally::integrate(half_circle{}, -1.0, 1.0, million, tally::trapezoidal{}), both, 1e-14);
}

template <class Rule>
void expect_order()
{
  double const exact = std::numbers::e - 1;
  for (std::size_t const n : {4u, 8u, 16u, 32u}) {
    double const error = tally::integrate(exponential_function{}, 0.0, 1.0, n, Rule{}) - exact;
    double const half = tally::integrate(exponential_function{}, 0.0, 1.0, 2 * n, Rule{}) - exact;
    EXPECT_NEAR(error / half, std::pow(2.0, Rule::order), 0.03 * std::pow(2.0, Rule::order)) << n;
  }
}
TEST(integrate, twice_the_intervals_have_a_fourth_or_a_sixteenth_of_the_error)
{
  expect_order<tally::midpoint>();
  expect_order<tally::trapezoidal>();
  expect_order<tally::simpson>();
}

TEST(integrate, simpson_is_exact_for_cubics)
{
  double const exact = cubic::integral(3.0) - cubic::integral(-1.0);
  for (std::size_t const n : {1u, 2u, 3u, 7u, 1000u})
    EXPECT_NEAR(tally::integrate(cubic{}, -1.0, 3.0, n), exact, 1e-12) << n;
}

TEST(integrate, from_right_to_left_is_the_negative)
{
  for (std::size_t const n : {1u, 5u, 4097u}) {
    double const forward = tally::integrate(exponential_function{}, -1.0, 2.0, n, tally::trapezoidal{});
    EXPECT_NEAR(tally::integrate(exponential_function{}, 2.0, -1.0, n, tally::trapezoidal{}), -forward,
                1e-13 * forward);
  }
  EXPECT_EQ(tally::integrate(exponential_function{}, 2.0, 2.0, 10), 0.0);
}

/// If the ends are no binary fractions, a node computed as a sum may lie beyond the end. Here that would be the root
/// of a negative number.
TEST(integrate, no_node_is_beyond_the_ends)
{
  struct square_root {
    double end;
    double operator()(double x) const { return std::sqrt(end - x); }
  };
  struct square_root_of_float {
    float operator()(float x) const { return std::sqrt(0.3f - x); }
  };
  for (std::size_t n = 1; n < 500; ++n) {
    for (double const a : {0.1, 0.7, -0.3, 1.0 / 3})
      for (double const b : {0.9, 1.1, 2.0 / 3 + 1, 1e3 / 7})
        ASSERT_FALSE(std::isnan(tally::integrate(square_root{b}, a, b, n, tally::trapezoidal{})))
            << a << ' ' << b << ' ' << n;
    ASSERT_FALSE(std::isnan(tally::integrate(square_root_of_float{}, 0.1f, 0.3f, n))) << n;
  }
}

TEST(integrate, needs_an_interval)
{
  EXPECT_THROW((void)tally::integrate(half_circle{}, -1.0, 1.0, 0), tally::usage_error);
  EXPECT_THROW((void)tally::integrate(tally::cpu{-1}, half_circle{}, -1.0, 1.0, 5), tally::usage_error);
  EXPECT_THROW((void)tally::trapezoids(half_circle{}, -1.0, 1.0, 0), tally::usage_error);
}

TEST(cumulative_integral, ends_with_the_integral)
{
  for (std::size_t const n : {1u, 2u, 4095u, 4096u, 4097u, 100'003u}) {
    std::vector<double> one(n, -1), several(n, -2);
    EXPECT_EQ(tally::cumulative_integral(exponential_function{}, 0.0, 1.0, n, one.begin()), one.end());
    tally::cumulative_integral(tally::cpu{4}, exponential_function{}, 0.0, 1.0, n, several.begin());
    EXPECT_EQ(one, several) << n;
    double const width = 1.0 / static_cast<double>(n);
    for (std::size_t k = 0; k < n; k += 1 + n / 100)
      ASSERT_NEAR(one[k], std::expm1(static_cast<double>(k + 1) * width), width * width / 4 + 1e-15)
          << k << " of " << n;
    EXPECT_NEAR(one.back(), tally::integrate(exponential_function{}, 0.0, 1.0, n, tally::trapezoidal{}), 1e-14);
  }
}

TEST(integrate_samples, of_a_cubic_are_exact_by_simpsons_rule)
{
  for (std::size_t n = 3; n < 40; ++n) {
    double const step = 4.0 / static_cast<double>(n - 1);
    std::vector<double> samples(n);
    for (std::size_t k = 0; k < n; ++k) samples[k] = cubic{}(-1 + static_cast<double>(k) * step);
    EXPECT_NEAR(tally::integrate_samples(samples.begin(), samples.end(), step),
                cubic::integral(3.0) - cubic::integral(-1.0), 1e-12)
        << n;
  }
}

TEST(integrate_samples, of_few_and_by_other_rules)
{
  std::vector<double> const samples = {1, 2, 4, 8};
  auto const end = [&](std::ptrdiff_t n) { return samples.begin() + n; };
  EXPECT_EQ(tally::integrate_samples(samples.begin(), end(0), 0.5), 0.0);
  EXPECT_EQ(tally::integrate_samples(samples.begin(), end(1), 0.5), 0.0);
  EXPECT_EQ(tally::integrate_samples(samples.begin(), end(2), 0.5), 0.75);
  EXPECT_EQ(tally::integrate_samples(samples.begin(), end(4), 0.5, tally::trapezoidal{}), 5.25);
  EXPECT_EQ(tally::integrate_samples(samples.begin(), end(4), 0.5, tally::midpoint{}), 7.5);
  EXPECT_EQ(tally::integrate_samples(samples.begin(), end(1), 0.5, tally::midpoint{}), 0.5);
}

TEST(integrate_samples, of_many_are_the_functions_integral)
{
  std::size_t const n = 100'001;
  std::vector<double> samples(n);
  for (std::size_t k = 0; k < n; ++k) samples[k] = std::exp(static_cast<double>(k) / static_cast<double>(n - 1));
  double const step = 1.0 / static_cast<double>(n - 1);
  EXPECT_NEAR(tally::integrate_samples(tally::cpu{3}, samples.begin(), samples.end(), step), std::numbers::e - 1,
              1e-14);
  EXPECT_EQ(tally::integrate_samples(tally::cpu{3}, samples.begin(), samples.end(), step, tally::trapezoidal{}),
            tally::integrate_samples(samples.begin(), samples.end(), step, tally::trapezoidal{}));
}

}  // namespace
