#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

/// Helpers for tests of floating-point functions.
namespace tally {

/// Hides a value from the optimiser.
template <class T>
T opaque(T value)
{
  T volatile hidden = value;
  return hidden;
}

/// |value - exact| in units of the last place that `exact` has in the format T.
template <class T, class Wide>
double error_in_ulps(T value, Wide exact)
{
  int exponent = 0;
  std::frexp(exact, &exponent);
  using limits = std::numeric_limits<T>;
  int const last = std::max(exponent - limits::digits, limits::min_exponent - limits::digits);
  return static_cast<double>(std::ldexp(std::abs(static_cast<Wide>(value) - exact), -last));
}

/// A number that changes with any bit of f's values at 100000 places spread evenly over [least, greatest).
template <class T, class F>
std::uint64_t digest(F f, double least, double greatest)
{
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(7);
  std::uint64_t result = 0;
  for (int k = 0; k < 100000; ++k) {
    double const fraction = static_cast<double>(random() >> 41) * 0x1p-23;
    // The product is exact for a width of up to 30 bits, so it does not matter whether it is fused with the sum.
    T const argument = static_cast<T>(least + (greatest - least) * fraction);
    result = (result ^ __builtin_bit_cast(bits, f(argument))) * 0x9e3779b97f4a7c15u;
    result ^= result >> 32;
  }
  return result;
}

}  // namespace tally
