#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tally/detail/laws/search.hpp"

namespace tally::detail::laws {
namespace {

template <std::size_t N>
void expect_each_once(std::size_t size)
{
  std::set<std::array<std::size_t, N>> seen;
  std::size_t largest = 0;
  std::size_t visited = 0;
  bool const complete = for_each_tuple<N>(size, 1'000'000, [&](auto const& index) {
    ++visited;
    seen.insert(index);
    std::size_t const top = *std::max_element(index.begin(), index.end());
    EXPECT_GE(top, largest);
    EXPECT_LT(top, size);
    largest = top;
    return false;
  });
  std::size_t expected = 1;
  for (std::size_t k = 0; k < N; ++k) expected *= size;
  EXPECT_TRUE(complete);
  EXPECT_EQ(visited, expected);
  EXPECT_EQ(seen.size(), expected);
}

TEST(search, visits_every_tuple_once_in_order_of_its_largest_index)
{
  for (std::size_t const size : {0u, 1u, 2u, 3u, 7u}) {
    expect_each_once<1>(size);
    expect_each_once<2>(size);
    expect_each_once<3>(size);
  }
}

TEST(search, gives_up_at_the_limit_and_not_before)
{
  std::size_t visited = 0;
  auto const count = [&](auto const&) { return ++visited, false; };
  EXPECT_TRUE(for_each_tuple<2>(10, 100, count));
  EXPECT_EQ(visited, 100u);
  visited = 0;
  EXPECT_FALSE(for_each_tuple<2>(10, 99, count));
  EXPECT_EQ(visited, 99u);
}

TEST(search, finds_among_very_many_at_random)
{
  std::vector<int> samples(1000);
  std::iota(samples.begin(), samples.end(), 0);
  // One triple in eight breaks, none of them among the first 1000.
  auto const breaks = [](std::array<int, 3> const& x) { return x[0] >= 500 && x[1] >= 500 && x[2] >= 500; };
  auto const found = smallest<3>(samples, 1000, 1, breaks);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::array<int, 3>{500, 500, 500}));
}

TEST(search, none_among_no_samples)
{
  EXPECT_FALSE(smallest<2>(std::vector<int>{}, 10, 1, [](auto const&) { return true; }));
}

TEST(search, every_operand_comes_as_early_as_it_can)
{
  std::vector<int> const samples = {10, 11, 12, 13, 14};
  auto const found = smallest<2>(samples, 100, 1, [](auto const& x) { return x[0] + x[1] == 26; });
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::array<int, 2>{13, 13})) << "the smallest largest index";
}

TEST(shrinking, ends_where_nothing_simpler_breaks)
{
  auto const less = [](int x) { return x > 0 ? std::vector<int>{0, x / 2, x - 1} : std::vector<int>{}; };
  auto const breaks = [](std::array<int, 2> const& x) { return x[0] * x[1] > 50; };
  std::array<int, 2> const result = shrunk(std::array<int, 2>{1000, 900}, less, breaks);
  EXPECT_TRUE(breaks(result));
  EXPECT_FALSE(breaks({result[0] - 1, result[1]}));
  EXPECT_FALSE(breaks({result[0], result[1] - 1}));
}

}  // namespace
}  // namespace tally::detail::laws
