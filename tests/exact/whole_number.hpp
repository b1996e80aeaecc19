#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "../support/float_format.hpp"

/// An oracle of exact sums that shares nothing with the library: whole numbers of any size, and the definition of the
/// nearest number.
namespace tally::test {

/// A whole number in two's complement: of 2^-2200, to hold sums and products of doubles.
class whole_number {
public:
  static constexpr int unit = -2200;
  static constexpr std::size_t words = 4500 / 32;

  whole_number() = default;

  /// value * 2^exponent.
  static whole_number scaled(std::int64_t value, int exponent)
  {
    whole_number result;
    std::size_t const shift = static_cast<std::size_t>(exponent - unit);
    std::uint64_t const magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    for (std::size_t bit = 0; bit < 64; ++bit)
      if ((magnitude >> bit & 1) != 0) result.word_[(shift + bit) / 32] |= std::uint32_t{1} << (shift + bit) % 32;
    return value < 0 ? -result : result;
  }
  /// A finite number.
  static whole_number of(double x)
  {
    int exponent = 0;
    double const fraction = std::frexp(x, &exponent);
    return scaled(static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53);
  }

  friend whole_number operator+(whole_number const& a, whole_number const& b)
  {
    whole_number sum;
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < words; ++k) {
      carry += std::uint64_t{a.word_[k]} + b.word_[k];
      sum.word_[k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }
  whole_number operator-() const
  {
    whole_number negative;
    std::uint64_t carry = 1;
    for (std::size_t k = 0; k < words; ++k) {
      carry += static_cast<std::uint32_t>(~word_[k]);
      negative.word_[k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return negative;
  }
  friend whole_number operator-(whole_number const& a, whole_number const& b) { return a + -b; }
  whole_number& operator+=(whole_number const& other) { return *this = *this + other; }
  /// Times a small number.
  whole_number times(std::uint64_t n) const
  {
    whole_number sum, power = *this;
    for (; n != 0; n >>= 1, power += whole_number(power))
      if ((n & 1) != 0) sum += power;
    return sum;
  }

  int sign() const
  {
    if (word_.back() >> 31 != 0) return -1;
    for (std::uint32_t const each : word_)
      if (each != 0) return 1;
    return 0;
  }

private:
  std::array<std::uint32_t, words> word_{};
};

/// The neighbours of a number, by its bits.
template <class T>
struct neighbours {
  T operator()(T x, int side) const
  {
    auto bits = bits_of(x);
    using B = decltype(bits);
    B const sign = static_cast<B>(B(1) << (8 * sizeof(B) - 1));
    if ((bits & ~sign) == 0) return from(side > 0 ? B(1) : static_cast<B>(sign | 1));
    bool const grows = ((bits & sign) == 0) == (side > 0);
    return from(static_cast<B>(grows ? bits + 1 : bits - 1));
  }
  bool is_even(T x) const { return (bits_of(x) & 1) == 0; }

private:
  template <class B>
  static T from(B bits)
  {
    return std::bit_cast<T>(bits);
  }
};

/// Whether `candidate` is the T nearest to sum / n, ties to even. Zeros are right with any sign.
template <class T, class Next>
bool is_nearest(whole_number const& sum, std::uint64_t n, T candidate, Next const& next)
{
  using limits = std::numeric_limits<T>;
  double const largest = static_cast<double>(limits::max());
  double const x = static_cast<double>(candidate);
  if (x != x) return false;
  bool const infinite = x > largest || x < -largest;
  // The largest number and half a unit: from there on a sum is infinite.
  double const unit = largest - static_cast<double>(next(limits::max(), -1));
  whole_number const edge = whole_number::of(largest).times(2) + whole_number::of(unit);
  auto const twice = (sum + sum);
  if (infinite) return ((x > 0 ? twice : -twice) - edge.times(n)).sign() >= 0;
  // 2 * |sum - n * x| <= n * (the distance to the neighbour), and x is even where they are equal.
  whole_number const difference = sum - whole_number::of(x).times(n);
  int const side = difference.sign();
  if (side == 0) return true;
  double const neighbour = static_cast<double>(next(candidate, side));
  bool const beyond = neighbour > largest || neighbour < -largest;
  whole_number const distance = beyond ? whole_number::of(unit)
                                       : (side > 0 ? whole_number::of(neighbour) - whole_number::of(x)
                                                   : whole_number::of(x) - whole_number::of(neighbour));
  whole_number const magnitude = side > 0 ? difference : -difference;
  int const order = (distance.times(n) - magnitude.times(2)).sign();
  if (order != 0) return order > 0;
  if (beyond) return false;  // half-way to infinity rounds to it
  return next.is_even(candidate);
}

}  // namespace tally::test
