#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"

/// Sums held by two doubles and a bound, and their rounding.
namespace tally::detail::exact {

/// a + b = sum + error, exactly, unless that overflows.
struct sum_and_error {
  double sum, error;
};
/// Source    Knuth, The art of computer programming, volume 2, section 4.2.2, theorem B.
TALLY_HD inline sum_and_error two_sum(double a, double b)
{
  double const sum = a + b;
  double const b_part = sum - a, a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

/// T has fewer than half of double's digits. So it is rounded as from sum + rest, with rest below the last digit of the
/// sum, if a sum that has a rest is made odd in its last digit, on the side of the rest.
/// Source    Boldo and Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd
///           (2008).
TALLY_HD inline double made_odd(double sum, double rest)
{
  auto bits = __builtin_bit_cast(std::uint64_t, sum);
  std::uint64_t const step = (rest > 0) == (sum > 0) ? 1 : ~std::uint64_t{0};
  bits += rest != 0 && (bits & 1) == 0 ? step : 0;
  return __builtin_bit_cast(double, bits);
}

/// The sum of some terms: it is within `lost` of high + low, but for the roundings of `lost` itself, which are less
/// than a thousandth of it. `lost` is what additions dropped. It is 0 as long as two doubles hold the sum. It is NaN or
/// infinite if a term was, or if a sum overflowed. The sign of a sum of zeros is that of `high`.
struct pair_sum {
  double high = -0.0, low = 0, lost = 0;

  TALLY_HD void add(double x)
  {
    auto const [next, error] = two_sum(high, x);
    auto const [all, rest] = two_sum(low, error);
    high = next;
    low = all;
    lost += ::fabs(rest);
  }
  TALLY_HD void add(pair_sum const& other)
  {
    auto const [next, error] = two_sum(high, other.high);
    auto const [lows, first] = two_sum(low, other.low);
    auto const [all, second] = two_sum(lows, error);
    high = next;
    low = all;
    lost = (lost + other.lost) + (::fabs(first) + ::fabs(second));
  }
};

/// The sum high + low as a T, if it is finite. Of two that cancel it is +0; of zeros it is a zero of the sign of
/// `high`.
template <class T>
TALLY_HD T rounded(double high, double low)
{
  auto const [nearest, rest] = two_sum(high, low);
  double const sum = nearest == 0 && high == 0 ? high : nearest;
  if constexpr (std::is_same_v<T, double>)
    return sum;
  else
    return static_cast<T>(made_odd(sum, rest));
}

/// The same of a sum that is within `lost` of high + low. Returns false if that does not tell the result.
template <class T>
TALLY_HD bool rounded(double high, double low, double lost, T& to)
{
  auto const [nearest, rest] = two_sum(high, low);
  if (!(nearest - nearest == 0)) return false;
  if (lost == 0) {
    to = rounded<T>(high, low);
    return true;
  }
  if (nearest == 0) return false;
  // More than what was lost and the roundings of this test.
  double const slack = lost * 1.001 + ::fabs(rest) * 0x1p-50;
  if constexpr (std::is_same_v<T, double>) {
    to = nearest;
    return nearest + (rest + slack) == nearest && nearest + (rest - slack) == nearest;
  } else {
    to = static_cast<T>(made_odd(nearest, rest));
    return ::fabs(rest) > slack;
  }
}

/// The same, in few operations, which may not tell the result where more would.
template <class T>
TALLY_HD bool rounded_quickly(pair_sum const& of, T& to)
{
  // Not by high + low alone: of -0 and 0 that is 0.
  double const sum = of.low == 0 ? of.high : of.high + of.low;
  if constexpr (std::is_same_v<T, double>) {
    to = sum;
    return of.lost == 0 ? sum - sum == 0 : rounded(of.high, of.low, of.lost, to);
  } else if constexpr (std::is_same_v<T, float>) {
    // A float lacks 29 of the bits. They tell if they are not within 16 units of half a float's last bit: high + low is
    // within one unit of `sum`, and `lost` below 8 units. A sum of floats below the least normal one has none of these
    // bits, and any bound but 0 is too large for it.
    constexpr std::uint32_t half = std::uint32_t{1} << 28, near = 16;
    auto const bits = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, sum));
    to = static_cast<float>(sum);
    return (bits & (2 * half - 1)) - (half - near) > 2 * near && of.lost <= ::fabs(sum) * 0x1p-50;
  } else {
    return false;
  }
}

}  // namespace tally::detail::exact
