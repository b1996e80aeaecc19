#pragma once

#include <cmath>

/// Sums of reciprocals, for harmonic means.
namespace tally::cli {

/// The sum of the reciprocals of `count` values, high + low, to 106 bits: so the mean of 40 and 60 is 48.
struct reciprocal_sum {
  reciprocal_sum() = default;
  explicit reciprocal_sum(double value) : high(1 / value), count(1)
  {
    if (std::isfinite(value) && std::isfinite(high)) low = std::fma(-high, value, 1) / value;
  }

  double high = -0.0;  // the identity of sums
  double low = 0;
  double count = 0;  // whole, exact up to 2^53
};

struct add_reciprocals {
  reciprocal_sum operator()(reciprocal_sum const& a, reciprocal_sum const& b) const
  {
    // Knuth's sum and its rounding error, which the lower parts join.
    double const sum = a.high + b.high;
    double const part = sum - a.high;
    double const error = (a.high - (sum - part)) + (b.high - part) + (a.low + b.low);
    reciprocal_sum out;
    out.count = a.count + b.count;
    out.high = std::isfinite(sum) ? sum + error : sum;
    if (std::isfinite(sum)) out.low = error - (out.high - sum);
    return out;
  }
  template <class>
  static constexpr reciprocal_sum identity()
  {
    return {};
  }
};

/// The count divided by the sum, corrected by the remainder; NaN of no values, and 0 of a 0 and others.
struct finish_harmonic_mean {
  double operator()(reciprocal_sum const& sum) const
  {
    double const mean = sum.count / sum.high;
    if (!std::isfinite(mean) || !std::isfinite(sum.high)) return sum.count == 0 ? std::nan("") : mean;
    return mean + (std::fma(-mean, sum.high, sum.count) - mean * sum.low) / sum.high;
  }
};

}  // namespace tally::cli
