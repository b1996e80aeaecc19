#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tally/config.hpp"

/// Sums without rounding: numbers whose fixed point has room on both sides for every term.
namespace tally::detail::exact {

/// A finite number as significand * 2^exponent.
struct parts {
  std::int64_t significand;  ///< below 2^53
  int exponent;
};

/// The number of bits of x up to its leading one.
TALLY_HD constexpr int width(std::uint64_t x)
{
  int bits = 0;
  for (int step = 32; step != 0; step /= 2) {
    if (x >> step == 0) continue;
    bits += step;
    x >>= step;
  }
  return bits + (x != 0 ? 1 : 0);
}

TALLY_HD constexpr parts parts_of(double x)
{
  auto const bits = __builtin_bit_cast(std::uint64_t, x);
  int const field = static_cast<int>(bits >> 52 & 0x7ff);
  auto const fraction = static_cast<std::int64_t>(bits & 0xfffffffffffff);
  std::int64_t const magnitude = field == 0 ? fraction : fraction | std::int64_t{1} << 52;
  return {(bits >> 63) != 0 ? -magnitude : magnitude, (field == 0 ? 1 : field) - 1075};
}

/// significand * 2^exponent, which is a double.
TALLY_HD constexpr double to_double(std::uint64_t significand, int exponent)
{
  if (significand == 0) return 0;
  int up = 53 - width(significand);
  if (exponent - up < -1074) up = exponent + 1074;  // subnormal
  significand = up >= 0 ? significand << up : significand >> -up;
  int const least = exponent - up;
  std::uint64_t const fraction = significand & ((std::uint64_t{1} << 52) - 1);
  std::uint64_t const field = fraction == significand ? 0 : static_cast<std::uint64_t>(least + 1075);
  return __builtin_bit_cast(double, field << 52 | fraction);
}

/// Magnitudes rounded to nearest, ties to even: significand * 2^exponent, 0 for 0. The significand may be 2^precision.
struct rounded_magnitude {
  std::uint64_t significand;
  int exponent;
};

/// Numbers of `count` digits in memory, the lowest first: digit i is a whole number of units of 2^(32 i).
namespace digits_of {

inline constexpr int spacing = 32;
inline constexpr std::int64_t mask = 0xffffffff;

/// Gives equal sums equal digits: all but the last in [0, 2^32).
template <class Digit>
TALLY_HD constexpr void carry(Digit* digit, int count)
{
  for (int i = 0; i + 1 < count; ++i) {
    digit[i + 1] += digit[i] >> spacing;
    digit[i] &= mask;
  }
}

template <class Digit>
TALLY_HD constexpr void negate(Digit* digit, int count)
{
  for (int i = 0; i < count; ++i) digit[i] = -digit[i];
}

/// -1, 0 or 1, after carry().
template <class Digit>
TALLY_HD constexpr int sign(Digit const* digit, int count)
{
  if (digit[count - 1] < 0) return -1;
  for (int i = count; i-- > 0;)
    if (digit[i] != 0) return 1;
  return 0;
}

template <class Digit>
TALLY_HD constexpr std::uint64_t word(Digit const* digit, int count, int i)
{
  return i < count ? static_cast<std::uint64_t>(digit[i]) & mask : 0;
}
/// The 64 bits from number `first` on.
template <class Digit>
TALLY_HD constexpr std::uint64_t bits_from(Digit const* digit, int count, int first)
{
  int const at = first / spacing, shift = first % spacing;
  std::uint64_t const low = word(digit, count, at) | word(digit, count, at + 1) << spacing;
  return shift == 0 ? low : low >> shift | word(digit, count, at + 2) << (64 - shift);
}
template <class Digit>
TALLY_HD constexpr bool any_below(Digit const* digit, int count, int position)
{
  int const at = position / spacing;
  for (int i = 0; i < at && i < count; ++i)
    if (digit[i] != 0) return true;
  return (word(digit, count, at) & ((std::uint64_t{1} << position % spacing) - 1)) != 0;
}

/// The magnitude of a number that is not negative, after carry(), in `precision` bits and whole multiples of 2^least.
/// The lowest digit is worth 2^lowest; `precision` is at most 62.
template <class Digit>
TALLY_HD constexpr rounded_magnitude rounded(Digit const* digit, int count, int lowest, int precision, int least)
{
  int top = count - 1;
  while (top > 0 && digit[top] == 0) --top;
  int const highest = top * spacing + width(static_cast<std::uint64_t>(digit[top])) - 1;  // of the leading bit
  if (highest < 0) return {0, 0};
  int last = highest - precision + 1;  // of the result's last bit
  if (last < least - lowest) last = least - lowest;
  if (last <= 0) return {bits_from(digit, count, 0), lowest};
  std::uint64_t significand = bits_from(digit, count, last);
  bool const half = (bits_from(digit, count, last - 1) & 1) != 0;
  if (half && ((significand & 1) != 0 || any_below(digit, count, last - 1))) ++significand;
  return {significand, last + lowest};
}

}  // namespace digits_of

/// A sum of numbers of the form integer * 2^exponent, where exponent >= Lowest and the numbers are below 2^Highest:
/// exact while there are fewer than 2^63 of them. Digits have 32 bits, and 31 more for the carries of later.
///
/// Source    Kulisch, Arithmetic and its applications (2013): the complete register; digits that carry late are Neal's
///           (Fast exact summation using small and large superaccumulators, 2015).
template <int Lowest, int Highest>
class fixed_point {
public:
  static constexpr int spacing = digits_of::spacing;
  static constexpr int lowest = Lowest;
  static constexpr int digits = (Highest - Lowest + 64 + spacing - 1) / spacing + 2;

  /// Adds value * 2^exponent.
  ///
  /// Requires  |value| <= 2^62, and a product that is a whole multiple of 2^Lowest below 2^(Highest + 62).
  TALLY_HD constexpr void add(std::int64_t value, int exponent)
  {
    if (exponent < Lowest) {  // whole multiples of 2^Lowest: the bits below are zeros
      value >>= Lowest - exponent < 63 ? Lowest - exponent : 63;
      exponent = Lowest;
    }
    int const position = exponent - Lowest, at = position / spacing, shift = position % spacing;
    // value * 2^shift has up to 94 bits: two numbers of 64.
    auto const bits = static_cast<std::uint64_t>(value);
    std::uint64_t const low = bits << shift;
    std::int64_t const high = shift == 0 ? (value < 0 ? -1 : 0) : value >> (64 - shift);
    digit_[at] += static_cast<std::int64_t>(low & mask);
    digit_[at + 1] += static_cast<std::int64_t>(low >> spacing);
    digit_[at + 2] += high;
    if (++pending_ >= most_pending) carry();
  }

  TALLY_HD constexpr void add(fixed_point const& other)
  {
    if (pending_ + other.pending_ >= most_pending) carry();
    if (pending_ + other.pending_ >= most_pending) {
      fixed_point carried = other;
      carried.carry();
      add(carried);
      return;
    }
    for (int i = 0; i < digits; ++i) digit_[i] += other.digit_[i];
    pending_ += other.pending_;
  }

  /// The same of a sum in a narrower range.
  template <int L, int H>
    requires(L >= Lowest && H <= Highest && (L != Lowest || H != Highest))
  TALLY_HD constexpr void add(fixed_point<L, H> const& other)
  {
    for (int i = 0; i < other.digits; ++i)
      if (other.digit(i) != 0) add(other.digit(i), L + i * spacing);
  }

  TALLY_HD constexpr void negate() { digits_of::negate(digit_, digits); }

  /// Gives equal sums equal digits: all but the last in [0, 2^32).
  TALLY_HD constexpr void carry()
  {
    digits_of::carry(digit_, digits);
    pending_ = 1;
  }

  TALLY_HD constexpr std::int64_t digit(int i) const { return digit_[i]; }
  /// For sums that another program stored: the digits of a sum after carry().
  TALLY_HD constexpr void set_digit(int i, std::int64_t value) { digit_[i] = value; }

  /// -1, 0 or 1, after carry().
  TALLY_HD constexpr int sign() const { return digits_of::sign(digit_, digits); }

  /// The magnitude of a sum that is not negative, after carry(), rounded to `precision` bits, at most 62, and to whole
  /// multiples of 2^least.
  TALLY_HD constexpr rounded_magnitude rounded(int precision, int least) const
  {
    return digits_of::rounded(digit_, digits, Lowest, precision, least);
  }

private:
  static constexpr std::int64_t mask = digits_of::mask;
  /// A term adds less than 2^32 to a digit.
  static constexpr std::uint32_t most_pending = std::uint32_t{1} << 30;

  std::int64_t digit_[digits] = {};
  std::uint32_t pending_ = 0;
};

/// Kinds of terms that a sum has seen, besides finite numbers: bits of a set.
namespace terms {
inline constexpr std::uint8_t nan = 1;
inline constexpr std::uint8_t infinity = 2;
inline constexpr std::uint8_t minus_infinity = 4;
inline constexpr std::uint8_t minus_zero = 8;
inline constexpr std::uint8_t others = 16;  ///< anything but -0

TALLY_HD constexpr bool have_nan(std::uint8_t kinds)
{
  constexpr std::uint8_t both = infinity | minus_infinity;
  return (kinds & nan) != 0 || (kinds & both) == both;
}
TALLY_HD constexpr bool are_finite(std::uint8_t kinds)
{
  return (kinds & (nan | infinity | minus_infinity)) == 0;
}
}  // namespace terms

/// Not in the functions that need them: device code may use constants, but call no function of the standard library.
inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The sum of terms that are not all finite.
template <class T>
TALLY_HD constexpr T not_finite(std::uint8_t kinds)
{
  if (terms::have_nan(kinds)) return static_cast<T>(not_a_number);
  return static_cast<T>((kinds & terms::infinity) != 0 ? infinite : -infinite);
}

/// A rounded magnitude with its sign as a T; `kinds` are those of the terms.
template <class T>
TALLY_HD constexpr T rounded_to(rounded_magnitude const& magnitude, bool negative, std::uint8_t kinds)
{
  using limits = std::numeric_limits<T>;
  auto const [significand, exponent] = magnitude;
  // A magnitude that is too small for T becomes a zero of its own sign.
  if (significand == 0) return static_cast<T>(negative || kinds == terms::minus_zero ? -0.0 : 0.0);
  double const value =
      exponent + width(significand) > limits::max_exponent ? infinite : to_double(significand, exponent);
  return static_cast<T>(negative ? -value : value);
}

/// A sum of floating-point numbers from 2^Lowest to below 2^Highest, with its infinities, NaNs and signs of zero.
template <int Lowest, int Highest>
class floating_sum {
public:
  using numbers = fixed_point<Lowest, Highest>;

  /// Adds a finite number.
  TALLY_HD constexpr void add_finite(double x)
  {
    parts const of = parts_of(x);
    note(of.significand == 0 && (__builtin_bit_cast(std::uint64_t, x) >> 63) != 0 ? terms::minus_zero : terms::others);
    numbers_.add(of.significand, of.exponent);
  }
  TALLY_HD constexpr void add(double x)
  {
    if (x - x == 0)
      add_finite(x);
    else
      note(static_cast<std::uint8_t>(terms::others | (x != x  ? terms::nan
                                                      : x > 0 ? terms::infinity
                                                              : terms::minus_infinity)));
  }
  /// Adds value * 2^exponent, a sum of some terms. What they were is noted by `note`.
  TALLY_HD constexpr void add_scaled(std::int64_t value, int exponent) { numbers_.add(value, exponent); }
  TALLY_HD constexpr void note(std::uint8_t kinds) { kinds_ |= kinds; }

  TALLY_HD constexpr void add(floating_sum const& other)
  {
    numbers_.add(other.numbers_);
    kinds_ |= other.kinds_;
  }
  /// Adds the negatives of the other's terms.
  TALLY_HD constexpr void subtract(floating_sum other)
  {
    other.negate();
    add(other);
  }
  TALLY_HD constexpr void negate()
  {
    numbers_.negate();
    // The negative of a sum of -0 alone is one of +0; +0 is one of the others.
    std::uint8_t turned = kinds_ & (terms::nan | terms::others);
    if ((kinds_ & terms::infinity) != 0) turned |= terms::minus_infinity;
    if ((kinds_ & terms::minus_infinity) != 0) turned |= terms::infinity;
    if ((kinds_ & terms::minus_zero) != 0) turned |= terms::others;
    kinds_ = turned;
  }

  TALLY_HD constexpr std::uint8_t kinds() const { return kinds_; }
  TALLY_HD constexpr bool is_nan() const { return terms::have_nan(kinds_); }
  TALLY_HD constexpr bool is_finite() const { return terms::are_finite(kinds_); }
  /// The same sum, with digits as equal sums have them.
  TALLY_HD constexpr floating_sum carried() const
  {
    floating_sum result = *this;
    result.numbers_.carry();
    return result;
  }
  TALLY_HD constexpr numbers const& all() const { return numbers_; }
  TALLY_HD constexpr numbers& all() { return numbers_; }

  /// The nearest T, ties to even.
  template <class T>
  TALLY_HD constexpr T nearest() const
  {
    if (!is_finite()) return not_finite<T>(kinds_);
    numbers magnitude = numbers_;
    bool const negative = made_positive(magnitude);
    return nearest_of<T>(magnitude, negative);
  }

  /// The T nearest to the sum divided by n, ties to even. Of n = 0: NaN.
  template <class T>
  TALLY_HD constexpr T nearest_quotient(std::uint64_t n) const
  {
    if (n == 0) return std::numeric_limits<T>::quiet_NaN();
    if (!is_finite()) return not_finite<T>(kinds_);
    numbers magnitude = numbers_;
    bool const negative = made_positive(magnitude);
    // One more digit than the sum has: it tells to which side of a tie the quotient lies, with a last bit that stands
    // for all bits behind it.
    fixed_point<Lowest - numbers::spacing, Highest> quotient;
    std::uint64_t rest = 0;
    for (int i = numbers::digits; i >= 0; --i) {
      auto const digit = i == 0 ? 0 : static_cast<std::uint64_t>(magnitude.digit(i - 1));
      std::int64_t result = 0;
      for (int bit = numbers::spacing; bit-- > 0;) {
        bool const above = rest >> 63 != 0;
        rest = rest << 1 | (digit >> bit & 1);
        bool const fits = above || rest >= n;
        if (fits) rest -= n;
        result = result << 1 | (fits ? 1 : 0);
      }
      quotient.set_digit(i, result);
    }
    if (rest != 0) quotient.set_digit(0, quotient.digit(0) | 1);
    return nearest_of<T>(quotient, negative);
  }

  /// Adds a sum in a narrower range.
  template <int L, int H>
  TALLY_HD constexpr void add(floating_sum<L, H> const& other)
  {
    numbers_.add(other.all());
    kinds_ |= other.kinds();
  }

private:
  TALLY_HD static constexpr bool made_positive(numbers& all)
  {
    all.carry();
    if (all.sign() >= 0) return false;
    all.negate();
    all.carry();
    return true;
  }
  template <class T, class Numbers>
  TALLY_HD constexpr T nearest_of(Numbers const& magnitude, bool negative) const
  {
    using limits = std::numeric_limits<T>;
    return rounded_to<T>(magnitude.rounded(limits::digits, limits::min_exponent - limits::digits), negative, kinds_);
  }

  numbers numbers_;
  std::uint8_t kinds_ = 0;
};

/// The sums of floats, of halfs and bfloat16s, which are floats too, and of doubles.
template <class T>
using sum_of = std::conditional_t<std::is_same_v<T, double>, floating_sum<-1074, 1024>, floating_sum<-149, 128>>;

}  // namespace tally::detail::exact
