#pragma once

#include <cmath>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/arithmetic.hpp"

/// exp with the same bits everywhere. The standard library's differs between platforms, processors and GPUs.
namespace tally::detail::elementary {

/// The constants of IEEE 754's formats that exponentials and logarithms use.
template <class T>
struct exponential_format {
  static constexpr bool known = false;
};

template <>
struct exponential_format<float> {
  static constexpr bool known = true;
  using bits = std::uint32_t;
  static constexpr int fraction_bits = 23;
  static constexpr int bias = 127;
  static constexpr float ln2_high = 0x1.62e4p-1f;  // 15 bits: its products with 9 bits are exact
  static constexpr float ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float largest_logarithm = 0x1.62e42ep+6f;  // exp of the next float overflows
  static constexpr float smallest_logarithm = -104;           // below it, exp is less than half of the smallest float
};

template <>
struct exponential_format<double> {
  static constexpr bool known = true;
  using bits = std::uint64_t;
  static constexpr int fraction_bits = 52;
  static constexpr int bias = 1023;
  static constexpr double ln2_high = 0x1.62e42fefa38p-1;  // 42 bits: its products with 11 bits are exact
  static constexpr double ln2_low = 0x1.ef35793c7673p-45;
  static constexpr double largest_logarithm = 0x1.62e42fefa39efp+9;
  static constexpr double smallest_logarithm = -746;
};

/// 2^k, a normal number.
template <class T>
TALLY_HD constexpr T power_of_two(int k)
{
  using format = exponential_format<T>;
  using bits = typename format::bits;
  return __builtin_bit_cast(T, static_cast<bits>(k + format::bias) << format::fraction_bits);
}

/// (exp(r) - 1 - r) / r^2 = 1/2! + r/3! + r^2/4! + ... where |r| <= log(2)/2: Taylor's series, cut off
/// where the rest is less than 1/20 ulp of exp(r). Its terms are added in pairs and pairs of pairs, which the processor
/// computes side by side.
TALLY_HD constexpr float exponential_series(float r)
{
  float const r2 = r * r;
  float const low = plus_product(plus_product(1.0f / 2, r, 1.0f / 6), r2, plus_product(1.0f / 24, r, 1.0f / 120));
  float const high = plus_product(plus_product(1.0f / 720, r, 1.0f / 5040), r2, 1.0f / 40320);
  return plus_product(low, r2 * r2, high);
}
TALLY_HD constexpr double exponential_series(double r)
{
  double const r2 = r * r;
  double const r4 = r2 * r2;
  double const low = plus_product(plus_product(1.0 / 2, r, 1.0 / 6), r2, plus_product(1.0 / 24, r, 1.0 / 120));
  double const middle =
      plus_product(plus_product(1.0 / 720, r, 1.0 / 5040), r2, plus_product(1.0 / 40320, r, 1.0 / 362880));
  double const high = plus_product(plus_product(1.0 / 3628800, r, 1.0 / 39916800), r2,
                                   plus_product(1.0 / 479001600, r, 1.0 / 6227020800));
  return plus_product(plus_product(low, r4, middle), r4 * r4, high);
}

/// exp(x) for every x, infinity and NaN included; results may be subnormal.
///
/// Equation  exp(x) = 2^k exp(r) with k the integer nearest to x/log(2) and r = x - k log(2), |r| <= log(2)/2
/// Bits      the same for every compiler, processor and GPU, and in constant expressions: the computation is a fixed
///           order of sums, differences and products, each rounded to nearest. A NaN's sign and payload are
///           unspecified. This holds for float and double; the exp of `long double` is the platform's.
/// Error     less than 1 ulp. Floats: 0.78 at most, over all of them, and exp grows with its argument.
///           Doubles: 0.75 at most among 10^8, and 0.81 where the result is subnormal.
/// Source    Cody, Waite, Software manual for the elementary functions (1980): log(2) in two parts, of which the first
///           times k is exact; Dekker, A floating-point technique for extending the available precision (1971): 1 + r
template <class T>
TALLY_HD constexpr T exponential(T x)
{
  using format = exponential_format<T>;
  if constexpr (!format::known) {
    return std::exp(x);
  } else {
    using bits = typename format::bits;
    if (!(x <= format::largest_logarithm)) return x != x ? x : greatest<T>;
    if (x < format::smallest_logarithm) return T(0);

    constexpr T integers =
        static_cast<T>(bits(3) << (format::fraction_bits - 1));  // its ulp is 1: adding it rounds to an integer
    constexpr T log2_e = static_cast<T>(0x1.71547652b82fep+0);
    constexpr T ln2_high = format::ln2_high;  // local: device code cannot take a member's address
    constexpr T ln2_low = format::ln2_low;
    T const multiple = (integers + rounded_product(x, log2_e)) - integers;
    T const high = x - rounded_product(multiple, ln2_high);  // exact
    T const low = rounded_product(multiple, ln2_low);
    T const r = high - low;

    // exp(r) = 1 + r + r^2 (..). `rest` restores the part that 1 + high rounds off.
    T const sum = T(1) + high;
    T const rest = (high - (sum - T(1))) - low;
    T const value = sum + plus_product(rest, r * r, exponential_series(r));

    int const k = static_cast<int>(multiple);
    if (k >= 2 - format::bias)  // normal, since value > 1/2
      return __builtin_bit_cast(T, __builtin_bit_cast(bits, value) + (static_cast<bits>(k) << format::fraction_bits));
    return rounded_product(value * power_of_two<T>(k + 64), power_of_two<T>(-64));  // only the last product rounds
  }
}

}  // namespace tally::detail::elementary
