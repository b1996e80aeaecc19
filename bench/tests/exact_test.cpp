#include "exact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "elements.hpp"

/// Each kind of mistake must be found: a check that accepts everything makes every figure worthless.
namespace tally::bench {
namespace {

template <class T>
class exact_test : public testing::Test {
protected:
  static constexpr std::size_t n = 3 * exact::chunk - 5;

  exact_test() : data(element_of<T>::value, n + 100), results(data) { results.poison(n); }

  T const* in() const { return reinterpret_cast<T const*>(data.in()); }
  T* out() const { return reinterpret_cast<T*>(data.out()); }
  void scan() const
  {
    // Sums in double or 64-bit integers: right to the last place for every type here.
    using wide = std::conditional_t<std::is_floating_point_v<T>, long double, std::uint64_t>;
    wide sum = 0;
    for (std::size_t k = 0; k < n; ++k) out()[k] = static_cast<T>(sum += static_cast<wide>(in()[k]));
  }

  data_set data;
  exact results;
};

using types = testing::Types<float, double, std::int32_t, std::int64_t, std::int16_t, std::int8_t>;
TYPED_TEST_SUITE(exact_test, types);

TYPED_TEST(exact_test, accepts_a_right_scan_and_forgets_it)
{
  this->scan();
  std::vector<TypeParam> const beginning(this->out(), this->out() + 64);
  verdict const v = this->results.check(operation::inclusive_scan, this->n);
  EXPECT_FALSE(v.wrong);
  EXPECT_LE(v.ulp_error, 0.5);
  // The check has poisoned the output again, so the next one cannot accept the rest of this result.
  std::copy(beginning.begin(), beginning.end(), this->out());
  EXPECT_TRUE(this->results.check(operation::inclusive_scan, this->n).wrong);
}

TYPED_TEST(exact_test, sees_one_wrong_element)
{
  for (std::size_t const k : {std::size_t{0}, std::size_t{1}, exact::chunk - 1, exact::chunk, this->n - 1}) {
    this->scan();
    this->out()[k] = static_cast<TypeParam>(this->out()[k] * 2 + 1);
    EXPECT_TRUE(this->results.check(operation::inclusive_scan, this->n).wrong) << k;
  }
}

TYPED_TEST(exact_test, sees_a_write_beyond_the_end)
{
  this->scan();
  this->out()[this->n] = TypeParam{1};
  EXPECT_TRUE(this->results.check(operation::inclusive_scan, this->n).wrong);
}

TYPED_TEST(exact_test, tells_inclusive_from_exclusive)
{
  this->scan();
  EXPECT_TRUE(this->results.check(operation::exclusive_scan, this->n).wrong);
  this->scan();
  std::memmove(this->out() + 1, this->out(), (this->n - 1) * sizeof(TypeParam));
  this->out()[0] = TypeParam{0};
  EXPECT_FALSE(this->results.check(operation::exclusive_scan, this->n).wrong);
}

TYPED_TEST(exact_test, checks_reductions)
{
  this->scan();
  TypeParam const sum = this->out()[this->n - 1];
  this->out()[0] = sum;
  EXPECT_FALSE(this->results.check(operation::reduce_sum, this->n).wrong);
  EXPECT_TRUE(this->results.check(operation::reduce_sum, this->n).wrong);
  TypeParam const most = *std::max_element(this->in(), this->in() + this->n);
  this->out()[0] = most;
  EXPECT_FALSE(this->results.check(operation::reduce_max, this->n).wrong);
  this->out()[0] = static_cast<TypeParam>(most - 1);
  EXPECT_TRUE(this->results.check(operation::reduce_max, this->n).wrong);
}

TYPED_TEST(exact_test, checks_limits)
{
  std::size_t const bytes = this->n * sizeof(TypeParam);
  std::memcpy(this->data.out(), this->data.in(), bytes);
  EXPECT_FALSE(this->results.check_copy(bytes).wrong);
  std::memcpy(this->data.out(), this->data.in(), bytes);
  this->data.out()[bytes - 1] ^= std::byte{1};
  EXPECT_TRUE(this->results.check_copy(bytes).wrong);
  EXPECT_TRUE(this->results.check_read(bytes).wrong);
}

// 2^26 floats added one after the other: beyond 2^24 the sum no longer grows.
TEST(exact_stall, is_marked_but_not_called_wrong)
{
  std::size_t const n = std::size_t{1} << 26;
  data_set const data(element::f32, n);
  exact const results(data);
  float const* const in = reinterpret_cast<float const*>(data.in());
  float* const out = reinterpret_cast<float*>(data.out());
  results.poison(n);
  float sum = 0;
  for (std::size_t k = 0; k < n; ++k) out[k] = sum += in[k];
  verdict const v = results.check(operation::inclusive_scan, n);
  EXPECT_FALSE(v.wrong);
  EXPECT_TRUE(v.stalled());
  EXPECT_NEAR(v.relative_error, 0.5, 0.05);
}

}  // namespace
}  // namespace tally::bench
