// Run lengths against a loop that counts, and decoded again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/run_lengths.hpp"

namespace {

using tally::test::guarded;

std::vector<std::size_t> const sizes =
    tally::test::tidy({0, 1, 2, 3, 31, 4095, 4096, 4097, 8191, 8192, 8193, 70'001, 300'000});

/// Sequences whose runs begin and end everywhere: random bits, no two equal elements, one run, runs of exactly a block,
/// runs of several blocks, single elements at the ends of blocks.
std::vector<std::vector<int>> sequences(std::size_t n)
{
  std::vector<std::vector<int>> all(7, std::vector<int>(n));
  for (std::size_t k = 0; k < n; ++k) {
    all[0][k] = static_cast<int>(tally::test::random_bits(3, k) % 2);
    all[1][k] = static_cast<int>(k);
    all[2][k] = 7;
    all[3][k] = static_cast<int>(k / 4096);
    all[4][k] = static_cast<int>(k / 10'000);
    all[5][k] = k % 4096 == 4095 ? -1 : 1;
    all[6][k] = k % 4096 == 0 ? -1 : 1;
  }
  return all;
}

template <class Call>
void every_way(Call call)
{
  call(tally::detail::automatic{});
  for (int const threads : {0, 1, 2, 5}) call(tally::cpu{threads});
}

struct runs {
  std::vector<int> values;
  std::vector<std::uint32_t> lengths;
};
runs counted(std::vector<int> const& in)
{
  runs all;
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (k == 0 || in[k] != in[k - 1]) {
      all.values.push_back(in[k]);
      all.lengths.push_back(0);
    }
    ++all.lengths.back();
  }
  return all;
}

TEST(run_lengths, are_those_that_one_counts_and_decode_to_what_was)
{
  for (std::size_t const n : sizes) {
    for (std::vector<int> const& in : sequences(n)) {
      runs const expected = counted(in);
      every_way([&](auto on) {
        guarded<int> const values(expected.values.size()), decoded(n);
        guarded<std::uint32_t> const lengths(expected.values.size());
        std::size_t const count = tally::run_length_encode(on, in.begin(), in.end(), values.begin(), lengths.begin());
        ASSERT_EQ(count, expected.values.size()) << n;
        EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.values.begin())) << n;
        EXPECT_TRUE(std::equal(lengths.begin(), lengths.end(), expected.lengths.begin())) << n;
        EXPECT_TRUE(values.guards_intact() && lengths.guards_intact()) << n;
        EXPECT_EQ(tally::run_length_decode(on, values.begin(), values.end(), lengths.begin(), decoded.begin()),
                  decoded.end())
            << n;
        EXPECT_TRUE(std::equal(decoded.begin(), decoded.end(), in.begin())) << n;
        EXPECT_TRUE(decoded.guards_intact()) << n;
      });
    }
  }
}

TEST(run_lengths, of_a_thousand_random_sequences)
{
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    std::size_t const n = tally::test::random_bits(seed, 0) % 9000;
    std::uint64_t const change = tally::test::random_bits(seed, 1) % 500 + 1;  // one element in so many begins a run
    std::vector<int> in(n);
    for (std::size_t k = 1; k < n; ++k) in[k] = in[k - 1] + (tally::test::random_bits(seed, k + 2) % change == 0);
    runs const expected = counted(in);
    std::vector<int> values(expected.values.size());
    std::vector<std::uint32_t> lengths(expected.values.size());
    tally::cpu const on{3};
    ASSERT_EQ(tally::run_length_encode(on, in.begin(), in.end(), values.begin(), lengths.begin()), values.size());
    ASSERT_EQ(values, expected.values) << seed;
    ASSERT_EQ(lengths, expected.lengths) << seed;
  }
}

TEST(run_lengths, of_nothing_decode_to_nothing)
{
  std::vector<std::string> const values = {"a", "b", "c", "d", "e"};
  std::vector<short> const lengths = {0, 2, 0, 3, 0};
  std::vector<std::string> const expected = {"b", "b", "d", "d", "d"};
  every_way([&](auto on) {
    std::vector<std::string> out(5);
    EXPECT_EQ(tally::run_length_decode(on, values.begin(), values.end(), lengths.begin(), out.begin()), out.end());
    EXPECT_EQ(out, expected);
    std::vector<short> const none(5, 0);
    EXPECT_EQ(tally::run_length_decode(on, values.begin(), values.end(), none.begin(), out.begin()), out.begin());
  });
}

TEST(run_lengths, of_what_is_not_equal_to_itself_are_one)
{
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const in = {nan, nan, 1, 1, nan};
  std::vector<double> values(5);
  std::vector<int> lengths(5);
  EXPECT_EQ(tally::run_length_encode(in.begin(), in.end(), values.begin(), lengths.begin()), 4u);
  EXPECT_EQ(lengths, (std::vector<int>{1, 1, 2, 1, 0}));
  auto const same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  EXPECT_EQ(tally::run_length_encode(in.begin(), in.end(), values.begin(), lengths.begin(), same), 3u);
  EXPECT_EQ(lengths[0], 2);
}

}  // namespace
