#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/elementary/exponential.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/arithmetic.hpp"

/// log with the same bits everywhere. The standard library's differs between platforms, processors and GPUs.
namespace tally::detail::elementary {

/// log(x) for every x: -infinity of zeros, NaN of negative numbers.
///
/// Equation  log(x) = k log(2) + log(1 + f) with x = 2^k (1 + f), |f| < sqrt(2) - 1;
///           log(1 + f) = 2 artanh(s) = f - f^2/2 + s (f^2/2 + R) with s = f / (2 + f),
///           R = 2 s^2/3 + 2 s^4/5 + .. + 2 s^20/21, with a rest below 1/100 ulp
/// Bits      the same for every compiler, processor and GPU, and in constant expressions: the computation is a fixed
///           order of sums, differences, products and one quotient, each rounded to nearest. A NaN's sign and payload
///           are unspecified.
/// Error     less than 1 ulp. Among 10^8 arguments it is 0.86 at most, just above x = 0.7, and 0.85 from x = 1 on.
/// Source    Cody, Waite, Software manual for the elementary functions (1980): log(2) in two parts, of which the first
///           times k is exact; Dekker, A floating-point technique for extending the available precision (1971):
///           k log(2) + f
TALLY_HD constexpr double logarithm(double x)
{
  using format = exponential_format<double>;
  constexpr double ln2_high = format::ln2_high;  // local: device code cannot take a member's address
  constexpr double ln2_low = format::ln2_low;
  if (!(x > 0)) return x == 0 ? least<double> : x < 0 ? not_a_number<double> : x;
  if (x == greatest<double>) return x;
  bool const subnormal = x < power_of_two<double>(1 - format::bias);
  double const normal = x * (subnormal ? power_of_two<double>(64) : 1.0);
  auto const bits = __builtin_bit_cast(std::int64_t, normal);
  // k is chosen so that sqrt(1/2) <= x / 2^k < sqrt(2). Positive numbers and their bits are in the same order.
  std::int64_t const k = (bits - __builtin_bit_cast(std::int64_t, 0x1.6a09e667f3bcdp-1)) >> format::fraction_bits;
  double const f = __builtin_bit_cast(double, bits - k * (std::int64_t(1) << format::fraction_bits)) - 1.0;  // exact
  double const multiple = static_cast<double>(subnormal ? k - 64 : k);

  double const s = f / (2.0 + f);
  double const s2 = s * s;
  double series = 2.0 / 21;
  for (int n = 19; n >= 3; n -= 2) series = plus_product(2.0 / n, s2, series);
  double const half_square = rounded_product(0.5 * f, f);
  double const correction = rounded_product(s, plus_product(half_square, s2, series));

  double const high = rounded_product(multiple, ln2_high);  // exact
  double const sum = high + f;
  double const rest = (high - sum) + f;
  return sum + ((rest - half_square) + plus_product(correction, multiple, ln2_low));
}

/// The platform's log, for `long double` and types like it.
template <class T>
  requires(!std::is_same_v<T, float>)
TALLY_HD constexpr T logarithm(T x)
{
  return std::log(x);
}

}  // namespace tally::detail::elementary
