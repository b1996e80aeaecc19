#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tally/operators/mean_and_variance.hpp"
#include "tally/operators/traits.hpp"

namespace tally {
namespace {

template <class T>
moments<T> tree(std::vector<T> const& x, std::size_t first, std::size_t last)
{
  if (first == last) return identity_of<moments<T>>(mean_and_variance{});
  if (last - first == 1) return moments<T>(x[first]);
  std::size_t const middle = first + (last - first) / 2;
  return mean_and_variance{}(tree(x, first, middle), tree(x, middle, last));
}

template <class T>
moments<T> serial(std::vector<T> const& x)
{
  moments<T> all{};
  for (T const value : x) all = mean_and_variance{}(all, moments<T>(value));
  return all;
}

template <class T>
moments<T> whole(std::vector<T> const& x)
{
  return tree(x, 0, x.size());
}

TEST(mean_and_variance, of_a_few)
{
  moments<double> const m = whole<double>({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(m.count(), 8u);
  EXPECT_EQ(m.mean(), 5.0);
  EXPECT_EQ(m.squared_deviations(), 32.0);
  EXPECT_EQ(m.variance(), 4.0);
  EXPECT_EQ(m.sample_variance(), 32.0 / 7);
  EXPECT_EQ(m.standard_deviation(), 2.0);
  EXPECT_EQ(m.sample_standard_deviation(), std::sqrt(32.0 / 7));
  static_assert(mean_and_variance{}(moments(1.0), moments(3.0)) == moments<double>(2, 2.0, 2.0));
}

TEST(mean_and_variance, of_too_few_is_not_a_number)
{
  static_assert(moments<float>{}.count() == 0);
  EXPECT_TRUE(std::isnan(moments<float>{}.mean()));
  EXPECT_TRUE(std::isnan(moments<float>{}.variance()));
  EXPECT_TRUE(std::isnan(moments<float>{}.sample_variance()));
  EXPECT_TRUE(std::isnan(moments(3.0).sample_variance()));
  EXPECT_EQ(moments(3.0).variance(), 0.0);
  EXPECT_EQ(moments(3.0).mean(), 3.0);
}

TEST(mean_and_variance, the_identity_keeps_bits)
{
  moments<double> const e = identity_of<moments<double>>(mean_and_variance{});
  for (double const value : {-0.0, 0.0, 0.1, -std::numeric_limits<double>::denorm_min()}) {
    for (auto const& m : {mean_and_variance{}(e, moments(value)), mean_and_variance{}(moments(value), e)})
      EXPECT_EQ(std::bit_cast<std::uint64_t>(m.mean()), std::bit_cast<std::uint64_t>(value));
  }
  EXPECT_EQ(mean_and_variance{}(e, e), e);
}

TEST(mean_and_variance, a_constant_has_itself_as_mean_and_no_variance)
{
  std::vector<float> const x(1001, 0.1f);
  for (auto const& m : {whole(x), serial(x)}) {
    EXPECT_EQ(m.mean(), 0.1f);
    EXPECT_EQ(m.variance(), 0.0f);
  }
}

TEST(mean_and_variance, does_not_cancel_where_the_textbook_formula_does)
{
  // 1e9 + {4, 7, 13, 16}: E[x^2] - E[x]^2 in double gives 0 or less.
  std::vector<double> x;
  for (int k = 0; k < 1000; ++k) x.insert(x.end(), {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
  EXPECT_NEAR(whole(x).variance(), 22.5, 1e-7);
  EXPECT_NEAR(whole(x).mean(), 1e9 + 10, 1e-6);
  EXPECT_NEAR(serial(x).variance(), 22.5, 1e-6);
}

TEST(mean_and_variance, agrees_with_two_passes_in_long_double)
{
  std::mt19937_64 random(17);
  for (std::size_t const n : {2u, 3u, 17u, 1000u, 4097u}) {
    std::vector<double> x(n);
    for (double& value : x) value = std::ldexp(static_cast<double>(random()), -60) - 3;
    long double sum = 0;
    for (double const value : x) sum += value;
    long double const mean = sum / static_cast<long double>(n);
    long double squares = 0;
    for (double const value : x) squares += (value - mean) * (value - mean);
    auto const variance = static_cast<double>(squares / static_cast<long double>(n));
    EXPECT_NEAR(whole(x).mean(), static_cast<double>(mean), 1e-14);
    EXPECT_NEAR(whole(x).variance() / variance, 1.0, 1e-13) << n;
  }
}

TEST(mean_and_variance, infinities_and_nan_come_out_as_they_would_of_a_sum)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto const mean = [](std::vector<double> const& x) { return whole(x).mean(); };
  EXPECT_EQ(mean({1, infinity}), infinity);
  EXPECT_EQ(mean({infinity, 1}), infinity);
  EXPECT_EQ(mean({infinity, infinity, 3}), infinity);
  EXPECT_EQ(mean({2, -infinity, 3, 4}), -infinity);
  EXPECT_TRUE(std::isnan(mean({infinity, 1, -infinity})));
  EXPECT_TRUE(std::isnan(mean({std::nan(""), 1})));
  EXPECT_TRUE(std::isnan(whole<double>({1, infinity}).variance()));
  EXPECT_TRUE(std::isnan(whole<double>({infinity}).variance()));
  EXPECT_TRUE(std::isnan(whole<double>({1, std::nan(""), 2}).variance()));
}

TEST(mean_and_variance, means_of_the_largest_numbers_do_not_overflow)
{
  constexpr double most = std::numeric_limits<double>::max();
  EXPECT_EQ(whole<double>({most, most, most, most}).mean(), most);
  EXPECT_EQ(whole<double>({most, -most}).mean(), 0.0);
}

TEST(mean_and_variance, more_than_2_to_the_24_floats_count)
{
  moments<float> const many(std::uint64_t{1} << 40, 1.0f, 0.0f);
  moments<float> const all = mean_and_variance{}(many, moments(3.0f));
  EXPECT_EQ(all.count(), (std::uint64_t{1} << 40) + 1);
  EXPECT_EQ(all.squared_deviations(), 4.0f);
  EXPECT_EQ(static_cast<moments<double>>(all).count(), all.count());
}

}  // namespace
}  // namespace tally
