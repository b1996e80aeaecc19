#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "tally/half.hpp"

#ifdef __F16C__
#include <immintrin.h>
#endif

// The portable conversions against the processor's and the compiler's, where these exist.
namespace tally {
namespace {

/// Floats that round in every way: all signs, exponents and leading fraction bits, with eight endings.
template <class F>
void for_each_float(F const& f)
{
  for (std::uint32_t lead = 0; lead < (1u << 20); ++lead) {
    for (std::uint32_t const tail : {0x000u, 0x001u, 0x7ffu, 0x800u, 0x801u, 0x5a5u, 0xffeu, 0xfffu})
      f(std::bit_cast<float>(lead << 12 | tail));
  }
}

TEST(half_against_f16c, widening_and_narrowing_have_the_same_bits)
{
#ifdef __F16C__
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    float const wide = half::from_bits(static_cast<std::uint16_t>(bits));
    float const expected = _cvtsh_ss(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide), std::bit_cast<std::uint32_t>(expected));
  }
  long wrong = 0;
  for_each_float([&](float x) { wrong += half(x).bits() != _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT); });
  EXPECT_EQ(wrong, 0);
#else
  GTEST_SKIP() << "not compiled for a processor with F16C";
#endif
}

TEST(half_against_the_compiler, double_and_float_round_alike)
{
#ifdef __FLT16_MANT_DIG__
  auto const expected = [](auto x) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x)); };
  long wrong = 0;
  for_each_float([&](float x) {
    if (std::isnan(x)) return;
    wrong += half(x).bits() != expected(x);
    double const y = static_cast<double>(x) * (1 + 0x1p-50);  // a detour through float would drop it
    wrong += half(y).bits() != expected(y);
  });
  EXPECT_EQ(wrong, 0);
#else
  GTEST_SKIP() << "this compiler has no _Float16";
#endif
}

}  // namespace
}  // namespace tally
