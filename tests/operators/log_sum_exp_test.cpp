#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tally
