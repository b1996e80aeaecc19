// Powers, a polynomial at a point and at many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/polynomial.hpp"

namespace {

using tally::test::random_bits;

/// Sizes around eight chains, blocks of 1024, tiles of 16 blocks, and the size from which threads share.
std::vector<std::size_t> const sizes = tally::test::tidy(
    {0, 1, 2, 7, 8, 9, 15, 16, 17, 1023, 1024, 1025, 1031, 1032, 2048, 4103, 16383, 16385, 65543, 131072, 262151});

template <class C, class T>
T horner(std::vector<C> const& c, T x)
{
  T y(0);
  for (std::size_t k = c.size(); k-- > 0;) y = y * x + static_cast<T>(c[k]);
  return y;
}

TEST(polynomial_value, of_integers_is_horners_in_bits)
{
  for (std::size_t const n : sizes) {
    std::vector<std::uint64_t> c(n);
    for (std::size_t k = 0; k < n; ++k) c[k] = random_bits(1, k);
    std::uint64_t const x = 0x123456789abcdef1u;
    for (int const threads : {1, 2, 5})
      EXPECT_EQ(tally::polynomial_value(tally::cpu{threads}, c.begin(), c.end(), x), horner(c, x)) << n;
    EXPECT_EQ(tally::polynomial_value(c.begin(), c.end(), x), horner(c, x)) << n;
  }
}

/// The error is bounded by sum |c x^k| times the roundings of a term, which are fewer than in Horner's rule.
TEST(polynomial_value, of_doubles_is_within_the_error_of_horners_rule)
{
  for (std::size_t const n : sizes) {
    std::vector<double> c(n), magnitudes(n);
    for (std::size_t k = 0; k < n; ++k) {
      c[k] = static_cast<double>(static_cast<std::int64_t>(random_bits(2, k))) * 0x1p-63;
      magnitudes[k] = std::abs(c[k]);
    }
    for (double const x : {0.0, 1.0, -1.0, 0.5, -0.999, 0.99999, 1.0001, 1e-300}) {
      auto const exact = static_cast<double>(horner<double, long double>(c, x));
      double const bound = 1e-15 * std::sqrt(static_cast<double>(n) + 1) * horner(magnitudes, std::abs(x));
      double const one = tally::polynomial_value(tally::cpu{1}, c.begin(), c.end(), x);
      EXPECT_NEAR(one, exact, bound) << n << " at " << x;
      EXPECT_EQ(tally::polynomial_value(tally::cpu{3}, c.begin(), c.end(), x), one) << n << " at " << x;
    }
  }
}

/// Powers of x overflow. The value equals that of Horner's rule up to rounding; infinities are the same.
template <class T>
void expect_horners(std::vector<T> const& c, T x)
{
  T const expected = horner(c, x);
  for (int const threads : {1, 3}) {
    T const value = tally::polynomial_value(tally::cpu{threads}, c.begin(), c.end(), x);
    if (std::isfinite(expected))
      EXPECT_NEAR(value / expected, 1, 1e-5) << c.size() << " at " << x;
    else
      EXPECT_EQ(value, expected) << c.size() << " at " << x;
  }
}
template <class T>
void expect_horners_behind_an_overflow()
{
  for (std::size_t const n : {9u, 16u, 17u, 1024u, 1025u, 3000u, 20'001u}) {
    std::vector<T> const ones(n, 1);
    std::vector<T> alternating = ones, zeros_at_the_end(n, 0);
    for (std::size_t k = 0; k < n; k += 2) alternating[k] = -1;
    for (std::size_t k = 0; k < 3; ++k) zeros_at_the_end[k] = static_cast<T>(k + 1);
    for (T const x : {T(2), T(-2), T(1.5), T(-1e10), T(1e15)})
      for (auto const& c : {ones, alternating, zeros_at_the_end}) expect_horners(c, x);
  }
}
TEST(polynomial_value, that_grows_to_infinity_is_infinite)
{
  expect_horners_behind_an_overflow<double>();
  expect_horners_behind_an_overflow<float>();
}

TEST(polynomial_value, takes_complex_numbers_and_reads_narrow_coefficients)
{
  std::vector<float> const c = {1, -2, 3, -4};
  std::complex<double> const x(0.5, 2), expected = horner<float, std::complex<double>>(c, x);
  EXPECT_LT(std::abs(tally::polynomial_value(c.begin(), c.end(), x) - expected), 1e-14);
  EXPECT_EQ(tally::polynomial_value(c.begin(), c.end(), 3.0), 1 - 6 + 27 - 108);
}

TEST(polynomial_values, are_horners_at_each_point)
{
  std::vector<double> c(37);
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = static_cast<double>(random_bits(3, k) % 1000) / 128;
  for (std::size_t const n : {0u, 1u, 15u, 16u, 17u, 511u, 512u, 513u, 529u, 100'003u}) {
    std::vector<double> x(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<double>(random_bits(4, k) % 4096) / 2048 - 1;
    for (int const threads : {1, 3}) {
      tally::test::guarded<double> y(n);
      EXPECT_EQ(tally::polynomial_values(tally::cpu{threads}, c.begin(), c.end(), x.begin(), x.end(), y.data()),
                y.data() + n);
      for (std::size_t k = 0; k < n; ++k) ASSERT_NEAR(y.data()[k], horner(c, x[k]), 1e-12) << k << " of " << n;
      EXPECT_TRUE(y.guards_intact());
    }
    auto over = x;
    tally::polynomial_values(c.begin(), c.end(), over.begin(), over.end(), over.begin());
    for (std::size_t k = 0; k < n; ++k) ASSERT_NEAR(over[k], horner(c, x[k]), 1e-12) << k << " of " << n;
  }
  std::vector<double> const none, x = {1, 2};
  std::vector<double> y = {5, 5};
  tally::polynomial_values(none.begin(), none.end(), x.begin(), x.end(), y.begin());
  EXPECT_EQ(y, (std::vector<double>{0, 0}));
}

TEST(powers, begin_with_one_and_multiply)
{
  for (std::size_t const n : sizes) {
    tally::test::guarded<std::uint32_t> out(n);
    EXPECT_EQ(tally::powers(tally::cpu{3}, std::uint32_t{0x9e3779b9u}, n, out.data()), out.data() + n);
    std::uint32_t power = 1;
    for (std::size_t k = 0; k < n; ++k, power *= 0x9e3779b9u) ASSERT_EQ(out.data()[k], power) << k << " of " << n;
    EXPECT_TRUE(out.guards_intact());
  }
}

/// Each product rounds by half a unit at most.
TEST(powers, of_doubles_are_within_a_rounding_for_each_factor)
{
  std::size_t const n = 200'000;
  double const x = 1 + 0x1.23456789abcdep-14;
  std::vector<double> out(n), several(n);
  tally::powers(x, n, out.begin());
  tally::powers(tally::cpu{4}, x, n, several.begin());
  EXPECT_EQ(out, several);
  for (std::size_t k = 0; k < n; ++k) {
    long double const exact = std::pow(static_cast<long double>(x), static_cast<long double>(k));
    ASSERT_LE(std::abs(static_cast<double>(out[k] / exact - 1)),
              0x1.02p-53 * std::min(static_cast<double>(k), 80 + static_cast<double>(k) / 256))
        << k;
  }
}

TEST(powers, that_grow_to_infinity_are_infinite)
{
  for (double const x : {2.0, -2.0, 1e10, -1e40, 1e300, 1e-10, -1e-300, 0.0, HUGE_VAL})
    for (std::size_t const n : {7u, 513u, 3000u}) {
      std::vector<double> out(n);
      tally::powers(tally::cpu{3}, x, n, out.begin());
      double power = 1;
      for (std::size_t k = 0; k < n; ++k, power *= x) {
        if (std::isfinite(power))
          ASSERT_NEAR(out[k], power, std::abs(power) * 1e-12 + 1e-300) << x << " to the " << k;
        else
          ASSERT_EQ(out[k], power) << x << " to the " << k;
      }
    }
}

/// A factor that many steps multiply by is rounded once.
TEST(power_of, is_rounded_once)
{
  for (double const x : {1.1, -0.3, 0.9999, 1.0 + 0x1p-52, 1.23456789})
    for (std::size_t const n : {0u, 1u, 2u, 3u, 8u, 100u, 1000u, 1024u}) {
      auto const exact = std::pow(static_cast<long double>(x), static_cast<long double>(n));
      if (std::abs(exact) > 1e300L || std::abs(exact) < 1e-250L) continue;
      EXPECT_NEAR(static_cast<double>(tally::detail::polynomial::power_of(x, n) / exact - 1), 0, 0x1.01p-53)
          << x << " to the " << n;
      EXPECT_EQ(tally::detail::polynomial::power_of(static_cast<float>(x), 8),
                static_cast<float>(std::pow(static_cast<double>(static_cast<float>(x)), 8)));
    }
  EXPECT_EQ(tally::detail::polynomial::power_of(1e200, 2), HUGE_VAL);
  EXPECT_EQ(tally::detail::polynomial::power_of(1e-200, 2), 0.0);
  EXPECT_EQ(tally::detail::polynomial::power_of(std::uint32_t{3}, 21), std::uint32_t{1870418611u});
}

}  // namespace
