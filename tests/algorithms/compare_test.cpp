// Comparison: the first difference, equality and the order of words, against the standard library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../support/sizes.hpp"
#include "tally/algorithms/compare.hpp"

namespace {

constexpr std::size_t block = tally::detail::compare::compared_block<char>;

/// Sizes around words, pieces and blocks of bytes, around the least size that threads share, and between these.
std::vector<std::size_t> const sizes = tally::test::tidy(
    {0, 1, 2, 7, 8, 9, 255, 256, 257, 4095, 4096, 4097, block - 1, block, block + 1, 2 * block, 70'001, 700'003});

std::vector<std::size_t> places_in(std::size_t n)
{
  std::vector<std::size_t> places;
  for (std::size_t const k : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, n / 3, block - 1, block,
                              block + 1, 5 * block + 13, n - 2, n - 1})
    if (k < n) places.push_back(k);
  return places;
}

template <class T>
std::vector<T> distinct(std::size_t n)
{
  std::vector<T> values(n);
  for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(k * 7 + 3);
  return values;
}

/// Compares all calls, on one thread, on several, and where Tally chooses, with the standard library.
template <class T>
void expect_as_standard(std::vector<T> const& a, std::vector<T> const& b, std::string const& what)
{
  auto const expected = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  bool const same = std::equal(a.begin(), a.end(), b.begin(), b.end());
  auto const order = std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  for (int const threads : {0, 1, 4}) {
    tally::cpu const on{threads};
    EXPECT_EQ(tally::mismatch(on, a.begin(), a.end(), b.begin(), b.end()), expected) << what << " on " << threads;
    EXPECT_EQ(tally::equal(on, a, b), same) << what << " on " << threads;
    EXPECT_TRUE(tally::lexicographical_compare_three_way(on, a, b) == order) << what << " on " << threads;
    // With a predicate of the caller's own, elements are not compared as bytes.
    auto const own = [](T const& x, T const& y) { return x == y; };
    EXPECT_EQ(tally::mismatch(on, a, b, own), expected) << what << " on " << threads;
  }
  EXPECT_EQ(tally::mismatch(a, b), expected) << what;
}

template <class T>
class compare : public testing::Test {};
using element_types = testing::Types<char, unsigned char, std::int16_t, std::uint32_t, std::int64_t, double>;
TYPED_TEST_SUITE(compare, element_types);

TYPED_TEST(compare, finds_each_difference)
{
  for (std::size_t const n : sizes) {
    auto const a = distinct<TypeParam>(n);
    expect_as_standard(a, a, "the same " + std::to_string(n));
    for (std::size_t const k : places_in(n)) {
      auto b = a;
      b[k] = static_cast<TypeParam>(b[k] + 1);
      expect_as_standard(a, b, std::to_string(n) + " at " + std::to_string(k));
      if (n < 3 * block) expect_as_standard(b, a, std::to_string(n) + " at " + std::to_string(k) + ", less");
    }
  }
}

TYPED_TEST(compare, finds_the_first_of_many)
{
  std::size_t const n = 300'001;
  auto const a = distinct<TypeParam>(n);
  for (std::size_t const first : places_in(n)) {
    auto b = a;
    for (std::size_t k = first; k < n; k += 1 + k % 1000) b[k] = static_cast<TypeParam>(b[k] + 1);
    expect_as_standard(a, b, "from " + std::to_string(first));
  }
}

TYPED_TEST(compare, one_begins_with_the_other)
{
  for (std::size_t const n : sizes) {
    auto const a = distinct<TypeParam>(n + 1);
    std::vector<TypeParam> const b(a.begin(), a.end() - 1);
    expect_as_standard(a, b, "longer " + std::to_string(n));
    expect_as_standard(b, a, "shorter " + std::to_string(n));
  }
}

/// Characters have the order of their type, not that of bytes.
TEST(compare, orders_negative_numbers_before_positive_ones)
{
  std::vector<signed char> const a{1, -1}, b{1, 1};
  EXPECT_TRUE(tally::lexicographical_compare_three_way(a, b) < 0);
  std::vector<std::int32_t> const c{256}, d{1};  // little-endian bytes are 0 1 0 0 and 1 0 0 0
  EXPECT_TRUE(tally::lexicographical_compare_three_way(c, d) > 0);
}

/// 0.0 and -0.0 are equal though their bytes are not; a NaN is not equal to itself though its bytes are.
TEST(compare, floating_point_numbers_are_not_bytes)
{
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const a{0.0, 1.0, nan, 2.0}, b{-0.0, 1.0, nan, 3.0};
  EXPECT_EQ(tally::mismatch(a, b).first - a.begin(), 2);
  EXPECT_TRUE(tally::lexicographical_compare_three_way(a, b) == std::partial_ordering::unordered);
  EXPECT_FALSE(tally::equal(a, a));
}

TEST(compare, takes_an_order_of_ones_own)
{
  auto const without_case = [](char x, char y) { return (x | 32) <=> (y | 32); };
  std::string const a = "Tally adds", b = "tALLY ADDS UP";
  EXPECT_TRUE(tally::lexicographical_compare_three_way(a, b, without_case) < 0);
  EXPECT_TRUE(tally::lexicographical_compare_three_way(a, b.substr(0, a.size()), without_case) == 0);
  EXPECT_TRUE(tally::lexicographical_compare_three_way(a, b) < 0);
  EXPECT_TRUE(tally::equal(a, b.substr(0, a.size()), [](char x, char y) { return (x | 32) == (y | 32); }));
}

TEST(compare, takes_any_random_access_iterator)
{
  std::deque<int> a(100'000);
  std::vector<long> b(100'000);
  for (std::size_t k = 0; k < a.size(); ++k) b[k] = a[k] = static_cast<int>(k);
  EXPECT_TRUE(tally::equal(tally::cpu{3}, a, b));
  b[77'777] = -1;
  EXPECT_EQ(tally::mismatch(tally::cpu{3}, a, b).second - b.begin(), 77'777);
  EXPECT_EQ(tally::mismatch(std::string_view("abc"), std::string_view("abd")).first[0], 'c');
}

/// No thread reads elements far behind a difference.
TEST(compare, reads_no_block_behind_a_difference)
{
  std::vector<int> const a(4'000'000, 1);
  auto b = a;
  std::size_t const at = 100'000;
  b[at] = 2;
  for (int const threads : {1, 4}) {
    std::atomic<std::size_t> calls{0};
    auto const same = [&](int x, int y) {
      calls.fetch_add(1, std::memory_order_relaxed);
      return x == y;
    };
    EXPECT_EQ(tally::mismatch(tally::cpu{threads}, a, b, same).first - a.begin(), at);
    EXPECT_GE(calls, at + 1);
    // Other threads may have read on before the difference is found, in the worst case all elements.
    if (threads == 1) {
      EXPECT_EQ(calls, at + 1);
    }
  }
}

/// Sequences of different lengths are unequal, and their elements are not read.
TEST(compare, sequences_of_different_lengths_are_not_read)
{
  std::vector<int> const a(10), b(11);
  auto const same = [](int, int) -> bool { throw std::runtime_error("read"); };
  EXPECT_FALSE(tally::equal(tally::cpu{2}, a, b, same));
  EXPECT_THROW((void)tally::equal(tally::cpu{2}, a, a, same), std::runtime_error);
  EXPECT_THROW((void)tally::equal(tally::cpu{-1}, std::vector<char>(100'000), std::vector<char>(100'000)),
               tally::usage_error);
}

TEST(compare, random_pairs_with_long_common_prefixes)
{
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::size_t const n = random() % 60'000, m = random() % 3 == 0 ? random() % 60'000 : n;
    std::string a(n, 'x'), b(m, 'x');
    for (std::size_t changes = random() % 4; changes > 0; --changes) {
      if (n > 0) a[random() % n] = static_cast<char>('a' + random() % 26);
      if (m > 0) b[random() % m] = static_cast<char>('a' + random() % 26);
    }
    expect_as_standard(std::vector<char>(a.begin(), a.end()), std::vector<char>(b.begin(), b.end()),
                       "round " + std::to_string(round));
  }
}

}  // namespace
