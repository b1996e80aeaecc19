#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tally/detail/laws/search.hpp"
#include "tally/detail/laws/simpler.hpp"
#include "tally/detail/laws/values.hpp"
#include "tally/half.hpp"

namespace tally::detail::laws {

/// A caller's class with the function that lets the checker look into it.
struct interval {
  float low;
  float high;
  friend auto law_parts(interval const& x) { return std::make_tuple(x.low, x.high); }
};

namespace {

template <class T>
std::string printed(T const& x)
{
  std::ostringstream out;
  print(out, x);
  return out.str();
}

TEST(values, compare_in_bits_with_all_nans_the_same)
{
  EXPECT_TRUE(same(1.5, 1.5));
  EXPECT_FALSE(same(0.0, -0.0));
  EXPECT_TRUE(same(std::nan("1"), -std::nan("2")));
  EXPECT_FALSE(same(std::nan(""), 1.0));
  EXPECT_FALSE(same(half(0), half(-0.0)));
  EXPECT_FALSE(same(0.0L, -0.0L));
  EXPECT_TRUE(same(indexed{std::nan(""), 1}, indexed{std::nan(""), 1}));
  EXPECT_FALSE(same(std::pair(0.0, 1), std::pair(-0.0, 1)));
  EXPECT_FALSE(same(interval{1, 0.0f}, interval{1, -0.0f}));
  EXPECT_TRUE(same(std::string("a"), std::string("a")));
}

TEST(values, are_close_relative_to_the_scale)
{
  EXPECT_TRUE(close(1.0f, 1.0f + 0x1p-22f, 1, 2));
  EXPECT_FALSE(close(1.0f, 1.0f + 0x1p-21f, 1, 2));
  EXPECT_TRUE(close(1.0f, 1.0f + 0x1p-21f, 4, 2));
  EXPECT_FALSE(close(std::nan(""), 1.0, 1e9, 16));
  EXPECT_FALSE(close(INFINITY, 1.0f, 1e30, 16));
  EXPECT_TRUE(close(0.0, std::numeric_limits<double>::denorm_min(), 0, 1)) << "underflow is rounding too";
  EXPECT_FALSE(close(1000001, 1000000, 1e9, 1e9)) << "integers are not rounded";
  EXPECT_TRUE(close(interval{1, 2}, interval{1, 2 + 0x1p-22f}, 2, 1));
  EXPECT_FALSE(close(indexed{1.0, 1}, indexed{1.0, 2}, 1, 16));
}

TEST(values, print_as_they_are_written)
{
  EXPECT_EQ(printed(0.1f), "0.1");
  EXPECT_EQ(printed(-0.0), "-0");
  EXPECT_EQ(printed(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(printed(std::int8_t{65}), "65");
  EXPECT_EQ(printed('A'), "65");
  EXPECT_EQ(printed(true), "true");
  EXPECT_EQ(printed(half(0.25f)), "0.25");
  EXPECT_EQ(printed(flagged{affine{2, 3}, true}), "((2, 3), true)");
  EXPECT_EQ(printed(std::array{1, 2}), "(1, 2)");
  EXPECT_EQ(printed(std::vector<std::string>{"a", "b"}), "{\"a\", \"b\"}");
  EXPECT_EQ(printed(moments(2.0)), "(1, 2, 0)");
  EXPECT_EQ(printed(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  struct silent {};
  EXPECT_EQ(printed(silent{}), "(a value without operator<<)");
}

/// Follows the last of the simpler values until there is none; returns how many steps it took.
template <class T>
int steps_to_the_simplest(T x)
{
  int steps = 0;
  for (std::vector<T> next = simpler{}(x); !next.empty(); next = simpler{}(x)) {
    x = next.back();
    if (++steps > 2000) break;
  }
  return steps;
}

TEST(simpler_values, come_to_an_end)
{
  for (int const x : {0, 1, -1, 1000, -1000}) EXPECT_LE(steps_to_the_simplest(x), 1001);
  for (double const x : {0.0, -0.0, 0.1, -2.5, 999.5, -HUGE_VAL, std::nan("")})
    EXPECT_LE(steps_to_the_simplest(x), 1100);
  EXPECT_LE(steps_to_the_simplest(std::numeric_limits<std::int8_t>::lowest()), 130);
  EXPECT_LE(steps_to_the_simplest(std::string("abcdefgh")), 10);
  EXPECT_LE(steps_to_the_simplest(half(-7.5f)), 10);
  EXPECT_LE(steps_to_the_simplest(flagged{affine{3, -2}, true}), 10);
  EXPECT_LE(steps_to_the_simplest(std::tuple(1, true, 0.5)), 5);
}

TEST(simpler_values, meet_a_threshold_among_large_numbers_soon)
{
  int tried = 0;
  auto const least = [&]<class T>(T x, T threshold) {
    tried = 0;
    return shrunk(std::array{x}, simpler{}, [&](std::array<T, 1> const& y) { return ++tried, y[0] >= threshold; })[0];
  };
  EXPECT_EQ(least(1e300, 0x1p53 - 12345), 0x1p53 - 12345);
  EXPECT_LT(tried, 20000);
  EXPECT_EQ(least(std::numeric_limits<std::int64_t>::max(), std::int64_t{1'000'000'007}), 1'000'000'007);
  EXPECT_LT(tried, 20000);
}

TEST(simpler_values, of_each_kind)
{
  EXPECT_EQ(simpler{}(7), (std::vector<int>{0, 4, 6}));
  EXPECT_EQ(simpler{}(-4), (std::vector<int>{4, 0, -2, -3}));
  EXPECT_TRUE(simpler{}(0).empty());
  EXPECT_EQ(simpler{}(2.5), (std::vector<double>{0, 2, 1}));
  EXPECT_EQ(simpler{}(-7.0f), (std::vector<float>{0, 7, -4, -6}));
  EXPECT_EQ(simpler{}(true), (std::vector<bool>{false}));
  EXPECT_TRUE(simpler{}(false).empty());
  EXPECT_EQ(simpler{}(std::pair(1, 2)), (std::vector<std::pair<int, int>>{{0, 2}, {1, 0}, {1, 1}}));
  EXPECT_EQ(simpler{}(interval{0, 1}).size(), 1u);
}

}  // namespace
}  // namespace tally::detail::laws
