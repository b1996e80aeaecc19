// Exact accumulators: against whole numbers of any size, in every order, and as bytes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "../support/visits.hpp"
#include "tally/exact_accumulator.hpp"
#include "terms.hpp"
#include "whole_number.hpp"

namespace {

using tally::exact_accumulator;
using tally::test::kinds_of_terms;
using tally::test::neighbours;
using tally::test::terms;
using tally::test::terms_of;
using tally::test::whole_number;

[[maybe_unused]] auto* const counted =
    testing::AddGlobalTestEnvironment(new tally::test::visits({"src/cpu/exact", "include/tally/detail/cpu/exact.hpp"}));

template <class T>
class exact_sums : public testing::Test {};
using all_types = testing::Types<float, double, tally::half, tally::bfloat16>;
TYPED_TEST_SUITE(exact_sums, all_types);

TYPED_TEST(exact_sums, are_rounded_to_the_nearest_number)
{
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < tally::test::some_of(60); ++seed) {
    for (int kind = 0; kind + 1 < kinds_of_terms; ++kind) {
      auto const x = terms<T>(terms_of(kind), 1 + seed % 13, seed);
      exact_accumulator<T> sum;
      whole_number exact;
      for (T const& each : x) {
        sum.add(each);
        exact += whole_number::of(static_cast<double>(each));
        ASSERT_TRUE(is_nearest(exact, 1, sum.round(), neighbours<T>{}))
            << "kind " << kind << ", seed " << seed << ": " << tally::test::shown(sum.round());
        ASSERT_TRUE(is_nearest(exact, 1, sum.template round<double>(), neighbours<double>{})) << kind << ' ' << seed;
        ASSERT_TRUE(is_nearest(exact, 1, sum.template round<float>(), neighbours<float>{})) << kind << ' ' << seed;
      }
      exact_accumulator<T> without = sum;
      without.subtract(x[0]);
      ASSERT_TRUE(is_nearest(exact - whole_number::of(static_cast<double>(x[0])), 1, without.round(), neighbours<T>{}));
      int const order = (whole_number::of(static_cast<double>(x[0]))).sign();
      EXPECT_EQ(without < sum, order > 0) << kind << ' ' << seed;
      EXPECT_EQ(without == sum, order == 0) << kind << ' ' << seed;
    }
  }
}

/// Adds all[begin, end) in a tree that `random` draws.
template <class T>
exact_accumulator<T> in_a_tree(std::vector<T> const& all, std::size_t begin, std::size_t end, std::uint64_t random)
{
  exact_accumulator<T> sum;
  if (end - begin < 4 || random % 5 == 0) {
    sum.add(std::span<T const>(all).subspan(begin, end - begin));
    return sum;
  }
  std::size_t const middle = begin + 1 + random / 5 % (end - begin - 1);
  sum = in_a_tree(all, middle, end, tally::test::random_bits(random, 1));
  sum.add(in_a_tree(all, begin, middle, tally::test::random_bits(random, 2)));
  return sum;
}

TYPED_TEST(exact_sums, do_not_depend_on_order_and_division)
{
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < tally::test::some_of(60); ++seed) {
    for (int kind = 0; kind < kinds_of_terms; ++kind) {
      auto x = terms<T>(terms_of(kind), 1 + seed * 97 % 6000, seed);
      exact_accumulator<T> expected;
      for (T const& each : x) expected.add(each);
      for (int order = 0; order < 3; ++order) {
        EXPECT_EQ(in_a_tree(x, 0, x.size(), seed + 7).bytes(), expected.bytes()) << kind << ' ' << seed;
        for (std::size_t k = x.size(); k > 1; --k) std::swap(x[k - 1], x[tally::test::random_bits(seed, k) % k]);
      }
    }
  }
}

/// All sizes around blocks, steps of vectors and their remainders, on each instruction set.
template <class T>
void expect_the_same_of_arrays()
{
  std::size_t const block = (16 << 10) / sizeof(T);
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n < 200; ++n) sizes.push_back(n);
  for (std::size_t const near : {block, 2 * block, 3 * block})
    for (std::size_t n = near - 40; n < near + 40; n += 1 + n % 5) sizes.push_back(n);
  for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (std::size_t const n : sizes) {
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        if (n > 200 && (n + static_cast<std::size_t>(kind)) % 3 != 0) continue;
        auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
        exact_accumulator<T> one_by_one, all;
        for (T const& each : x) one_by_one.add(each);
        all.add(x);
        ASSERT_EQ(all.bytes(), one_by_one.bytes()) << n << " of kind " << kind << " on " << hwy::TargetName(target);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}
TEST(exact_kernels, add_what_single_numbers_add)
{
  expect_the_same_of_arrays<float>();
  expect_the_same_of_arrays<double>();
}

/// Terms of two sizes, at every distance: each number of levels, and none.
TEST(exact_kernels, find_terms_at_every_distance)
{
  for (int const top : {-900, 0, 1000}) {
    for (int distance = 0; distance < 230; ++distance) {
      if (top - distance < -1022) continue;
      std::vector<double> x(2048, std::ldexp(1.0, top));
      x[777] = std::ldexp(1.0 + 0x1p-52, top - distance);
      exact_accumulator<double> one_by_one, all;
      for (double const each : x) one_by_one.add(each);
      all.add(x);
      ASSERT_EQ(all.bytes(), one_by_one.bytes()) << distance << " below 2^" << top;
    }
  }
}

TEST(exact_kernels, carry_in_time)
{
  // 2^32 terms of one sign would overflow a digit that no carry leaves.
  std::size_t const n = std::size_t{1} << 20;
  std::vector<double> x;
  for (std::size_t k = 0; k < n; ++k)
    x.push_back(1.0 - 0x1p-53 * static_cast<double>(tally::test::random_bits(1, k) % 1000));
  exact_accumulator<double> once, doubled, many;
  once.add(x);
  std::size_t const times = tally::test::some_of(4096);
  for (std::size_t k = 0; k < times; ++k) many.add(x);
  std::size_t const whole = std::size_t{1} << static_cast<int>(std::log2(static_cast<double>(times)));
  doubled = once;
  for (std::size_t k = 1; k < whole; k *= 2) doubled.add(exact_accumulator<double>(doubled));
  for (std::size_t k = whole; k < times; ++k) doubled.add(once);
  EXPECT_EQ(many.bytes(), doubled.bytes());
  // Single numbers carry by themselves.
  exact_accumulator<double> all;
  for (std::size_t k = 0; k < tally::test::some_of(std::size_t{1} << 27); ++k) all.add(0x1.fffffffffffffp0);
  EXPECT_EQ(all.round(), 0x1.fffffffffffffp0 * static_cast<double>(tally::test::some_of(std::size_t{1} << 27)));
}

TEST(exact_sum, has_the_infinities_nans_and_zeros_of_ieee)
{
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  auto const sum = [](std::vector<double> const& x) {
    exact_accumulator<double> all;
    for (double const each : x) all.add(each);
    return all.round();
  };
  double const largest = std::numeric_limits<double>::max();
  EXPECT_EQ(sum({1, infinity, 2}), infinity);
  EXPECT_EQ(sum({-infinity, 2}), -infinity);
  EXPECT_TRUE(std::isnan(sum({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum({1, nan})));
  EXPECT_EQ(sum({largest, largest, -largest}), largest) << "no overflow on the way";
  EXPECT_EQ(sum({largest, largest}), infinity);
  EXPECT_EQ(sum({largest, std::ldexp(1.0, 969)}), largest) << "less than half a unit";
  EXPECT_EQ(sum({largest, std::ldexp(1.0, 970)}), infinity) << "half a unit goes to the even neighbour";
  EXPECT_FALSE(std::signbit(sum({})));
  EXPECT_TRUE(std::signbit(sum({-0.0, -0.0})));
  EXPECT_FALSE(std::signbit(sum({-0.0, 0.0})));
  EXPECT_FALSE(std::signbit(sum({1, -1})));
  exact_accumulator<double> zero(-0.0);
  zero.subtract(exact_accumulator<double>(-0.0));
  EXPECT_FALSE(std::signbit(zero.round())) << "-0 - -0 is +0";
  EXPECT_TRUE(exact_accumulator<double>(nan) != exact_accumulator<double>(nan));
  EXPECT_TRUE(exact_accumulator<double>(infinity) == exact_accumulator<double>(infinity));
  EXPECT_TRUE(exact_accumulator<double>(infinity) > exact_accumulator<double>(largest));
}

TEST(exact_bytes, are_the_same_everywhere)
{
  // Kept from the first version: format 1, float, a term that is no -0, then the sum in units of 2^-149.
  exact_accumulator<float> sum;
  sum.add(1.0f);
  sum.add(-0x1p-149f);
  std::string hex;
  for (std::byte const each : sum.bytes()) {
    hex += "0123456789abcdef"[std::to_integer<int>(each) >> 4];
    hex += "0123456789abcdef"[std::to_integer<int>(each) & 15];
  }
  EXPECT_EQ(hex, "010310ffffffffffffffffffffffffffffffffffff1f" + std::string(66, '0'));
}

TYPED_TEST(exact_sums, come_back_from_bytes)
{
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (int kind = 0; kind < kinds_of_terms; ++kind) {
      exact_accumulator<T> sum;
      sum.add(terms<T>(terms_of(kind), seed, seed));
      auto const bytes = sum.bytes();
      auto again = exact_accumulator<T>::from_bytes(bytes);
      EXPECT_EQ(again.bytes(), bytes);
      EXPECT_TRUE(tally::test::same(again.round(), sum.round()));
      again.add(static_cast<T>(1.0));
      sum.add(static_cast<T>(1.0));
      EXPECT_EQ(again.bytes(), sum.bytes());
    }
  }
}

TEST(exact_bytes, that_are_no_sum_are_refused)
{
  auto const message = [](std::vector<std::byte> const& bytes) -> std::string {
    try {
      (void)exact_accumulator<float>::from_bytes(bytes);
    } catch (tally::usage_error const& error) {
      return error.what();
    }
    return "no error";
  };
  auto const good = exact_accumulator<float>(1.0f).bytes();
  auto const with = [&](std::size_t at, int value) {
    std::vector<std::byte> bytes(good.begin(), good.end());
    bytes[at] = static_cast<std::byte>(value);
    return bytes;
  };
  EXPECT_EQ(message(with(0, 1)), "no error");
  EXPECT_NE(message({}).find("0 bytes, expected 55"), std::string::npos) << message({});
  EXPECT_NE(message(with(0, 2)).find("the format is 2, expected 1"), std::string::npos);
  EXPECT_NE(message(with(1, 4)).find("of type 4, expected 3"), std::string::npos);
  EXPECT_NE(message(with(2, 255)).find("no sum"), std::string::npos);
  EXPECT_NE(message(with(2, 8)).find("no sum"), std::string::npos);
  EXPECT_NE(message(with(2, 24)).find("no sum"), std::string::npos);  // beside other terms -0 is not told
  EXPECT_NE(message(with(good.size() - 1, 1)).find("no sum"), std::string::npos);
}

}  // namespace
