#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>

#include <gtest/gtest.h>

#include "tally/half.hpp"

// Arithmetic through float is correctly rounded. Double is the reference: it has so many digits that rounding to it
// first never changes the second rounding.
namespace tally {
namespace {

template <class T>
class storage_arithmetic : public testing::Test {};
using storage_types = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(storage_arithmetic, storage_types);

template <class T>
void expect_same(T got, T expected)
{
  if (std::isnan(float(expected)))
    ASSERT_TRUE(std::isnan(float(got)));
  else
    ASSERT_EQ(got.bits(), expected.bits());
}

TYPED_TEST(storage_arithmetic, is_correctly_rounded)
{
  using T = TypeParam;
  std::mt19937 random(12);
  for (int k = 0; k < 300000; ++k) {
    T const a = T::from_bits(static_cast<std::uint16_t>(random()));
    // Half of the pairs have similar magnitudes, where sums round.
    T const b = T::from_bits(static_cast<std::uint16_t>(k % 2 == 0 ? random() : a.bits() ^ (random() & 0x8fff)));
    double const x = float(a);
    double const y = float(b);
    expect_same(a + b, T(static_cast<double>(x + y)));
    expect_same(a - b, T(static_cast<double>(x - y)));
    expect_same(a * b, T(x * y));
    expect_same(a / b, T(x / y));
  }
}

TYPED_TEST(storage_arithmetic, compound_assignment_rounds_each_time)
{
  using T = TypeParam;
  T x(1);
  for (int k = 0; k < 5000; ++k) x += T(1);
  // 1 + 1 + ... stops where adding 1 is half a unit in the last place: at 2^digits.
  EXPECT_EQ(float(x), std::ldexp(1.0f, std::numeric_limits<T>::digits));
  x -= T(1);
  x *= T(2);
  x /= T(4);
  EXPECT_EQ(float(x), (std::ldexp(1.0f, std::numeric_limits<T>::digits) - 1) / 2);
}

TYPED_TEST(storage_arithmetic, signs)
{
  using T = TypeParam;
  EXPECT_EQ((-T(0)).bits(), 0x8000);
  EXPECT_EQ((-T(2.5f)).bits(), T(-2.5f).bits());
  EXPECT_EQ((+T(2.5f)).bits(), T(2.5f).bits());
  T const nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ((-nan).bits(), nan.bits() | 0x8000);
}

TYPED_TEST(storage_arithmetic, comparisons_are_those_of_float)
{
  using T = TypeParam;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(T(1) < T(2) && T(2) > T(1) && T(1) <= T(1) && T(1) >= T(1) && T(1) == T(1) && T(1) != T(2));
  EXPECT_TRUE(T(0) == -T(0));
  EXPECT_FALSE(nan == nan || nan < T(1) || nan > T(1));
  EXPECT_TRUE(nan != nan);
  EXPECT_TRUE((T(1) <=> nan) == std::partial_ordering::unordered);
  EXPECT_TRUE(T(1) < 1.5 && T(1) == 1 && 2 > T(1));
  static_assert(T(1) < T(2) && T(1) + T(2) == T(3));
}

}  // namespace
}  // namespace tally
