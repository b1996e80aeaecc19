#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "tally/half.hpp"

// Conversions of half and bfloat16: every value, every midpoint between two, and the neighbours of both.
namespace tally {
namespace {

template <class T>
class storage : public testing::Test {};
using storage_types = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(storage, storage_types);

template <class T>
constexpr std::uint16_t infinity_bits = std::numeric_limits<T>::infinity().bits();

/// The value of a bit pattern, from the definition of the format.
template <class T>
double defined_value(unsigned bits)
{
  constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
  constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  int const exponent = static_cast<int>((bits & 0x7fff) >> fraction_bits);
  int const fraction = static_cast<int>(bits & ((1u << fraction_bits) - 1));
  double const magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                         : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TYPED_TEST(storage, all_65536_widen_to_their_value_and_come_back)
{
  using T = TypeParam;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    T const x = T::from_bits(static_cast<std::uint16_t>(bits));
    float const wide = x;
    if ((bits & 0x7fff) > infinity_bits<T>) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
      ASSERT_EQ(T(wide).bits(), bits | std::numeric_limits<T>::quiet_NaN().bits()) << "the payload, made quiet";
      ASSERT_EQ(T(static_cast<double>(wide)).bits(), T(wide).bits());
      continue;
    }
    if ((bits & 0x7fff) == infinity_bits<T>)
      ASSERT_EQ(wide, bits & 0x8000 ? -INFINITY : INFINITY);
    else
      ASSERT_EQ(wide, defined_value<T>(bits));
    ASSERT_EQ(std::signbit(wide), (bits & 0x8000) != 0);
    ASSERT_EQ(T(wide).bits(), bits);
    ASSERT_EQ(T(static_cast<double>(wide)).bits(), bits);
  }
}

/// The nearest value, searched among the finite ones; ties go to even. The value after the largest stands for infinity.
template <class T>
std::uint16_t nearest(double x)
{
  static std::vector<double> const values = [] {
    std::vector<double> all;
    for (unsigned bits = 0; bits <= infinity_bits<T>; ++bits) all.push_back(defined_value<T>(bits));
    return all;
  }();
  std::uint16_t const sign = std::signbit(x) ? 0x8000 : 0;
  double const magnitude = std::fabs(x);
  auto const above = std::lower_bound(values.begin(), values.end(), magnitude);
  if (above == values.end()) return sign | infinity_bits<T>;
  auto k = static_cast<std::uint16_t>(above - values.begin());
  if (*above != magnitude) {
    long double const up = static_cast<long double>(*above) - magnitude;
    long double const down = static_cast<long double>(magnitude) - *(above - 1);
    if (down < up || (down == up && (k - 1) % 2 == 0)) --k;
  }
  return sign | k;
}

TYPED_TEST(storage, every_midpoint_and_its_neighbours_round_to_nearest_even)
{
  using T = TypeParam;
  for (unsigned bits = 0; bits < infinity_bits<T>; ++bits) {
    double const low = defined_value<T>(bits);
    double const high = defined_value<T>(bits + 1);  // after the largest: 2^max_exponent
    double const middle = low + (high - low) / 2;
    for (double const sign : {1.0, -1.0}) {
      for (double const x : {low, middle, high}) {
        for (double const y : {std::nextafter(x, -INFINITY), x, std::nextafter(x, INFINITY)}) {
          ASSERT_EQ(T(sign * y).bits(), nearest<T>(sign * y)) << std::hexfloat << sign * y;
        }
        auto const f = static_cast<float>(x);  // exact: midpoints have one more digit than T
        for (float const y : {std::nextafter(f, -INFINITY), f, std::nextafter(f, INFINITY)}) {
          ASSERT_EQ(T(static_cast<float>(sign) * y).bits(), nearest<T>(sign * y)) << std::hexfloat << sign * y;
        }
      }
    }
  }
}

TYPED_TEST(storage, a_double_is_rounded_once)
{
  using T = TypeParam;
  // Just above the midpoint of 1 and the next value, by less than float can hold: through float it would be a tie.
  double const ulp = static_cast<float>(std::numeric_limits<T>::epsilon());
  double const x = 1 + ulp / 2 + 0x1p-40;
  EXPECT_EQ(T(x), 1 + ulp);
  EXPECT_EQ(T(static_cast<float>(x)), 1.0f);
}

TYPED_TEST(storage, random_doubles_and_floats_round_to_nearest)
{
  using T = TypeParam;
  std::mt19937_64 random(8);
  for (int k = 0; k < 200000; ++k) {
    double const x = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 320) - 60 - 200);
    ASSERT_EQ(T(x).bits(), nearest<T>(x)) << std::hexfloat << x;
    ASSERT_EQ(T(static_cast<float>(x)).bits(), nearest<T>(static_cast<float>(x))) << std::hexfloat << x;
  }
}

TYPED_TEST(storage, extremes)
{
  using T = TypeParam;
  EXPECT_EQ(T(std::numeric_limits<double>::denorm_min()).bits(), 0);
  EXPECT_EQ(T(-std::numeric_limits<float>::denorm_min()).bits(), 0x8000);
  EXPECT_EQ(T(std::numeric_limits<double>::max()).bits(), infinity_bits<T>);
  EXPECT_EQ(T(-INFINITY).bits(), 0x8000 | infinity_bits<T>);
  EXPECT_TRUE(std::isnan(float(T(std::numeric_limits<double>::quiet_NaN()))));
  // A signalling NaN of which only low payload bits are set must not turn into infinity.
  EXPECT_TRUE(std::isnan(float(T(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(float(T(std::bit_cast<double>(std::uint64_t{0x7ff0000000000001})))));
}

TYPED_TEST(storage, integers_are_rounded_once)
{
  using T = TypeParam;
  std::mt19937_64 random(6);
  EXPECT_EQ(T(std::numeric_limits<std::int64_t>::lowest()), T(-0x1p63));
  EXPECT_EQ(T(std::uint8_t{200}), 200.0f);
  EXPECT_EQ(T(-7), -7.0f);
  EXPECT_EQ(T(true), 1.0f);
  for (int k = 0; k < 100000; ++k) {
    std::uint64_t const x = random() >> (random() % 64);
    // Long double holds 64 bits. The nearest value is one of the neighbours of the rounded double.
    T const got(x);
    if (float(got) > 0x1p100f) continue;  // infinity
    auto const distance = [&](std::uint16_t bits) {
      return std::fabs(static_cast<long double>(x) - static_cast<long double>(defined_value<T>(bits)));
    };
    long double const own = distance(got.bits());
    ASSERT_LE(own, distance(static_cast<std::uint16_t>(got.bits() + 1))) << x;
    if (got.bits() == 0) continue;
    ASSERT_LE(own, distance(static_cast<std::uint16_t>(got.bits() - 1))) << x;
    if (own == distance(static_cast<std::uint16_t>(got.bits() + 1)) && own != 0) {
      ASSERT_EQ(got.bits() % 2, 0);
    }
    if (own == distance(static_cast<std::uint16_t>(got.bits() - 1)) && own != 0) {
      ASSERT_EQ(got.bits() % 2, 0);
    }
  }
  // 2^60 plus half a unit in the last place, plus one: above the midpoint by less than a double can hold.
  std::uint64_t const half_unit = std::uint64_t{1} << (60 - std::numeric_limits<T>::digits);
  if constexpr (std::is_same_v<T, bfloat16>) {
    EXPECT_EQ(T((std::uint64_t{1} << 60) + half_unit + 1), float((std::uint64_t{1} << 60) + 2 * half_unit));
    EXPECT_EQ(T((std::uint64_t{1} << 60) + half_unit), 0x1p60f);
  }
}

TEST(conversions, between_the_two_and_from_other_types)
{
  static_assert(half(bfloat16(1.5f)) == 1.5f && bfloat16(half(1.5f)) == 1.5f);
  static_assert(bfloat16(half(1.0f + 0x1p-10f)) == 1.0f);
  static_assert(std::is_convertible_v<half, float> && !std::is_convertible_v<float, half>);
  static_assert(!std::is_constructible_v<half, long double> && !std::is_constructible_v<half, void*>);
  static_assert(std::is_same_v<decltype(half(1) + 1.0f), float> && std::is_same_v<decltype(half(1) + 1.0), double>);
  static_assert(std::is_same_v<decltype(half(1) + half(1)), half> && std::is_same_v<decltype(half(1) + 1), float>);
  std::ostringstream out;
  out << half(0.5f) << " " << bfloat16(3);
  EXPECT_EQ(out.str(), "0.5 3");
}

TYPED_TEST(storage, numeric_limits)
{
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  static_assert(limits::is_specialized && limits::is_iec559 && !limits::is_integer && limits::radix == 2);
  EXPECT_EQ(float(limits::epsilon()), float(T::from_bits(static_cast<std::uint16_t>(T(1).bits() + 1))) - 1);
  EXPECT_EQ(float(limits::max()), defined_value<T>(infinity_bits<T> - 1u));
  EXPECT_EQ(float(limits::lowest()), -float(limits::max()));
  EXPECT_EQ(float(limits::min()), std::ldexp(1.0, limits::min_exponent - 1));
  EXPECT_EQ(float(limits::denorm_min()), defined_value<T>(1));
  EXPECT_EQ(float(limits::round_error()), 0.5f);
  EXPECT_TRUE(std::isnan(float(limits::quiet_NaN())) && std::isnan(float(limits::signaling_NaN())));
  EXPECT_EQ(limits::digits10, static_cast<int>(std::floor((limits::digits - 1) * std::log10(2.0))));
  EXPECT_EQ(limits::max_digits10, static_cast<int>(std::ceil(1 + limits::digits * std::log10(2.0))));
  EXPECT_EQ(limits::max_exponent10, static_cast<int>(std::floor(std::log10(double(limits::max())))));
  EXPECT_EQ(limits::min_exponent10, static_cast<int>(std::ceil(std::log10(double(limits::min())))));
}

}  // namespace
}  // namespace tally
