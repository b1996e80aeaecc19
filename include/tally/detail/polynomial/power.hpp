#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/detail/elementary/rounding.hpp"
#include "tally/detail/path.hpp"

/// Powers that are rounded once.
namespace tally::detail::polynomial {

/// A product of two doubles as the sum of two: `low` is the part that rounding took off `high`.
struct double_pair {
  double high;
  double low;

  static double_pair product_of(double a, double b)
  {
    auto const upper_half = [](double x) {
      double const shifted = elementary::rounded_product(x, 134217729.0);  // 2^27 + 1
      return shifted - (shifted - x);
    };
    double const high = elementary::rounded_product(a, b);
    double const a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
    double const rest = elementary::rounded_product(a1, b1) - high + elementary::rounded_product(a1, b2) +
                        elementary::rounded_product(a2, b1);
    return {high, rest + elementary::rounded_product(a2, b2)};
  }
};

/// x^n; of float and double it is rounded once. A factor that is multiplied by again and again contributes its error
/// each time, and all these errors are alike.
template <class T>
T power_of(T x, std::size_t n)
{
  if constexpr (std::is_same_v<T, float>) {
    took("power: in double");
    double all = 1, power = static_cast<double>(x);
    for (; n != 0; n /= 2, power *= power)
      if (n % 2 == 1) all *= power;
    return static_cast<T>(all);
  } else if constexpr (std::is_same_v<T, double>) {
    auto const product = [](double_pair const& a, double_pair const& b) {
      double_pair all = double_pair::product_of(a.high, b.high);
      all.low += elementary::rounded_product(a.high, b.low) + elementary::rounded_product(a.low, b.high);
      double const sum = all.high + all.low;
      return double_pair{sum, all.low - (sum - all.high)};
    };
    double_pair all{1, 0}, power{x, 0};
    for (std::size_t rest = n; rest != 0; rest /= 2, power = product(power, power))
      if (rest % 2 == 1) all = product(all, power);
    // Beyond the range in which a double can be halved, plain products are as good.
    bool const in_range = all.high - all.high == 0;
    took(in_range ? "power: in pairs" : "power: beyond the range of pairs");
    if (in_range) return all.high;
  }
  took("power: plain products");
  T all = T(1);
  for (; n != 0; n /= 2, x = elementary::rounded_product(x, x))
    if (n % 2 == 1) all = elementary::rounded_product(all, x);
  return all;
}

}  // namespace tally::detail::polynomial
