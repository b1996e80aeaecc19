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

/// Whether all numbers within 16 units of the last place of `sum` have one nearest float, if that is a normal one. A
/// float lacks 29 of the bits. They tell if they are not near half a float's last bit.
TALLY_HD inline bool is_far_from_ties(double sum)
{
  constexpr std::uint32_t half = std::uint32_t{1} << 28, near = 16;
  auto const bits = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, sum));
  return (bits & (2 * half - 1)) - (half - near) > 2 * near;
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
    // high + low is within one unit of `sum`, and `lost` below 8 units. A sum of floats below the least normal one has
    // none of the bits that tell, and any bound but 0 is too large for it.
    to = static_cast<float>(sum);
    return is_far_from_ties(sum) && of.lost <= ::fabs(sum) * 0x1p-50;
  } else {
    return false;
  }
}

/// A sum that is exact in a double.
struct plain_sum {
  double value = -0.0;

  TALLY_HD void add(double x) { value += x; }
  TALLY_HD void add(plain_sum const& other) { value += other.value; }
  TALLY_HD operator pair_sum() const { return {value, 0, 0}; }
};

/// The sizes of some floats: twice the bits of the largest, and those of the least but zero, less one. An exponent is
/// as in a float's bits, or one less.
struct float_sizes {
  std::uint32_t most = 0, least = ~std::uint32_t{0};

  TALLY_HD void add(float x)
  {
    std::uint32_t const twice = 2 * __builtin_bit_cast(std::uint32_t, x);
    most = most > twice ? most : twice;
    least = least < twice - 1 ? least : twice - 1;  // of zero the largest number
  }
  /// The exponents in 16 bits, and sizes that have them.
  TALLY_HD std::uint32_t exponents() const { return most >> 24 | least >> 24 << 8; }
  TALLY_HD static float_sizes of_exponents(std::uint32_t both) { return {both << 24, both >> 8 << 24}; }

  TALLY_HD int most_exponent() const { return static_cast<int>(most >> 24); }
  TALLY_HD int least_exponent() const { return static_cast<int>(least >> 24); }

  /// Whether sums of up to 1023 of these floats are exact in a double: whole multiples of a unit, which is that of the
  /// least one, and at most 2^52 units. Not if one is infinite or NaN.
  TALLY_HD bool have_plain_sums() const { return most < 0xff000000 && most_exponent() - least_exponent() <= 18; }

  /// Whether sums of up to 1023 of these floats and `before` are exact in a double, too: at most 2^51 units more.
  TALLY_HD bool have_plain_sums_on(pair_sum const& before) const
  {
    // (x + big) - big rounds x to a multiple of the unit, if x is at most 2^51 units.
    double const power = power_of_two(least_exponent() - 98), big = 1.5 * power;
    return before.low == 0 && before.lost == 0 && ::fabs(before.high) <= 0.5 * power &&
           (before.high + big) - big == before.high;
  }
  /// Whether `before` outweighs each sum of 17 of these floats, so that round_on_large can round the two together.
  TALLY_HD bool are_small_beside(pair_sum const& before) const
  {
    double const size = ::fabs(before.high);
    return size >= power_of_two(most_exponent() - 126 + 7) && size >= 0x1p-124 && size < 0x1p1000 &&
           ::fabs(before.low) <= size * 0x1p-20 && before.lost <= size * 0x1p-52;
  }

private:
  TALLY_HD static double power_of_two(int exponent)
  {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
};

/// Rounds high + low + sum, where `sum` is exact and at most a quarter of a sum before, which has lost little. The sum
/// here is within four units of the exact one: two roundings, one of them of the smaller part, and what was lost.
/// Returns false if that does not tell the result.
TALLY_HD inline bool round_on_large(double high, double low, double sum, float& to)
{
  double const all = high + (low + sum);
  to = static_cast<float>(all);
  return is_far_from_ties(all);
}

/// The same of any sizes: `sum` is exact, nothing was lost, and `low` is at most half of high's last unit. What is
/// rounded is exact, or within two units of the exact sum: where high + sum cancels, it has no error. Returns false too
/// if the result is a zero, whose sign this does not tell, or may not be a normal float.
TALLY_HD inline bool round_beside(double high, double low, double sum, float& to)
{
  auto const [next, error] = two_sum(high, sum);
  double const rest = low + error, all = rest == 0 ? next : next + rest;
  to = static_cast<float>(all);
  auto const upper = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, all) >> 32) & 0x7fffffffu;
  return rest == 0 ? all != 0 : is_far_from_ties(all) && upper >= (1023u - 125) << 20;
}

}  // namespace tally::detail::exact
