#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tally/operators/affine.hpp"

namespace tally {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t bits(double x)
{
  return std::bit_cast<std::uint64_t>(x);
}

TEST(affine_maps, the_earlier_map_is_applied_first)
{
  constexpr affine doubled{2, 0};
  constexpr affine incremented{1, 1};
  static_assert(compose{}(doubled, incremented) == affine{2, 1});
  static_assert(compose{}(incremented, doubled) == affine{2, 2});
  static_assert(compose{}(doubled, incremented)(10) == 21);
  static_assert(compose{}(incremented, doubled)(10) == 22);
}

TEST(affine_maps, the_composite_is_the_composition_on_every_byte)
{
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    auto const next = [&] { return static_cast<std::uint8_t>(random()); };
    affine<std::uint8_t> const f{next(), next()};
    affine<std::uint8_t> const g{next(), next()};
    affine<std::uint8_t> const both = compose{}(f, g);
    for (int x = 0; x < 256; ++x) {
      auto const byte = static_cast<std::uint8_t>(x);
      ASSERT_EQ(both(byte), g(f(byte)));
    }
  }
}

TEST(affine_maps, integers_wrap)
{
  constexpr int most = std::numeric_limits<int>::max();
  static_assert(compose{}(affine{most, most}, affine{most, most}) == affine{1, std::numeric_limits<int>::lowest()});
  static_assert(affine{most, 1}(2) == -1);
}

TEST(affine_maps, an_inclusive_scan_is_the_recurrence)
{
  std::int64_t y = 3;
  affine<std::int64_t> all = identity_of<affine<std::int64_t>>(compose{});
  for (std::int64_t k = 1; k <= 40; ++k) {
    affine<std::int64_t> const map{k % 5 - 2, k};
    y = map.scale * y + map.offset;
    all = compose{}(all, map);
    EXPECT_EQ(all(3), y);
  }
}

TEST(affine_maps, the_identity_keeps_the_sign_of_zero)
{
  affine<double> const e = identity_of<affine<double>>(compose{});
  EXPECT_EQ(bits(e(-0.0)), bits(-0.0));
  for (double const scale : {1.0, -1.0, 0.0, -0.0, infinity, -infinity}) {
    for (double const offset : {0.0, -0.0, 1.0, infinity}) {
      for (auto const& both : {compose{}(e, affine{scale, offset}), compose{}(affine{scale, offset}, e)}) {
        EXPECT_EQ(bits(both.scale), bits(scale));
        EXPECT_EQ(bits(both.offset), bits(offset)) << scale << " " << offset;
      }
    }
  }
}

TEST(affine_maps, a_positive_zero_is_an_offset_like_any_other)
{
  // x + 0.0 makes -0.0 positive, and so must the composite with x - 0.0.
  affine<double> const both = compose{}(affine{1.0, 0.0}, affine{1.0, -0.0});
  EXPECT_EQ(bits(both(-0.0)), bits(0.0));
}

TEST(affine_maps, an_absent_offset_is_not_multiplied)
{
  affine<double> const both = compose{}(affine{2.0, -0.0}, affine{infinity, 1.0});
  EXPECT_EQ(both.offset, 1.0) << "not infinity * 0";
}

/// Square matrices, a ring that is not commutative: a wrong order of factors shows.
struct matrix {
  std::array<int, 4> e;
  constexpr explicit matrix(int diagonal = 0) : e{diagonal, 0, 0, diagonal} {}
  constexpr matrix(int a, int b, int c, int d) : e{a, b, c, d} {}
  friend constexpr matrix operator*(matrix const& a, matrix const& b)
  {
    return {a.e[0] * b.e[0] + a.e[1] * b.e[2], a.e[0] * b.e[1] + a.e[1] * b.e[3], a.e[2] * b.e[0] + a.e[3] * b.e[2],
            a.e[2] * b.e[1] + a.e[3] * b.e[3]};
  }
  friend constexpr matrix operator+(matrix const& a, matrix const& b)
  {
    return {a.e[0] + b.e[0], a.e[1] + b.e[1], a.e[2] + b.e[2], a.e[3] + b.e[3]};
  }
  friend constexpr bool operator==(matrix const&, matrix const&) = default;
};

TEST(affine_maps, over_matrices_keep_the_order_of_factors)
{
  affine const f{matrix{1, 2, 3, 4}, matrix{0, 1, 1, 5}};
  affine const g{matrix{2, 0, 1, 7}, matrix{3, 1, 4, 1}};
  matrix const x{1, -1, 2, 6};
  EXPECT_EQ(compose{}(f, g)(x), g(f(x)));
  EXPECT_EQ(compose{}(identity_of<affine<matrix>>(compose{}), g), g);
}

}  // namespace
}  // namespace tally
