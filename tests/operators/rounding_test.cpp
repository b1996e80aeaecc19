#include <cmath>

#include <gtest/gtest.h>

#include "floating_point.hpp"
#include "tally/operators.hpp"

// Compiled with permission to fuse products and sums, where the processor can. The operators must not change.
namespace tally {
namespace {

TEST(rounding, a_product_is_rounded_before_it_is_added_to)
{
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, and float drops the last term. Fused, the difference would be 2^-24.
  float const x = opaque(1.0f + 0x1p-12f);
  EXPECT_EQ(detail::elementary::rounded_product(x, x) - opaque(1.0f + 0x1p-11f), 0.0f);
  double const y = opaque(1.0 + 0x1p-27);
  EXPECT_EQ(detail::elementary::rounded_product(y, y) - opaque(1.0 + 0x1p-26), 0.0);
}

TEST(rounding, an_affine_map_has_the_same_bits_whether_the_target_fuses_or_not)
{
  float const x = opaque(1.0f + 0x1p-12f);
  affine<float> const map{x, opaque(-1.0f - 0x1p-11f)};
  EXPECT_EQ(map(x), 0.0f);
  EXPECT_EQ(compose{}(affine<float>{opaque(1.0f), x}, map).offset, 0.0f);
}

TEST(rounding, constant_expressions_agree)
{
  constexpr float x = 1.0f + 0x1p-12f;
  static_assert(affine<float>{x, -1.0f - 0x1p-11f}(x) == 0.0f);
  constexpr mean_and_variance op;
  constexpr auto folded = op(moments(0.1), op(moments(0.7), moments(0.3)));
  auto const computed = op(moments(opaque(0.1)), op(moments(opaque(0.7)), moments(opaque(0.3))));
  EXPECT_EQ(folded, computed);
}

}  // namespace
}  // namespace tally
