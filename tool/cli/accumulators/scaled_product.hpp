#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

/// Products of any number of doubles, without overflow or underflow, and their roots.
namespace tally::cli {

/// mantissa * 2^exponent, the product of `count` values; 0.5 <= mantissa < 1 unless the product is 0, infinite or NaN.
/// A negative value makes it NaN.
struct scaled_product {
  scaled_product() = default;
  explicit scaled_product(double value) : count(1)
  {
    int power = 0;
    mantissa = std::frexp(value < 0 ? std::numeric_limits<double>::quiet_NaN() : std::fabs(value), &power);
    exponent = std::isfinite(mantissa) ? power : 0;
  }

  double mantissa = 0.5;
  std::int64_t exponent = 1;
  std::int64_t count = 0;
};

struct multiply_scaled {
  scaled_product operator()(scaled_product const& a, scaled_product const& b) const
  {
    scaled_product out;
    out.mantissa = a.mantissa * b.mantissa;
    out.exponent = a.exponent + b.exponent;
    out.count = a.count + b.count;
    if (out.mantissa < 0.5) {
      out.mantissa *= 2;  // exact: the mantissa is the same whether or not it is scaled
      --out.exponent;
    }
    return out;
  }
  template <class>
  static constexpr scaled_product identity()
  {
    return {};
  }
};

/// The geometric mean: the nth root of the product of n values.
///
/// A first root by logarithms is corrected once by Newton's method, with a power of 106 bits. So it is the nearest
/// double to the root of the product but for rare ties, whichever library computes the logarithm.
struct finish_geometric_mean {
  double operator()(scaled_product const& product) const
  {
    std::int64_t const n = product.count;
    if (n == 0) return std::numeric_limits<double>::quiet_NaN();
    if (product.mantissa == 0 || !std::isfinite(product.mantissa)) return product.mantissa;
    std::int64_t whole = product.exponent / n;
    if (product.exponent % n < 0) --whole;
    std::int64_t const rest = product.exponent - whole * n;  // the root of mantissa * 2^rest is in [2^(-1/n), 2)
    double const root = std::exp2((std::log2(product.mantissa) + static_cast<double>(rest)) / static_cast<double>(n));
    power const all = power_of(root, n);
    double const target = std::ldexp(product.mantissa, static_cast<int>(rest - all.exponent));
    double const excess = ((target - all.high) - all.low) / all.high;  // the first difference is exact
    return std::ldexp(root + root * (excess / static_cast<double>(n)), static_cast<int>(whole));
  }

private:
  /// (high + low) * 2^exponent, with 0.5 <= high < 1.
  struct power {
    double high = 0.5;
    double low = 0;
    std::int64_t exponent = 1;
  };

  static power times(power const& a, power const& b)
  {
    double const product = a.high * b.high;
    double const rest = std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
    double const high = product + rest;
    int shift = 0;
    power out;
    out.high = std::frexp(high, &shift);
    out.low = std::ldexp(product - high + rest, -shift);
    out.exponent = a.exponent + b.exponent + shift;
    return out;
  }

  static power power_of(double base, std::int64_t n)
  {
    int shift = 0;
    power square;
    square.high = std::frexp(base, &shift);
    square.exponent = shift;
    power out;
    for (; n > 0; n /= 2) {
      if (n % 2 != 0) out = times(out, square);
      square = times(square, square);
    }
    return out;
  }
};

}  // namespace tally::cli
