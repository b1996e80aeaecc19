#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

/// Skewness and kurtosis in one pass, without the cancellation of power sums.
namespace tally::cli {

/// The count of values, their mean, and the sums of the powers of their deviations from it.
struct shape_moments {
  shape_moments() = default;
  explicit shape_moments(double value) : count(1), mean(value), squares(value - value), cubes(squares), fourths(squares)
  {
  }

  double count = 0;  // whole, exact up to 2^53
  double mean = 0;
  double squares = 0;
  double cubes = 0;
  double fourths = 0;
};

/// The moments of two sets of values together.
///
/// Source  Terriberry, Computing higher-order moments online (2007); Pebay, Formulas for robust, one-pass parallel
///         computation of covariances and arbitrary-order statistical moments (2008)
struct combine_shape_moments {
  shape_moments operator()(shape_moments const& a, shape_moments const& b) const
  {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    double const n = a.count + b.count;
    double const d = b.mean - a.mean;
    double const part_a = a.count / n;
    double const part_b = b.count / n;
    double const between = d * d * a.count * part_b;  // the squares that the distance of the means adds
    shape_moments out;
    out.count = n;
    out.mean = a.mean + d * part_b;
    out.squares = a.squares + b.squares + between;
    out.cubes = a.cubes + b.cubes + between * d * (part_a - part_b) + 3 * d * (part_a * b.squares - part_b * a.squares);
    out.fourths = a.fourths + b.fourths + between * d * d * (part_a * part_a - part_a * part_b + part_b * part_b) +
                  6 * d * d * (part_a * part_a * b.squares + part_b * part_b * a.squares) +
                  4 * d * (part_a * b.cubes - part_b * a.cubes);
    return out;
  }
  template <class>
  static constexpr shape_moments identity()
  {
    return {};
  }
};

/// G1 = sqrt(n(n-1))/(n-2) * sqrt(n) C / S^1.5 for the sums S of squares and C of cubes; NaN of fewer than three values
/// and of values that are all equal.
struct finish_skewness {
  double operator()(shape_moments const& m) const
  {
    if (m.count < 3) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(m.count - 1) * m.count / (m.count - 2) * (m.cubes / (m.squares * std::sqrt(m.squares)));
  }
};

/// G2 = (n-1)/((n-2)(n-3)) ((n+1) g + 6) with g = n F / S^2 - 3 for the sums S of squares and F of fourth powers; NaN
/// of fewer than four values and of values that are all equal.
struct finish_kurtosis {
  double operator()(shape_moments const& m) const
  {
    if (m.count < 4) return std::numeric_limits<double>::quiet_NaN();
    double const excess = m.count * (m.fourths / (m.squares * m.squares)) - 3;
    return (m.count - 1) / ((m.count - 2) * (m.count - 3)) * ((m.count + 1) * excess + 6);
  }
};

}  // namespace tally::cli
