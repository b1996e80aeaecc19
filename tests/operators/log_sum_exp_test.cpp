#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "floating_point.hpp"
#include "tally/operators/log_sum_exp.hpp"
#include "tally/operators/traits.hpp"

namespace tally {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
T of(std::vector<T> const& x)
{
  auto all = identity_of<exponential_sum<T>>(log_sum_exp{});
  for (T const value : x) all = log_sum_exp{}(all, exponential_sum<T>(value));
  return all.result();
}

TEST(log_sum_exp, of_nothing_is_minus_infinity)
{
  EXPECT_EQ(of<double>({}), -infinity);
  EXPECT_EQ(exponential_sum<float>{}.result(), -infinity);
  EXPECT_EQ(exponential_sum<float>{}.maximum(), -infinity);
  EXPECT_EQ(exponential_sum<double>{}, exponential_sum<double>(-infinity)) << "one representation";
  EXPECT_EQ(of<double>({-infinity}), -infinity);
  EXPECT_EQ(of<double>({-infinity, -infinity}), -infinity);
}

TEST(log_sum_exp, of_one_value_is_that_value)
{
  for (double const x : {0.0, -1e308, 1e308, 710.0, -800.0, infinity}) {
    EXPECT_EQ(of<double>({x}), x);
    EXPECT_EQ(of<double>({-infinity, x}), x);
    EXPECT_EQ(of<double>({x, -infinity}), x);
  }
}

TEST(log_sum_exp, does_not_overflow_or_vanish)
{
  EXPECT_DOUBLE_EQ(of<double>({1000, 1000}), 1000 + std::log(2.0));
  EXPECT_DOUBLE_EQ(of<double>({-1000, -1000, -1000}), -1000 + std::log(3.0));
  EXPECT_FLOAT_EQ(of<float>({90.0f, 100.0f, 80.0f}), 100.0f + std::log(1.0f + std::exp(-10.0f) + std::exp(-20.0f)));
  EXPECT_EQ(of<double>({-1e300, 1e300}), 1e300);
}

TEST(log_sum_exp, agrees_with_long_double)
{
  std::mt19937_64 random(4);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> x(1 + random() % 200);
    long double sum = 0;
    for (double& value : x) {
      value = static_cast<double>(random() % 4000) / 100 - 20;
      sum += std::exp(static_cast<long double>(value));
    }
    EXPECT_NEAR(of(x), static_cast<double>(std::log(sum)), 1e-14 * 40);
  }
}

TEST(log_sum_exp, infinity_and_nan)
{
  EXPECT_EQ(of<double>({1, infinity, 2}), infinity);
  EXPECT_EQ(of<double>({infinity, infinity}), infinity);
  EXPECT_EQ(of<double>({infinity, -infinity}), infinity);
  for (auto const& x : std::vector<std::vector<double>>{{std::nan(""), 1},
                                                        {1, std::nan("")},
                                                        {infinity, std::nan("")},
                                                        {-infinity, std::nan("")},
                                                        {std::nan(""), infinity, 3}})
    EXPECT_TRUE(std::isnan(of(x)));
}

TEST(log_sum_exp, the_scaled_sum_stays_between_1_and_n)
{
  exponential_sum<double> all{};
  for (int k = 0; k < 1000; ++k) {
    all = log_sum_exp{}(all, exponential_sum<double>(k % 7 * 100.0));
    EXPECT_GE(all.scaled_sum(), 1.0);
    EXPECT_LE(all.scaled_sum(), k + 1.0);
  }
  EXPECT_EQ(all.maximum(), 600.0);
}

TEST(log_sum_exp, converts_to_the_carry_type_and_back)
{
  exponential_sum<float> const x(0.1f, 1.5f);
  exponential_sum<double> const wide(x);
  EXPECT_EQ(wide, exponential_sum<double>(static_cast<double>(0.1f), 1.5));
  EXPECT_EQ(exponential_sum<float>(wide), x);
}

/// The sum over 1000 values that are exact in either type.
template <class T>
constexpr exponential_sum<T> of_a_thousand()
{
  exponential_sum<T> all{};
  for (int k = 0; k < 1000; ++k)
    all = log_sum_exp{}(all, exponential_sum<T>(static_cast<T>(k * k * 37 % 1009) / 16 - 40));
  return all;
}

// Compiled twice, normally and with permission to fuse products and sums.
TEST(log_sum_exp, has_the_same_bits_on_every_platform)
{
  EXPECT_EQ(of_a_thousand<double>(), exponential_sum<double>(0x1.7p+4, 0x1.96321d54ec6d2p+4));
  EXPECT_EQ(of_a_thousand<double>().result(), 0x1.a3bf793f0a2a6p+4);
  EXPECT_EQ(of_a_thousand<float>(), exponential_sum<float>(0x1.7p+4f, 0x1.963216p+4f));
  EXPECT_EQ(of_a_thousand<float>().result(), 0x1.a3bf78p+4f);
}

TEST(log_sum_exp, has_the_same_bits_on_every_platform_at_many_places)
{
  auto const sum = [](auto x) { return log_sum_exp{}(exponential_sum(x), exponential_sum(decltype(x)(0))); };
  EXPECT_EQ(digest<double>([&](double x) { return sum(x).scaled_sum(); }, -10, 10), 0x2bedd06a840e31dcu);
  EXPECT_EQ(digest<double>([&](double x) { return sum(x).result(); }, -10, 10), 0xb0fda075cc5e4b2cu);
  EXPECT_EQ(digest<float>([&](float x) { return sum(x).scaled_sum(); }, -10, 10), 0xf0f29f2740cfcba1u);
  EXPECT_EQ(digest<float>([&](float x) { return sum(x).result(); }, -10, 10), 0x22e71c5e34b8ccabu);
}

TEST(log_sum_exp, has_the_same_bits_in_constant_expressions)
{
  constexpr auto folded =
      log_sum_exp{}(exponential_sum(0.25), log_sum_exp{}(exponential_sum(-3.5), exponential_sum(1.75)));
  auto const computed = log_sum_exp{}(exponential_sum(opaque(0.25)),
                                      log_sum_exp{}(exponential_sum(opaque(-3.5)), exponential_sum(opaque(1.75))));
  EXPECT_EQ(computed, folded);
  constexpr double logarithm = folded.result();
  EXPECT_EQ(computed.result(), logarithm);
}

TEST(log_sum_exp, of_floats_rounds_its_result_once)
{
  // In float, log(2) would cancel and leave no correct digit.
  float const log2 = 0x1.62e430p-1f;
  EXPECT_EQ(exponential_sum<float>(-log2, 2.0f).result(), static_cast<float>(0x1.62e42fefa39efp-1 - double(log2)));
}

TEST(log_sum_exp, of_long_double_is_computed_in_long_double)
{
  auto const both = log_sum_exp{}(exponential_sum(1.0L), exponential_sum(0.0L));
  EXPECT_EQ(both.scaled_sum(), 1 + std::exp(-1.0L));
  EXPECT_EQ(both.result(), 1 + std::log(both.scaled_sum()));
}

}  // namespace
}  // namespace tally
