#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/traits.hpp"

/// `half` and `bfloat16`: floating-point numbers of two bytes, for storing and moving.
/// Reductions and scans combine them as float.
namespace tally {

namespace detail {

/// The layout of an IEEE 754 binary interchange format: sign, exponent, fraction. `U` holds its bits.
template <int ExponentBits, int FractionBits, class U>
struct binary_format {
  using bits = U;
  static constexpr int fraction_bits = FractionBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr U sign = U(U(1) << (ExponentBits + FractionBits));
  static constexpr U infinity = U(((U(1) << ExponentBits) - 1) << FractionBits);
  static constexpr U quiet = U(U(1) << (FractionBits - 1));
};
using binary16 = binary_format<5, 10, std::uint16_t>;
using brain16 = binary_format<8, 7, std::uint16_t>;
using binary32 = binary_format<8, 23, std::uint32_t>;
using binary64 = binary_format<11, 52, std::uint64_t>;

/// x / 2^shift, rounded to nearest, ties to even; x + 2^(shift-1) does not overflow.
template <class U>
TALLY_HD constexpr U shift_to_nearest_even(U x, int shift)
{
  U const below_half = U((U(1) << (shift - 1)) - 1);
  U const odd = U((x >> shift) & 1);
  return U((x + below_half + odd) >> shift);
}

/// The bits of the `To` nearest to the `From` whose bits are x; ties go to even. A NaN stays a NaN, is made quiet, and
/// keeps the leading bits of its payload.
template <class To, class From>
TALLY_HD constexpr typename To::bits narrow(typename From::bits x)
{
  using U = typename From::bits;
  constexpr int drop = From::fraction_bits - To::fraction_bits;
  constexpr int rebias = From::bias - To::bias;
  auto const sign = static_cast<typename To::bits>((x & From::sign) != 0 ? To::sign : 0);
  U const magnitude = U(x & ~From::sign);
  U result = 0;
  if (magnitude > From::infinity) {
    U const payload = U((magnitude >> drop) & (To::quiet - 1));
    result = U(To::infinity | To::quiet | payload);
  } else if (U const exponent = U(magnitude >> From::fraction_bits); exponent > rebias) {
    // Exponent and fraction are one integer: a carry out of the fraction raises the exponent, in the end to infinity's.
    U const rebiased = U(magnitude - (U(rebias) << From::fraction_bits));
    result = shift_to_nearest_even(rebiased, drop);
    if (result > To::infinity) result = To::infinity;
  } else {
    // x is below the smallest normal number of To. The fraction counts units of the smallest subnormal number.
    U const fraction = U(magnitude & ((U(1) << From::fraction_bits) - 1));
    U const significand = exponent != 0 ? U(fraction | (U(1) << From::fraction_bits)) : fraction;
    int const shift = drop + rebias + 1 - (exponent != 0 ? int(exponent) : 1);
    // Beyond that shift x is at most half of one unit, and a tie goes to 0, which is even.
    if (shift <= From::fraction_bits + 1) result = shift_to_nearest_even(significand, shift);
  }
  return static_cast<typename To::bits>(sign | result);
}

/// The bits of the `To` nearest to x, computed by the processor's own instruction where the language can name it.
template <class To>
TALLY_HD constexpr std::uint16_t narrow_float(float x)
{
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) {
    std::uint16_t bits;
    if constexpr (std::is_same_v<To, binary16>)
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    else
      asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
  }
#endif
  return narrow<To, binary32>(__builtin_bit_cast(std::uint32_t, x));
}

TALLY_HD constexpr float widen(binary16, std::uint16_t bits)
{
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
#endif
  std::uint32_t const sign = std::uint32_t(bits & binary16::sign) << 16;
  std::uint32_t const magnitude = bits & (binary16::sign - 1u);
  if (magnitude < (1u << binary16::fraction_bits)) {  // zero or subnormal
    float const value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  constexpr std::uint32_t rebias = (binary32::bias - binary16::bias) << binary32::fraction_bits;
  std::uint32_t result = (magnitude << 13) + rebias;
  if (magnitude >= binary16::infinity) result += rebias;  // from 31 + 112 to 255
  if (magnitude > binary16::infinity) result |= binary32::quiet;
  return __builtin_bit_cast(float, sign | result);
}

TALLY_HD constexpr float widen(brain16, std::uint16_t bits)
{
  return __builtin_bit_cast(float, std::uint32_t(bits) << 16);
}

/// An integer as a double that rounds to half and to bfloat16 as the integer itself would. Where digits are lost, the
/// last digit kept says whether any of them was nonzero (rounding to odd).
TALLY_HD constexpr double to_odd_double(std::uint64_t x)
{
  if (x >> 53 != 0) x = ((x >> 11) | ((x & 0x7ff) != 0 ? 1u : 0u)) << 11;
  return static_cast<double>(x);
}

/// A floating-point number in two bytes. Arithmetic is float's, rounded once. Float has more than twice the digits, so
/// every operation is correctly rounded (Figueroa 1995).
///
/// It converts to float exactly and implicitly, so comparisons, functions and mixed arithmetic are float's own.
/// Conversions to it are explicit, from arithmetic types of at most 64 bits and from any type that converts to float.
/// They round once, to nearest, ties to even.
template <class Format>
class storage_float {
public:
  storage_float() = default;

  template <class T>
    requires(std::is_convertible_v<T, float> && sizeof(T) <= 8)
  TALLY_HD explicit constexpr storage_float(T const& x)
  {
    if constexpr (std::is_same_v<T, double>)
      bits_ = narrow<Format, binary64>(__builtin_bit_cast(std::uint64_t, x));
    else if constexpr (std::is_same_v<T, bool>)
      bits_ = storage_float(x ? 1.0f : 0.0f).bits_;
    else if constexpr (std::is_unsigned_v<T>)
      bits_ = storage_float(to_odd_double(x)).bits_;
    else if constexpr (std::is_integral_v<T>)
      bits_ = x < 0 ? (-storage_float(to_odd_double(0 - static_cast<std::uint64_t>(x)))).bits_
                    : storage_float(to_odd_double(static_cast<std::uint64_t>(x))).bits_;
    else
      bits_ = narrow_float<Format>(static_cast<float>(x));
  }

  TALLY_HD static constexpr storage_float from_bits(std::uint16_t bits)
  {
    storage_float result{};
    result.bits_ = bits;
    return result;
  }
  TALLY_HD constexpr std::uint16_t bits() const { return bits_; }

  TALLY_HD constexpr operator float() const { return widen(Format{}, bits_); }

  TALLY_HD constexpr storage_float operator+() const { return *this; }
  TALLY_HD constexpr storage_float operator-() const { return from_bits(bits_ ^ Format::sign); }

  TALLY_HD friend constexpr storage_float operator+(storage_float a, storage_float b)
  {
    return storage_float(float(a) + float(b));
  }
  TALLY_HD friend constexpr storage_float operator-(storage_float a, storage_float b)
  {
    return storage_float(float(a) - float(b));
  }
  TALLY_HD friend constexpr storage_float operator*(storage_float a, storage_float b)
  {
    return storage_float(float(a) * float(b));
  }
  TALLY_HD friend constexpr storage_float operator/(storage_float a, storage_float b)
  {
    return storage_float(float(a) / float(b));
  }
  TALLY_HD constexpr storage_float& operator+=(storage_float b) { return *this = *this + b; }
  TALLY_HD constexpr storage_float& operator-=(storage_float b) { return *this = *this - b; }
  TALLY_HD constexpr storage_float& operator*=(storage_float b) { return *this = *this * b; }
  TALLY_HD constexpr storage_float& operator/=(storage_float b) { return *this = *this / b; }

private:
  std::uint16_t bits_;
};

template <class Format>
struct working<storage_float<Format>> {
  using type = float;
};

}  // namespace detail

/// IEEE 754 binary16: 11 significant bits, from 2^-24 to 65504.
using half = detail::storage_float<detail::binary16>;

/// The upper half of a float: 8 significant bits, the range of float.
using bfloat16 = detail::storage_float<detail::brain16>;

}  // namespace tally

template <class Format>
class std::numeric_limits<tally::detail::storage_float<Format>> {
  using number = tally::detail::storage_float<Format>;
  static constexpr number of(unsigned bits) noexcept { return number::from_bits(static_cast<std::uint16_t>(bits)); }

public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool is_iec559 = true;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;

  static constexpr int radix = 2;
  static constexpr int digits = Format::fraction_bits + 1;
  static constexpr int max_exponent = Format::bias + 1;
  static constexpr int min_exponent = 2 - Format::bias;
  // log10(2) = 0.30103
  static constexpr int digits10 = (digits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = digits * 30103 / 100000 + 2;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;

  static constexpr number min() noexcept { return of(1u << Format::fraction_bits); }
  static constexpr number max() noexcept { return of(Format::infinity - 1u); }
  static constexpr number lowest() noexcept { return -max(); }
  static constexpr number epsilon() noexcept { return number(1.0f / (1 << Format::fraction_bits)); }
  static constexpr number round_error() noexcept { return number(0.5f); }
  static constexpr number infinity() noexcept { return of(Format::infinity); }
  static constexpr number quiet_NaN() noexcept { return of(Format::infinity | Format::quiet); }
  static constexpr number signaling_NaN() noexcept { return of(Format::infinity | 1u); }
  static constexpr number denorm_min() noexcept { return of(1); }
};
