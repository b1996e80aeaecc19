#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tally/operators/extremes.hpp"

namespace tally {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Op, class T>
indexed<T> reduced(Op op, std::vector<T> const& x, std::vector<std::size_t> const& order)
{
  indexed<T> result = op.template identity<indexed<T>>();
  for (std::size_t const k : order) result = op(result, indexed{x[k], k});
  return result;
}

template <class Op, class T>
std::size_t place(Op op, std::vector<T> const& x)
{
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return reduced(op, x, order).index;
}

TEST(extremes, the_first_of_equals_wins)
{
  EXPECT_EQ(place(argmin{}, std::vector<int>{3, 1, 2, 1}), 1u);
  EXPECT_EQ(place(argmax{}, std::vector<int>{3, 4, 4, 1}), 1u);
  EXPECT_EQ(place(argmin{}, std::vector<double>{0.0, -0.0}), 0u);
  EXPECT_EQ(place(argmax{}, std::vector<double>{-0.0, 0.0}), 0u);
  EXPECT_EQ(argmin{}(indexed{5, 9}, indexed{5, 2}), (indexed{5, 2})) << "whatever the order of the operands";
}

TEST(extremes, the_first_nan_wins)
{
  EXPECT_EQ(place(argmin{}, std::vector<double>{1, nan, -infinity, nan}), 1u);
  EXPECT_EQ(place(argmax{}, std::vector<double>{infinity, 2, nan, -nan}), 2u);
  EXPECT_TRUE(std::isnan(argmin{}(indexed{nan, 3}, indexed{1.0, 0}).value));
  EXPECT_TRUE(std::isnan(argmax{}(indexed{1.0, 0}, indexed{nan, 3}).value));
}

TEST(extremes, an_empty_sequence_has_the_largest_index)
{
  constexpr auto none = argmin::identity<indexed<int>>();
  static_assert(none.value == std::numeric_limits<int>::max() && none.index == std::numeric_limits<std::size_t>::max());
  static_assert(argmax::identity<indexed<float, std::int8_t>>().index == 127);
  EXPECT_EQ(argmax::identity<indexed<double>>().value, -infinity);
}

TEST(extremes, the_worst_values_are_found_beside_the_identity)
{
  EXPECT_EQ(place(argmin{}, std::vector<double>{infinity, infinity}), 0u);
  EXPECT_EQ(place(argmax{}, std::vector<double>{-infinity}), 0u);
  EXPECT_EQ(place(argmin{}, std::vector<std::uint8_t>{255}), 0u);
  EXPECT_EQ(place(argmax{}, std::vector<std::int8_t>{-128, -128}), 0u);
}

TEST(extremes, agree_with_the_standard_library_in_any_order)
{
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> x(1 + random() % 50);
    for (float& value : x) value = static_cast<float>(random() % 16);
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_EQ(reduced(argmin{}, x, order).index, std::min_element(x.begin(), x.end()) - x.begin());
    EXPECT_EQ(reduced(argmax{}, x, order).index, std::max_element(x.begin(), x.end()) - x.begin());
  }
}

TEST(extremes, need_only_less_than)
{
  struct version {
    int major, minor;
    bool operator<(version const& other) const
    {
      return major != other.major ? major < other.major : minor < other.minor;
    }
  };
  EXPECT_EQ(argmax{}(indexed{version{1, 9}, 0}, indexed{version{2, 0}, 1}).index, 1);
  EXPECT_EQ(argmin{}(indexed{version{1, 9}, 0}, indexed{version{2, 0}, 1}).index, 0);
}

}  // namespace
}  // namespace tally
