// The normal distribution against erfc, and the empirical one against counting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/generator.hpp"
#include "tally/algorithms/distribution.hpp"

namespace {

using point = tally::distribution_point<double>;
using tally::test::random_bits;

std::vector<point> table(double mean, double deviation, std::size_t points, int threads = 0)
{
  std::vector<point> all(points, {-1, -1, -1});
  EXPECT_EQ(tally::tabulate_normal(tally::cpu{threads}, mean, deviation, points, all.begin()), all.end());
  return all;
}
double largest_error(std::vector<point> const& all, double mean, double deviation)
{
  double worst = 0;
  for (point const& each : all)
    worst = std::max(worst, std::abs(each.cumulative - tally::normal_cumulative(each.x, mean, deviation)));
  return worst;
}

TEST(tabulate_normal, of_1024_points)
{
  auto const all = table(0, 1, 1024);
  char last[32], worst[32];
  std::snprintf(last, sizeof last, "%.9f", all.back().cumulative);
  std::snprintf(worst, sizeof worst, "%.1e", largest_error(all, 0, 1));
  EXPECT_EQ(std::string(last), "0.999999427");
  EXPECT_EQ(std::string(worst), "2.2e-06");
  EXPECT_EQ(all.back().x, 5.0);
  EXPECT_NEAR(all[511].x, 0, 1e-15);
  EXPECT_NEAR(all[511].density, 0.3989422804014327, 1e-15);
}

TEST(tabulate_normal, of_any_mean_deviation_and_number_of_points)
{
  for (double const mean : {-1e6, 0.0, 3.25, 1e10})
    for (double const deviation : {1e-3, 0.7, 1.0, 42.0})
      for (std::size_t const points : {64u, 1000u, 70'001u}) {
        if (std::abs(mean) / deviation > 1e11) continue;  // where x itself has too few digits
        auto const one = table(mean, deviation, points, 1);
        double const width = 10.0 / static_cast<double>(points);
        double const rounding = 1e-15 * std::abs(mean) / deviation;  // of x
        EXPECT_LT(largest_error(one, mean, deviation), 3e-7 + 0.0205 * width * width + rounding)
            << mean << ' ' << deviation << ' ' << points;
        auto const several = table(mean, deviation, points, 4);
        EXPECT_TRUE(std::equal(one.begin(), one.end(), several.begin(), [](point const& a, point const& b) {
          return a.x == b.x && a.density == b.density && a.cumulative == b.cumulative;
        }));
        EXPECT_TRUE(std::is_sorted(one.begin(), one.end(),
                                   [](point const& a, point const& b) { return a.cumulative < b.cumulative; }));
      }
}

TEST(tabulate_normal, in_float)
{
  std::vector<tally::distribution_point<float>> all(1024);
  tally::tabulate_normal(0.0f, 1.0f, 1024, all.begin());
  for (auto const& each : all)
    ASSERT_NEAR(each.cumulative, tally::normal_cumulative(static_cast<double>(each.x)), 3e-6) << each.x;
}

TEST(tabulate_normal, says_what_is_wrong)
{
  std::vector<point> all(1);
  EXPECT_THROW(tally::tabulate_normal(0.0, 0.0, 1, all.begin()), tally::usage_error);
  EXPECT_THROW(tally::tabulate_normal(0.0, -1.0, 1, all.begin()), tally::usage_error);
  EXPECT_THROW(tally::tabulate_normal(0.0, std::nan(""), 1, all.begin()), tally::usage_error);
  EXPECT_THROW(tally::tabulate_normal(0.0, 1.0, 0, all.begin()), tally::usage_error);
}

std::vector<tally::distribution_step<int>> counted(std::vector<int> const& sorted)
{
  std::vector<tally::distribution_step<int>> steps;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (k == 0 || sorted[k] != sorted[k - 1]) steps.push_back({sorted[k], 0});
    steps.back().count = k + 1;
  }
  return steps;
}

TEST(empirical_distribution, counts_what_is_not_above)
{
  for (std::size_t const n : {0u, 1u, 2u, 3u, 4095u, 4096u, 4097u, 50'001u}) {
    for (std::uint64_t const values : {1u, 2u, 100u, 1'000'000'000u}) {
      std::vector<int> data(n);
      for (std::size_t k = 0; k < n; ++k) data[k] = static_cast<int>(random_bits(5, k) % values) - 50;
      std::sort(data.begin(), data.end());
      auto const expected = counted(data);
      for (int const threads : {1, 4}) {
        std::vector<tally::distribution_step<int>> steps(n, {-7, 77});
        auto const end = tally::empirical_distribution(tally::cpu{threads}, data.begin(), data.end(), steps.begin());
        steps.erase(end, steps.end());
        EXPECT_EQ(steps, expected) << n << " of " << values << " values";
      }
    }
  }
}

TEST(empirical_cumulative, is_the_part_not_above)
{
  std::vector<double> const data = {1, 2, 2, 4};
  EXPECT_EQ(tally::empirical_cumulative(data.begin(), data.end(), 0.5), 0.0);
  EXPECT_EQ(tally::empirical_cumulative(data.begin(), data.end(), 1), 0.25);
  EXPECT_EQ(tally::empirical_cumulative(data.begin(), data.end(), 2.0), 0.75);
  EXPECT_EQ(tally::empirical_cumulative(data.begin(), data.end(), 9.0), 1.0);
  EXPECT_THROW((void)tally::empirical_cumulative(data.begin(), data.begin(), 1), tally::usage_error);
}

TEST(quantile, lies_between_neighbours)
{
  std::vector<int> const data = {10, 20, 30, 40};
  EXPECT_EQ(tally::quantile(data.begin(), data.end(), 0), 10.0);
  EXPECT_EQ(tally::quantile(data.begin(), data.end(), 0.5), 25.0);
  EXPECT_EQ(tally::quantile(data.begin(), data.end(), 0.25), 17.5);
  EXPECT_EQ(tally::quantile(data.begin(), data.end(), 1), 40.0);
  EXPECT_EQ(tally::quantile(data.begin(), data.begin() + 1, 0.3), 10.0);
  EXPECT_THROW((void)tally::quantile(data.begin(), data.begin(), 0.5), tally::usage_error);
  EXPECT_THROW((void)tally::quantile(data.begin(), data.end(), 1.5), tally::usage_error);
  EXPECT_THROW((void)tally::quantile(data.begin(), data.end(), std::nan("")), tally::usage_error);
}

}  // namespace
