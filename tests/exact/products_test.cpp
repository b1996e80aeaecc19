// Exact means and dot products, against whole numbers of any size.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/sizes.hpp"
#include "tally/exact.hpp"
#include "terms.hpp"
#include "whole_number.hpp"

namespace {

using tally::test::kinds_of_terms;
using tally::test::neighbours;
using tally::test::terms;
using tally::test::terms_of;
using tally::test::whole_number;

template <class T>
class exact_products : public testing::Test {};
using types = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_products, types);

TYPED_TEST(exact_products, are_added_and_rounded_once)
{
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < tally::test::some_of(54); ++seed) {
    for (int kind = 0; kind + 1 < kinds_of_terms; ++kind) {
      for (int const other : {0, kind, 1}) {
        std::size_t const n = seed < 50 ? seed % 17 : 1024 + seed % 9;
        auto const x = terms<T>(terms_of(kind), n, seed), y = terms<T>(terms_of(other), n, seed + 1000);
        whole_number exact;
        for (std::size_t k = 0; k < n; ++k) {
          // Products of significands in parts of 26 and 27 bits.
          int ex = 0, ey = 0;
          double const mx = std::ldexp(std::frexp(static_cast<double>(x[k]), &ex), 53),
                       my = std::ldexp(std::frexp(static_cast<double>(y[k]), &ey), 53);
          auto const a = static_cast<std::int64_t>(mx), b = static_cast<std::int64_t>(my);
          if (a == 0 || b == 0) continue;
          std::int64_t const high = b >> 8, low = b & 255;
          std::int64_t const a_high = a >> 37, a_low = a & ((std::int64_t{1} << 37) - 1);
          int const unit = ex + ey - 106;
          // Tiny products have bits below the oracle's unit only if both numbers are subnormal, which have few bits.
          auto const add = [&](std::int64_t value, int exponent) {
            while (exponent < whole_number::unit && value != 0 && value % 2 == 0) {
              value /= 2;
              ++exponent;
            }
            if (value != 0) exact += whole_number::scaled(value, exponent);
          };
          for (int bit = 0; bit < 8; ++bit)
            if ((low >> bit & 1) != 0) add(a, unit + bit);
          for (int part = 0; part < 5; ++part) {
            std::int64_t const digit = part < 4 ? high >> 9 * part & 511 : high >> 36;
            add(a_low * digit, unit + 8 + 9 * part);
            add(a_high * digit, unit + 8 + 9 * part + 37);
          }
        }
        T const got = tally::exact_dot(tally::cpu{static_cast<int>(seed % 3) + 1}, x, y);
        ASSERT_TRUE(is_nearest(exact, 1, got, neighbours<T>{}))
            << "kinds " << kind << " and " << other << ", seed " << seed << ": " << tally::test::shown(got);
      }
    }
  }
}

TYPED_TEST(exact_products, are_means)
{
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < tally::test::some_of(60); ++seed) {
    for (int kind = 0; kind + 1 < kinds_of_terms; ++kind) {
      auto const x = terms<T>(terms_of(kind), 1 + seed % 31, seed);
      whole_number exact;
      for (T const each : x) exact += whole_number::of(static_cast<double>(each));
      T const got = tally::exact_mean(x);
      ASSERT_TRUE(is_nearest(exact, x.size(), got, neighbours<T>{}))
          << "kind " << kind << ", seed " << seed << ": " << tally::test::shown(got);
    }
  }
  EXPECT_TRUE(std::isnan(tally::exact_mean(std::vector<T>())));
}

TEST(exact_dot, has_the_products_of_ieee_at_the_ends)
{
  double const infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  using numbers = std::vector<double>;
  EXPECT_EQ(tally::exact_dot(numbers{largest, largest}, numbers{2, -2}), 0.0) << "no overflow on the way";
  EXPECT_EQ(tally::exact_dot(numbers{largest}, numbers{2}), infinity);
  EXPECT_EQ(tally::exact_dot(numbers{0x1p-600, 0x1p-600}, numbers{0x1p-600, 0x1p526}), 0x1p-74)
      << "and no underflow: the first product decides nothing";
  EXPECT_EQ(tally::exact_dot(numbers{0x1p-600, 1}, numbers{0x1p-474, 0x1p-1074}), 0x1p-1073);
  EXPECT_TRUE(std::isnan(tally::exact_dot(numbers{infinity, 1}, numbers{0, 1})));
  EXPECT_TRUE(std::isnan(tally::exact_dot(numbers{infinity, 1}, numbers{1, -infinity})));
  EXPECT_EQ(tally::exact_dot(numbers{infinity, 1}, numbers{1, 1}), infinity);
  EXPECT_TRUE(std::signbit(tally::exact_dot(numbers{-0.0, 0.0}, numbers{1, -3})));
  EXPECT_FALSE(std::signbit(tally::exact_dot(numbers{}, numbers{})));
}

TEST(exact_dot, says_what_is_wrong)
{
  try {
    (void)tally::exact_dot(std::vector<float>(3), std::vector<float>(4));
    FAIL() << "no error";
  } catch (tally::usage_error const& error) {
    EXPECT_EQ(std::string(error.what()), "tally::exact_dot: x has 3 elements, y 4");
  }
}

}  // namespace
