#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tally/operators/arithmetic.hpp"

namespace tally {
namespace {

template <class T>
struct every_bit_of;
template <>
struct every_bit_of<float> {
  using type = std::uint32_t;
};
template <>
struct every_bit_of<double> {
  using type = std::uint64_t;
};

template <class T>
bool same(T a, T b)
{
  using bits = typename every_bit_of<T>::type;
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

template <class T>
std::vector<T> hostile()
{
  using limits = std::numeric_limits<T>;
  std::vector<T> const positive = {T(0),
                                   limits::denorm_min(),
                                   limits::min() / 2,
                                   limits::min(),
                                   T(0.1),
                                   T(1),
                                   T(3),
                                   T(1) / limits::epsilon(),
                                   limits::max(),
                                   limits::infinity(),
                                   limits::quiet_NaN()};
  std::vector<T> all = positive;
  for (T const x : positive) all.push_back(-x);
  return all;
}

template <class T>
class floating : public testing::Test {};
using floating_types = testing::Types<float, double>;
TYPED_TEST_SUITE(floating, floating_types);

TYPED_TEST(floating, identities_hold_in_bits)
{
  using T = TypeParam;
  auto const check = [](auto op, char const* name) {
    T const e = op.template identity<T>();
    for (T const x : hostile<T>()) {
      EXPECT_TRUE(same(static_cast<T>(op(e, x)), x)) << name << " left of " << x;
      EXPECT_TRUE(same(static_cast<T>(op(x, e)), x)) << name << " right of " << x;
    }
  };
  check(plus{}, "plus");
  check(multiplies{}, "multiplies");
  check(minimum{}, "minimum");
  check(maximum{}, "maximum");
}

TYPED_TEST(floating, zero_would_not_be_the_identity_of_plus)
{
  EXPECT_FALSE(same<TypeParam>(plus{}(TypeParam(0), TypeParam(-0.0)), TypeParam(-0.0)));
}

TYPED_TEST(floating, minimum_and_maximum_are_those_of_ieee_754)
{
  using T = TypeParam;
  for (T const a : hostile<T>()) {
    for (T const b : hostile<T>()) {
      T least = std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : std::min(a, b);
      T greatest = std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : std::max(a, b);
      if (a == T(0) && b == T(0)) {
        least = std::signbit(a) || std::signbit(b) ? T(-0.0) : T(0);
        greatest = std::signbit(a) && std::signbit(b) ? T(-0.0) : T(0);
      }
      EXPECT_TRUE(same(minimum{}(a, b), least)) << a << " and " << b;
      EXPECT_TRUE(same(maximum{}(a, b), greatest)) << a << " and " << b;
    }
  }
}

TYPED_TEST(floating, denormals_stay)
{
  using T = TypeParam;
  T const tiny = std::numeric_limits<T>::denorm_min();
  EXPECT_EQ(plus{}(tiny, tiny), 2 * tiny);
  EXPECT_GT(plus{}(tiny, tiny), T(0));
  EXPECT_EQ(multiplies{}(tiny, T(3)), plus{}(plus{}(tiny, tiny), tiny));
  EXPECT_EQ(minimum{}(tiny, T(0)), T(0));
  EXPECT_EQ(maximum{}(tiny, T(0)), tiny);
}

TEST(floating, signs_of_zeros_are_told_apart_in_constant_expressions)
{
  static_assert(std::bit_cast<std::uint32_t>(minimum{}(0.0f, -0.0f)) == 0x80000000u);
  static_assert(std::bit_cast<std::uint32_t>(minimum{}(-0.0f, 0.0f)) == 0x80000000u);
  static_assert(std::bit_cast<std::uint64_t>(maximum{}(0.0, -0.0)) == 0);
  static_assert(std::bit_cast<std::uint64_t>(maximum{}(-0.0, 0.0)) == 0);
  EXPECT_TRUE(std::signbit(minimum{}(0.0L, -0.0L)));
  EXPECT_FALSE(std::signbit(maximum{}(-0.0L, 0.0L)));
}

/// The exact result of an operation on 8-bit values, brought back modulo 256.
template <class T>
T wrapped(int exact)
{
  int const low = exact & 255;
  return static_cast<T>(std::is_signed_v<T> && low > 127 ? low - 256 : low);
}

template <class T>
class bytes : public testing::Test {
protected:
  static constexpr int least = std::numeric_limits<T>::min();
  static constexpr int greatest = std::numeric_limits<T>::max();

  template <class F>
  static void for_each_pair(F const& f)
  {
    for (int a = least; a <= greatest; ++a) {
      for (int b = least; b <= greatest; ++b) f(a, b);
    }
  }

  /// Every triple, every pair, every value: 16.8 million, 65536 and 256 of them.
  template <class Op>
  static void check_laws_on_everything(Op op, bool commutes)
  {
    static T table[256][256];  // no std::array: under a sanitizer each access would be a function call
    for_each_pair([&](int a, int b) { table[a - least][b - least] = op(static_cast<T>(a), static_cast<T>(b)); });
    long wrong = 0;
    for_each_pair([&](int a, int b) {
      T const *const of_a = table[a - least], *const of_b = table[b - least],
                     *const of_ab = table[of_a[b - least] - least];
      if (commutes) wrong += of_a[b - least] != of_b[a - least];
      for (int c = 0; c < 256; ++c) wrong += of_ab[c] != of_a[of_b[c] - least];
    });
    EXPECT_EQ(wrong, 0);
    if constexpr (has_identity<Op, T>) {
      int const e = identity_of<T>(op);
      for (int a = least; a <= greatest; ++a) {
        EXPECT_EQ(table[e - least][a - least], a);
        EXPECT_EQ(table[a - least][e - least], a);
      }
    }
  }
};
using byte_types = testing::Types<std::int8_t, std::uint8_t, char>;
TYPED_TEST_SUITE(bytes, byte_types);

TYPED_TEST(bytes, operators_have_the_values_of_exact_arithmetic)
{
  using T = TypeParam;
  this->for_each_pair([](int a, int b) {
    T const x = static_cast<T>(a);
    T const y = static_cast<T>(b);
    ASSERT_EQ(plus{}(x, y), wrapped<T>(a + b));
    ASSERT_EQ(multiplies{}(x, y), wrapped<T>(a * b));
    ASSERT_EQ(minimum{}(x, y), std::min(a, b));
    ASSERT_EQ(maximum{}(x, y), std::max(a, b));
    ASSERT_EQ(bit_and{}(x, y), wrapped<T>(a & b));
    ASSERT_EQ(bit_or{}(x, y), wrapped<T>(a | b));
    ASSERT_EQ(bit_xor{}(x, y), wrapped<T>(a ^ b));
    ASSERT_EQ(logical_and{}(x, y), a != 0 && b != 0 ? 1 : 0);
    ASSERT_EQ(logical_or{}(x, y), a != 0 || b != 0 ? 1 : 0);
  });
}

TYPED_TEST(bytes, every_claim_holds_on_every_triple)
{
  using T = TypeParam;
  auto const check = [this](auto op) {
    static_assert(exactly_associative<decltype(op), T>);
    this->check_laws_on_everything(op, commutative<decltype(op), T>);
  };
  check(plus{});
  check(multiplies{});
  check(minimum{});
  check(maximum{});
  check(bit_and{});
  check(bit_or{});
  check(bit_xor{});
  check(logical_and{});
  check(logical_or{});
}

template <class T>
class integers : public testing::Test {};
using integer_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, char16_t, wchar_t, long, long long>;
TYPED_TEST_SUITE(integers, integer_types);

TYPED_TEST(integers, wrap_around)
{
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  EXPECT_EQ(plus{}(limits::max(), T(1)), limits::lowest());
  EXPECT_EQ(plus{}(limits::lowest(), static_cast<T>(-1)), limits::max());
  // max = 2^k - 1, so max * max = 1 - 2^(k+1) + 2^(2k): 1 where 2^k or 2^(k+1) is 0.
  EXPECT_EQ(multiplies{}(limits::max(), limits::max()), T(1));
  EXPECT_EQ(multiplies{}(limits::lowest(), static_cast<T>(-1)), limits::lowest());
  EXPECT_EQ(multiplies{}(limits::lowest(), T(2)), T(0));
  static_assert(plus{}(limits::max(), T(1)) == limits::lowest());
  static_assert(multiplies{}(limits::max(), limits::max()) == T(1));
  static_assert(std::is_same_v<decltype(plus{}(T(), T())), T> && std::is_same_v<decltype(multiplies{}(T(), T())), T>);
}

TYPED_TEST(integers, identities_hold_at_the_ends_of_the_range)
{
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  auto const check = [](auto op) {
    for (T const x : {limits::lowest(), static_cast<T>(-1), T(0), T(1), T(42), limits::max()}) {
      T const e = identity_of<T>(op);
      EXPECT_EQ(op(e, x), x);
      EXPECT_EQ(op(x, e), x);
    }
  };
  check(plus{});
  check(multiplies{});
  check(minimum{});
  check(maximum{});
  check(bit_and{});
  check(bit_or{});
  check(bit_xor{});
}

TEST(booleans, stay_booleans)
{
  for (bool const a : {false, true}) {
    for (bool const b : {false, true}) {
      EXPECT_EQ(plus{}(a, b), a || b);
      EXPECT_EQ(multiplies{}(a, b), a && b);
      EXPECT_EQ(minimum{}(a, b), a && b);
      EXPECT_EQ(maximum{}(a, b), a || b);
      EXPECT_EQ(bit_and{}(a, b), a && b);
      EXPECT_EQ(bit_or{}(a, b), a || b);
      EXPECT_EQ(bit_xor{}(a, b), a != b);
      EXPECT_EQ(logical_and{}(a, b), a && b);
      EXPECT_EQ(logical_or{}(a, b), a || b);
    }
  }
  static_assert(std::is_same_v<decltype(plus{}(true, true)), bool>);
  static_assert(identity_of<bool>(bit_and{}) && identity_of<bool>(logical_and{}) && identity_of<bool>(minimum{}));
  static_assert(!identity_of<bool>(bit_or{}) && !identity_of<bool>(logical_or{}) && !identity_of<bool>(maximum{}));
}

TEST(class_types, take_the_operators_that_they_have_symbols_for)
{
  EXPECT_EQ(plus{}(std::string("ab"), std::string("c")), "abc");
  EXPECT_EQ(identity_of<std::string>(plus{}), "");
  EXPECT_EQ(minimum{}(std::string("b"), std::string("a")), "a");
  EXPECT_EQ(multiplies{}(std::complex<double>(0, 1), std::complex<double>(0, 1)), std::complex<double>(-1, 0));
  EXPECT_EQ(identity_of<std::complex<double>>(multiplies{}), std::complex<double>(1));
}

struct ranked {
  int rank;
  char name;
  friend bool operator<(ranked const& a, ranked const& b) { return a.rank < b.rank; }
};

TEST(class_types, the_first_of_equals_wins)
{
  EXPECT_EQ(minimum{}(ranked{1, 'a'}, ranked{1, 'b'}).name, 'a');
  EXPECT_EQ(maximum{}(ranked{1, 'a'}, ranked{1, 'b'}).name, 'a');
  EXPECT_EQ(minimum{}(ranked{1, 'a'}, ranked{0, 'b'}).name, 'b');
  EXPECT_EQ(maximum{}(ranked{1, 'a'}, ranked{2, 'b'}).name, 'b');
}

TEST(mixed_types, promote_as_the_language_does)
{
  EXPECT_EQ(plus{}(1, 0.5), 1.5);
  EXPECT_EQ(multiplies{}(3, 0.5), 1.5);
}

}  // namespace
}  // namespace tally
