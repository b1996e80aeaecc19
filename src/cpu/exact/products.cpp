#include "tally/detail/exact/products.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tally/detail/exact/kernels.hpp"
#include "tally/detail/path.hpp"

namespace tally::detail::exact {

namespace {

/// The upper 26 bits of x. |x| is below 2^996.
double upper_half(double x)
{
  double const shifted = x * 0x1.0000002p27;  // 2^27 + 1
  return shifted - (shifted - x);
}

/// Adds x * y by whole numbers.
void add_product(double x, double y, sum_of_products& sum)
{
  double const product = x * y;
  if (!(x - x == 0 && y - y == 0)) {
    // Infinities and NaNs are as IEEE multiplies them.
    sum.add(product);
    return;
  }
  if (x == 0 || y == 0) {
    sum.note(std::signbit(product) ? terms::minus_zero : terms::others);
    return;
  }
  parts const a = parts_of(x), b = parts_of(y);
  constexpr int half = 27;
  // Significands have 53 bits, their halves 26 and 27: products of these fit in 62 bits together.
  std::int64_t const a_upper = a.significand >> half, a_lower = a.significand - (a_upper << half);
  std::int64_t const b_upper = b.significand >> half, b_lower = b.significand - (b_upper << half);
  int const exponent = a.exponent + b.exponent;
  sum.add_scaled(a_lower * b_lower, exponent);
  sum.add_scaled(a_upper * b_lower + a_lower * b_upper, exponent + half);
  sum.add_scaled(a_upper * b_upper, exponent + 2 * half);
  sum.note(terms::others);
}

}  // namespace

void add_products(double const* x, double const* y, std::size_t n, sum_of_products& sum)
{
  constexpr std::size_t most = 1024;
  double product[most], error[most];
  sum_of<double> in_doubles;
  for (std::size_t first = 0; first < n; first += most, x += most, y += most) {
    std::size_t const size = std::min(most, n - first);
    double largest = 0, smallest = 1, factor = 0;
    for (std::size_t k = 0; k < size; ++k) {
      double const p = x[k] * y[k], magnitude = std::fabs(p);
      double const a = upper_half(x[k]), b = upper_half(y[k]);
      double const a_rest = x[k] - a, b_rest = y[k] - b;
      product[k] = p;
      error[k] = ((a * b - p) + a * b_rest + a_rest * b) + a_rest * b_rest;
      // NaN is kept by these comparisons.
      largest = magnitude <= largest ? largest : magnitude;
      bool const is_zero = x[k] == 0 || y[k] == 0;
      smallest = magnitude >= smallest || is_zero ? smallest : magnitude;
      double const larger = std::max(std::fabs(x[k]), std::fabs(y[k]));
      factor = larger <= factor ? factor : larger;
    }
    if (smallest >= 0x1p-960 && largest <= 0x1p1000 && factor <= 0x1p990) {
      add_all(product, size, in_doubles);
      if (largest != 0) add_all(error, size, in_doubles);
    } else {
      took("exact: products of whole numbers");
      for (std::size_t k = 0; k < size; ++k) add_product(x[k], y[k], sum);
    }
  }
  sum.add(in_doubles);
}

}  // namespace tally::detail::exact
