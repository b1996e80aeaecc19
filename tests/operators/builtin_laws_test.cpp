#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tally/half.hpp"
#include "tally/laws.hpp"
#include "tally/operators.hpp"

// The law checker checks every built-in operator against the laws that it declares.
namespace tally {
namespace {

template <class T>
std::vector<T> samples()
{
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>)
    return {false, true};
  else if constexpr (limits::is_integer)
    return {T(0),
            T(1),
            T(2),
            static_cast<T>(-1),
            T(3),
            T(5),
            T(100),
            limits::max(),
            static_cast<T>(limits::max() - 1),
            limits::lowest(),
            static_cast<T>(limits::lowest() + 1)};
  else
    return {T(0.0),
            T(-0.0),
            T(1.0),
            T(-1.0),
            T(0.1),
            T(-2.5),
            T(1e-3),
            T(30.0),
            limits::min(),
            limits::denorm_min(),
            T(-limits::denorm_min()),
            limits::max(),
            limits::lowest(),
            limits::infinity(),
            T(-limits::infinity()),
            limits::quiet_NaN()};
}

template <class Op, class T>
void expect_laws(Op op, std::vector<T> const& values, law_options const& options = {})
{
  auto const report = check_laws(op, values, options);
  EXPECT_TRUE(report) << report.message();
}

/// Finite values of ordinary size, with many equal ones.
template <class T>
T ordinary(std::mt19937_64& random)
{
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random());
  else
    return static_cast<T>(std::ldexp(static_cast<double>(random() % 64) - 32, static_cast<int>(random() % 7) - 3));
}

template <class T>
class built_in : public testing::Test {};
#ifdef TALLY_TEST_BRIEFLY
using types = testing::Types<bool, std::int8_t, std::uint64_t, float, half>;
#else
using types =
    testing::Types<bool, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double, half, bfloat16>;
#endif
TYPED_TEST_SUITE(built_in, types);

TYPED_TEST(built_in, arithmetic)
{
  using T = TypeParam;
  expect_laws(plus{}, samples<T>());
  expect_laws(multiplies{}, samples<T>());
  expect_laws(minimum{}, samples<T>());
  expect_laws(maximum{}, samples<T>());
  if constexpr (std::is_integral_v<T>) {
    expect_laws(bit_and{}, samples<T>());
    expect_laws(bit_or{}, samples<T>());
    expect_laws(bit_xor{}, samples<T>());
    expect_laws(logical_and{}, samples<T>());
    expect_laws(logical_or{}, samples<T>());
  }
}

TYPED_TEST(built_in, extremes)
{
  using T = TypeParam;
  std::vector<indexed<T, unsigned>> values;
  for (unsigned const index : {0u, 1u, 7u}) {
    for (T const value : samples<T>()) values.push_back({value, index});
  }
  expect_laws(argmin{}, values);
  expect_laws(argmax{}, values);
}

TYPED_TEST(built_in, affine_maps)
{
  using T = TypeParam;
  auto const report =
      check_laws(compose{}, [](auto& random) { return affine<T>{ordinary<T>(random), ordinary<T>(random)}; }, 45, 20);
  EXPECT_TRUE(report) << report.message();
  // The identity in bits, with every sign of zero, infinity and NaN; associativity in integers only.
  std::vector<affine<T>> values;
  for (T const scale : samples<T>()) {
    for (T const offset : samples<T>()) values.push_back({scale, offset});
  }
  for (law_violation<affine<T>> const& violation : check_laws(compose{}, values).violations)
    EXPECT_EQ(violation.broken, law::associativity) << violation.message;
}

TYPED_TEST(built_in, segments)
{
  using T = TypeParam;
  std::vector<flagged<T>> values;
  for (T const value : samples<T>()) {
    values.push_back({value, false});
    values.push_back({value, true});
  }
  expect_laws(segmented<plus>{}, values);
  expect_laws(segmented<maximum>{}, values);
  std::vector<flagged<flagged<T>>> const nested = {
      {values[0], false}, {values[1], true}, {values[2], true}, {values[3], false}};
  expect_laws(segmented<segmented<minimum>>{}, nested);
}

template <class T>
class floating_built_in : public testing::Test {};
using floating_types = testing::Types<float, double>;
TYPED_TEST_SUITE(floating_built_in, floating_types);

TYPED_TEST(floating_built_in, mean_and_variance)
{
  using T = TypeParam;
  // Sums of squares of deviations up to 32^2 and counts up to 8: a few times the roundings of a single sum.
  auto const generate = [](std::mt19937_64& random) {
    moments<T> sum{};
    for (std::uint64_t left = random() % 9; left > 0; --left)
      sum = tally::mean_and_variance{}(sum, moments<T>(ordinary<T>(random)));
    return sum;
  };
  auto const report = check_laws(tally::mean_and_variance{}, generate, 45, 1, {.tolerance = 64});
  EXPECT_TRUE(report) << report.message();
  std::vector<moments<T>> values;
  for (T const value : samples<T>()) values.push_back(moments<T>(value));
  values.push_back(moments<T>{});
  for (auto const& violation : check_laws(tally::mean_and_variance{}, values).violations)
    EXPECT_EQ(violation.broken, law::associativity) << violation.message;
}

TYPED_TEST(floating_built_in, log_sum_exp)
{
  using T = TypeParam;
  std::vector<exponential_sum<T>> values = {exponential_sum<T>{}};
  for (T const value : samples<T>()) values.push_back(exponential_sum<T>(value));
  expect_laws(tally::log_sum_exp{}, values);
  auto const report = check_laws(
      tally::log_sum_exp{},
      [](auto& random) {
        return tally::log_sum_exp{}(exponential_sum<T>(ordinary<T>(random)), exponential_sum<T>(ordinary<T>(random)));
      },
      45, 3);
  EXPECT_TRUE(report) << report.message();
}

}  // namespace
}  // namespace tally
