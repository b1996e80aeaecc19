#include "tally/detail/elementary/logarithm.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "floating_point.hpp"

// Compiled twice, normally and with permission to fuse products and sums. The bits are the same.
namespace tally {
namespace {

using detail::elementary::logarithm;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct argument_and_value {
  double argument;
  double value;
};

constexpr argument_and_value doubles[] = {
    {0x1p+0, 0x0p+0},
    {0x1.0000000000001p+0, 0x1.fffffffffffffp-53},
    {0x1.fffffffffffffp-1, -0x1p-53},
    {0x1.00068db8bac71p+0, 0x1.a368d0657fcd4p-14},
    {0x1.199999999999ap+0, 0x1.8663f793c46ccp-4},
    {0x1.4p+0, 0x1.c8ff7c79a9a22p-3},
    {0x1.6p+0, 0x1.4618bc21c5ec2p-2},
    {0x1.6a09e667f3bccp+0, 0x1.62e42fefa39eep-2},
    {0x1.6a09e667f3bcdp+0, 0x1.62e42fefa39fp-2},
    {0x1.8p+0, 0x1.9f323ecbf984cp-2},
    {0x1p+1, 0x1.62e42fefa39efp-1},
    {0x1.8p+1, 0x1.193ea7aad030bp+0},
    {0x1.cp+2, 0x1.f2272ae325a57p+0},
    {0x1.4p+3, 0x1.26bb1bbb55516p+1},
    {0x1.f44p+9, 0x1.ba20da39bd28cp+2},
    {0x1.00004p+16, 0x1.62e437efa29efp+3},
    {0x1.e848p+19, 0x1.ba18a998fffap+3},
    {0x1.65a0bcp+31, 0x1.5d2669ad6cfe9p+4},
    {0x1.6345785d8ap+56, 0x1.3926cd770aa67p+5},
    {0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},
    {0x1.ccccccccccccdp-1, -0x1.af8e8210a415cp-4},
    {0x1.8p-1, -0x1.269621134db92p-2},
    {0x1.6a09e667f3bccp-1, -0x1.62e42fefa39f1p-2},
    {0x1.6a09e667f3bccp-1, -0x1.62e42fefa39f1p-2},
    {0x1p-1, -0x1.62e42fefa39efp-1},
    {0x1.3333333333333p-2, -0x1.34378fcbda721p+0},
    {0x1.b7cdfd9d7bdbbp-34, -0x1.7069e2aa2aa5bp+4},
    {0x0.730d67819e8d2p-1022, -0x1.62991d5d62a5ep+9},
    {0x0.0000000006p-1022, -0x1.6f2a4f5736e06p+9},
    {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9},
    {0x1.68917a5a7f957p+0, 0x1.5eb9563e01c44p-2},
    {0x1.6f5c5205dcbaep+0, 0x1.71d5a53550f46p-2},
    {0x1.5128071dce63ep+0, 0x1.19fa6c482b322p-2},
    {0x1.677241b67c163p+0, 0x1.5b885e2d53e82p-2},
    {0x1.600402da6baf3p+0, 0x1.4624674657448p-2},
    {0x1.65cd7c4382ccbp+0, 0x1.56d6ea280a9bp-2},
};

TEST(logarithm, has_these_bits)
{
  for (auto const& [argument, value] : doubles) EXPECT_EQ(logarithm(argument), value) << argument;
}

TEST(logarithm, has_these_bits_at_many_places)
{
  auto const f = [](double x) { return logarithm(x); };
  EXPECT_EQ(digest<double>(f, 0.5, 2), 0x5e7443c8b4fa48edu);
  EXPECT_EQ(digest<double>(f, 1, 1 << 20), 0x3ef479994c0cb03fu);
}

TEST(logarithm, has_the_same_bits_in_constant_expressions)
{
  constexpr double folded[] = {logarithm(1.375), logarithm(3e9), logarithm(0x1p-1074), logarithm(0.3)};
  double const arguments[] = {1.375, 3e9, 0x1p-1074, 0.3};
  for (int k = 0; k < 4; ++k) EXPECT_EQ(logarithm(opaque(arguments[k])), folded[k]);
  static_assert(logarithm(1.0) == 0 && logarithm(0.0) == -infinity && logarithm(infinity) == infinity);
}

void expect_within_an_ulp(double x)
{
  ASSERT_LT(error_in_ulps(logarithm(x), std::log(static_cast<long double>(x))), 0.9) << x;
}

TEST(logarithm, is_within_an_ulp)
{
  std::mt19937_64 random(1);
  for (auto const& [least, greatest] : {std::pair{1.0, 2.0}, {0.5, 1.5}, {0.99, 1.01}, {1.0, 1e6}, {0.0, 1e-300}}) {
    std::uniform_real_distribution<double> argument(least, greatest);
    for (int k = 0; k < 100000; ++k) expect_within_an_ulp(argument(random));
  }
  for (int n = 1; n < 100000; ++n) expect_within_an_ulp(n);
}

// The seams are where k, the multiple of log(2) that is added, grows by one, and powers of two.
TEST(logarithm, is_within_an_ulp_and_grows_at_the_seams)
{
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    for (double const significand : {1.0, std::sqrt(0.5)}) {
      double x = std::ldexp(significand, exponent);
      double last = -infinity;
      for (int step = 0; step < 4; ++step) x = std::nextafter(x, 0);
      for (int step = 0; step < 9; ++step, x = std::nextafter(x, infinity)) {
        if (x == 0) continue;
        expect_within_an_ulp(x);
        ASSERT_GE(logarithm(x), last) << x;
        last = logarithm(x);
      }
    }
  }
}

TEST(logarithm, of_extreme_arguments)
{
  EXPECT_EQ(logarithm(opaque(0.0)), -infinity);
  EXPECT_EQ(logarithm(opaque(-0.0)), -infinity);
  EXPECT_EQ(logarithm(opaque(infinity)), infinity);
  for (double const x : {-1.0, -0x1p-1074, -infinity, std::nan("")}) EXPECT_TRUE(std::isnan(logarithm(opaque(x))));
  EXPECT_FALSE(std::signbit(logarithm(opaque(1.0)))) << "log(1) is 0, not -0";
}

TEST(logarithm, of_long_double_is_the_platforms)
{
  EXPECT_EQ(logarithm(opaque(0.3L)), std::log(opaque(0.3L)));
}

}  // namespace
}  // namespace tally
