#include "tally/detail/elementary/exponential.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "floating_point.hpp"

// Compiled twice, normally and with permission to fuse products and sums. The bits are the same.
namespace tally {
namespace {

using detail::elementary::exponential;

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
struct argument_and_value {
  T argument;
  T value;
};

// For some arguments the value is not the one nearest to the exact one. The bits are those of this computation.
constexpr argument_and_value<double> doubles[] = {
    {0x0p+0, 0x1p+0},
    {-0x1p-60, 0x1p+0},
    {-0x1p-30, 0x1.fffffff8p-1},
    {-0x1.0624dd2f1a9fcp-10, 0x1.ff7cfe56f1a9ep-1},
    {-0x1.999999999999ap-4, 0x1.cf46d99d52b3ap-1},
    {-0x1p-2, 0x1.8ebef9eac820bp-1},
    {-0x1.3333333333333p-2, 0x1.7b4c869c37c05p-1},
    {-0x1.62e42fefa39efp-2, 0x1.6a09e667f3bcdp-1},
    {-0x1.62e42fefa39fp-2, 0x1.6a09e667f3bccp-1},
    {-0x1p-1, 0x1.368b2fc6f960ap-1},
    {-0x1.62e42fefa39efp-1, 0x1p-1},
    {-0x1.6666666666666p-1, 0x1.fc80db9dd5542p-2},
    {-0x1p+0, 0x1.78b56362cef38p-2},
    {-0x1.8p+0, 0x1.c8f87724b5c1dp-3},
    {-0x1p+1, 0x1.152aaa3bf81ccp-3},
    {-0x1.8p+1, 0x1.97db0ccceb0afp-5},
    {-0x1.6p+2, 0x1.0bd4a5aca7728p-8},
    {-0x1.4p+3, 0x1.7cd79b5647c9bp-15},
    {-0x1.14p+4, 0x1.14f49dbc5078cp-25},
    {-0x1.4p+4, 0x1.1b48655f37267p-29},
    {-0x1.205966f2b4f12p+5, 0x1.000000000000bp-52},
    {-0x1.2cp+5, 0x1.dd5c566301ec8p-55},
    {-0x1.9p+5, 0x1.d257d547e083fp-73},
    {-0x1.9066666666666p+6, 0x1.805628c2e465cp-145},
    {-0x1.2c4cccccccccdp+8, 0x1.b1230ad551394p-434},
    {-0x1.f4b3333333333p+8, 0x1.8fa661d2af7a6p-723},
    {-0x1.5e73333333333p+9, 0x1.c26506fa277cbp-1012},
    {-0x1.61d999999999ap+9, 0x1.00d6be0b7ad5bp-1021},
    {-0x1.6232bdd7abcd2p+9, 0x1.000000000007cp-1022},
    {-0x1.6233333333333p+9, 0x0.ff15b469edf89p-1022},
    {-0x1.62f3333333333p+9, 0x0.38eac7a36430fp-1022},
    {-0x1.681999999999ap+9, 0x0.00007d74999b4p-1022},
    {-0x1.7226666666666p+9, 0x0.000000000003fp-1022},
    {-0x1.7433333333333p+9, 0x0.0000000000001p-1022},
    {0x1.999999999999ap-4, 0x1.1aec7b35a00d4p+0},
    {0x1.3333333333333p-2, 0x1.599058c8c1a96p+0},
    {0x1p+0, 0x1.5bf0a8b145769p+1},
    {0x1.4p+1, 0x1.85d6fd931e0bbp+3},
    {0x1.4p+3, 0x1.5829dcf95056p+14},
    {0x1.9p+6, 0x1.3494a9b171bf5p+144},
    {0x1.5e1p+9, 0x1.0c24ed83b8e53p+1010},
    {-0x1.f8a196563ecbap+4, 0x1.6995d09590fc6p-46},
    {-0x1.89701995efc2dp+4, 0x1.70317567f132p-36},
    {-0x1.25e1865372393p+4, 0x1.6a57d5f10f38ap-27},
    {-0x1.513c0dcd865bfp+4, 0x1.81e66ac27fe8ap-31},
    {-0x1.3ed83141104b5p+5, 0x1.6a2eff60c493fp-58},
    {-0x1.071fc3831c047p+5, 0x1.768d7cfaff0dap-48},
};

constexpr argument_and_value<float> floats[] = {
    {0x0p+0f, 0x1p+0f},
    {-0x1p-30f, 0x1p+0f},
    {-0x1.0624dep-10f, 0x1.ff7cfep-1f},
    {-0x1.99999ap-4f, 0x1.cf46dap-1f},
    {-0x1p-2f, 0x1.8ebefap-1f},
    {-0x1.333334p-2f, 0x1.7b4c86p-1f},
    {-0x1.62e43p-2f, 0x1.6a09e6p-1f},
    {-0x1.62e43p-2f, 0x1.6a09e6p-1f},
    {-0x1p-1f, 0x1.368b3p-1f},
    {-0x1.62e43p-1f, 0x1p-1f},
    {-0x1p+0f, 0x1.78b564p-2f},
    {-0x1p+1f, 0x1.152aaap-3f},
    {-0x1.6p+2f, 0x1.0bd4a6p-8f},
    {-0x1.4p+3f, 0x1.7cd79cp-15f},
    {-0x1.14p+4f, 0x1.14f49ep-25f},
    {-0x1.9p+5f, 0x1.d257d6p-73f},
    {-0x1.433334p+6f, 0x1.58f2c4p-117f},
    {-0x1.5d5894p+6f, 0x1.0002ccp-126f},
    {-0x1.5d999ap+6f, 0x1.e085p-127f},
    {-0x1.7ep+6f, 0x1.2acp-138f},
    {-0x1.9f999ap+6f, 0x1p-149f},
    {0x1.99999ap-4f, 0x1.1aec7cp+0f},
    {0x1p+0f, 0x1.5bf0a8p+1f},
    {0x1.4p+1f, 0x1.85d6fep+3f},
    {0x1.4p+3f, 0x1.5829dep+14f},
    {0x1.62p+6f, 0x1.99b988p+127f},
    {-0x1.e4d7d8p+1f, 0x1.730208p-6f},
    {-0x1.83bb04p+3f, 0x1.6ef544p-18f},
    {-0x1.a57c32p+2f, 0x1.69bf2p-10f},
    {-0x1.f29f9ep+3f, 0x1.6f145p-23f},
};

TEST(exponential, has_these_bits)
{
  for (auto const& [argument, value] : doubles) EXPECT_EQ(exponential(argument), value) << argument;
  for (auto const& [argument, value] : floats) EXPECT_EQ(exponential(argument), value) << argument;
}

TEST(exponential, has_these_bits_at_many_places)
{
  EXPECT_EQ(digest<double>([](double x) { return exponential(x); }, -750, 720), 0x4e51391e02cb84fdu);
  EXPECT_EQ(digest<double>([](double x) { return exponential(x); }, -1, 1), 0x1b53704a86515afu);
  EXPECT_EQ(digest<float>([](float x) { return exponential(x); }, -105, 90), 0x3550e3a87fdf21fbu);
}

TEST(exponential, has_the_same_bits_in_constant_expressions)
{
  constexpr double folded[] = {exponential(-0.3), exponential(-17.25), exponential(-744.0), exponential(700.125)};
  double const arguments[] = {-0.3, -17.25, -744.0, 700.125};
  for (int k = 0; k < 4; ++k) EXPECT_EQ(exponential(opaque(arguments[k])), folded[k]);
  constexpr float small = exponential(-0.3f);
  EXPECT_EQ(exponential(opaque(-0.3f)), small);
  static_assert(exponential(0.0) == 1 && exponential(-infinity<double>) == 0 && exponential(-746.5) == 0);
}

TEST(exponential, is_within_an_ulp)
{
  std::mt19937_64 random(1);
  for (auto const& [least, greatest] : {std::pair{-745.2, 709.78}, {-40.0, 0.0}, {-1.0, 1.0}, {-745.2, -708.0}}) {
    std::uniform_real_distribution<double> argument(least, greatest);
    for (int k = 0; k < 100000; ++k) {
      double const x = argument(random);
      ASSERT_LT(error_in_ulps(exponential(x), std::exp(static_cast<long double>(x))), 0.85) << x;
    }
  }
  for (int exponent = -1074; exponent < 10; ++exponent) {
    double const x = -std::ldexp(1.0, exponent);
    ASSERT_LT(error_in_ulps(exponential(x), std::exp(static_cast<long double>(x))), 0.85) << x;
  }
}

TEST(exponential, of_floats_is_within_an_ulp_and_grows_with_its_argument)
{
  float last = 1;
  for (std::uint32_t bits = 0; bits < __builtin_bit_cast(std::uint32_t, 105.0f); bits += 1009) {
    float const x = -__builtin_bit_cast(float, bits);
    float const value = exponential(x);
    ASSERT_LT(error_in_ulps(value, std::exp(static_cast<double>(x))), 0.85) << x;
    ASSERT_LE(value, last) << x;
    last = value;
  }
}

// The seams are where k, the multiple of log(2) that is subtracted, grows by one.
TEST(exponential, is_within_an_ulp_and_grows_at_the_seams)
{
  for (int k = -1075; k < 1024; ++k) {
    double x = (k + 0.5) * 0x1.62e42fefa39efp-1;
    for (int step = 0; step < 4; ++step) x = std::nextafter(x, -infinity<double>);
    double last = 0;
    for (int step = 0; step < 9; ++step, x = std::nextafter(x, infinity<double>)) {
      double const value = exponential(x);
      ASSERT_GE(value, last) << x;
      ASSERT_LT(error_in_ulps(value, std::exp(static_cast<long double>(x))), 0.85) << x;
      last = value;
    }
  }
}

TEST(exponential, of_extreme_arguments)
{
  EXPECT_EQ(exponential(opaque(infinity<double>)), infinity<double>);
  EXPECT_EQ(exponential(opaque(-infinity<double>)), 0.0);
  EXPECT_TRUE(std::isnan(exponential(opaque(std::nan("")))));
  EXPECT_EQ(exponential(opaque(0x1.62e42fefa39efp+9)), 0x1.fffffffffff2ap+1023) << "the largest finite one";
  EXPECT_EQ(exponential(opaque(0x1.62e42fefa39f0p+9)), infinity<double>);
  EXPECT_EQ(exponential(opaque(-0x1.74910d52d3051p+9)), 0x1p-1074) << "the smallest that is not 0";
  EXPECT_EQ(exponential(opaque(-0x1.74910d52d3053p+9)), 0.0);
  EXPECT_EQ(exponential(opaque(0x1p-1074)), 1.0);
  EXPECT_EQ(exponential(opaque(-0.0)), 1.0);

  EXPECT_EQ(exponential(opaque(infinity<float>)), infinity<float>);
  EXPECT_EQ(exponential(opaque(-infinity<float>)), 0.0f);
  EXPECT_TRUE(std::isnan(exponential(opaque(std::nanf("")))));
  EXPECT_EQ(exponential(opaque(0x1.62e42ep+6f)), 0x1.ffff08p+127f) << "the largest finite one";
  EXPECT_EQ(exponential(opaque(0x1.62e430p+6f)), infinity<float>);
  EXPECT_EQ(exponential(opaque(-0x1.9fe368p+6f)), 0x1p-149f) << "the smallest that is not 0";
  EXPECT_EQ(exponential(opaque(-0x1.9fe36ap+6f)), 0.0f);
}

TEST(exponential, of_long_double_is_the_platforms)
{
  EXPECT_EQ(exponential(opaque(-0.3L)), std::exp(opaque(-0.3L)));
}

}  // namespace
}  // namespace tally
