#include <limits>

#include <gtest/gtest.h>

#include "bits.hpp"
#include "data.hpp"
#include "guarded.hpp"
#include "iterators.hpp"
#include "sizes.hpp"
#include "values.hpp"

/// Tests that the helpers of the tests notice faults.
namespace tally::test {
namespace {

TEST(guarded, notices_a_write_beside_its_elements)
{
  guarded<float> buffer(5, 3);
  EXPECT_TRUE(buffer.guards_intact());
  buffer.begin()[4] = 1.0f;
  EXPECT_TRUE(buffer.guards_intact());
  buffer.begin()[5] = 1.0f;
  EXPECT_FALSE(buffer.guards_intact());
  guarded<std::int8_t> bytes(5, 3);
  bytes.begin()[-1] = 0;
  EXPECT_FALSE(bytes.guards_intact());
}

TEST(guarded, begins_where_it_was_asked_to)
{
  for (std::size_t offset = 0; offset < 16; ++offset) {
    guarded<std::uint16_t> const buffer(10, offset);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, offset * sizeof(std::uint16_t) % 64);
  }
}

TEST(guarded, is_poisoned)
{
  guarded<std::uint32_t> const buffer(3);
  for (std::uint32_t const value : buffer.values()) EXPECT_EQ(value, 0xA5A5A5A5u);
}

TEST(same_bits, tells_zeros_apart_and_nans_not)
{
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(same_value(0.0f, -0.0f));
  EXPECT_TRUE(same_value(nan, -nan));
  EXPECT_FALSE(same_value(nan, 0.0f));
  EXPECT_TRUE(same_bits(std::vector<double>{}, std::vector<double>{}));
  EXPECT_FALSE(same_bits(std::vector<int>{1, 2}, std::vector<int>{1}));
}

TEST(same_bits, names_the_first_difference)
{
  auto const result = same_bits(std::vector<int>{1, 2, 3, 4}, std::vector<int>{1, 2, 5, 6});
  EXPECT_STREQ(result.message(), "2 of 4 elements differ, the first at 2: 3, expected 5");
}

template <class T>
class floats : public testing::Test {};
using float_types = testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(floats, float_types);

TYPED_TEST(floats, has_every_kind_of_value)
{
  using format = float_format<TypeParam>;
  auto const exponent = [](TypeParam x) {
    return std::uint64_t{bits_of(x)} >> format::fraction_bits & format::all_ones_exponent;
  };
  std::size_t denormal = 0;
  for (TypeParam const x : make_data<TypeParam>(data::denormals, 1000))
    denormal += exponent(x) == 0 && static_cast<double>(x) != 0;
  EXPECT_GT(denormal, 500u);
  std::size_t nans = 0;
  for (TypeParam const x : make_data<TypeParam>(data::not_a_number, 1000)) nans += is_nan(x);
  EXPECT_EQ(nans, 1u);
  for (data const kind :
       {data::distinct, data::mixed_magnitudes, data::cancelling, data::denormals, data::negative_zeros}) {
    for (TypeParam const x : make_data<TypeParam>(kind, 1000))
      ASSERT_NE(exponent(x), format::all_ones_exponent) << name(kind);
  }
}

TEST(input_iterator, notices_a_second_reading)
{
  int values[] = {1, 2, 3};
  input_iterator<int> const first(values);
  input_iterator<int> second = first;
  ++second;
  EXPECT_EQ(*second, 2);
  EXPECT_THROW(*first, std::logic_error);
}

TEST(tracked, counts_the_living)
{
  {
    tracked a(1);
    tracked b = a;
    b = a + std::move(b);
    EXPECT_EQ(b.value(), 2);
    EXPECT_GE(tracked::alive, 2);
  }
  EXPECT_EQ(tracked::alive, 0);
}

TEST(sizes, are_around_every_boundary)
{
  auto const sizes = all_sizes<float>();
  for (std::size_t const n : {0u, 1u, 3u, 4u, 5u, 127u, 128u, 129u, 1023u, 1024u, 1025u, 8191u, 8192u, 8193u, 16384u})
    EXPECT_TRUE(std::find(sizes.begin(), sizes.end(), n) != sizes.end() || n > largest_size()) << n;
}

}  // namespace
}  // namespace tally::test
