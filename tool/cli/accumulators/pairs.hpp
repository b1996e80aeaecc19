#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <tally/running.hpp>

#include "accumulators/accumulator.hpp"
#include "accumulators/windows/sliding_fold.hpp"

/// Accumulators of pairs of values, which arrive one behind the other: x0, y0, x1, y1, ...
namespace tally::cli {

/// The count of pairs, the means of both values, and the sums of the products of their deviations from them.
struct pair_moments {
  pair_moments() = default;
  pair_moments(double x, double y)
      : count(1),
        mean_x(x),
        mean_y(y),
        squares_x(x - x),
        squares_y(y - y),
        products(squares_x + squares_y)
  {
  }

  double count = 0;  // whole, exact up to 2^53
  double mean_x = 0;
  double mean_y = 0;
  double squares_x = 0;  // NaN if a value is not finite, as those below
  double squares_y = 0;
  double products = 0;
};

/// The moments of two sets of pairs together.
///
/// Equation  C = C1 + C2 + dx*dy*n1*n2/n for the products, with the distances d of the means, and alike for the squares
/// Identity  no pairs
/// Source    Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample variances (1979)
struct combine_pair_moments {
  pair_moments operator()(pair_moments const& a, pair_moments const& b) const
  {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    double const n = a.count + b.count;
    double const part = b.count / n;
    double const dx = b.mean_x - a.mean_x;
    double const dy = b.mean_y - a.mean_y;
    double const weight = a.count * part;
    pair_moments out;
    out.count = n;
    out.mean_x = a.mean_x + dx * part;
    out.mean_y = a.mean_y + dy * part;
    out.squares_x = a.squares_x + b.squares_x + dx * dx * weight;
    out.squares_y = a.squares_y + b.squares_y + dy * dy * weight;
    out.products = a.products + b.products + dx * dy * weight;
    return out;
  }
  template <class>
  static constexpr pair_moments identity()
  {
    return {};
  }
};

/// C / (n - 1) for the sum C of products; NaN of fewer than two pairs.
double covariance_of(pair_moments const& of);

/// C / sqrt(X Y) for the sum C of products and the sums X and Y of squares, from -1 to 1; NaN of fewer than two pairs,
/// and if all values of a column are equal. A column and itself have exactly 1.
double correlation_of(pair_moments const& of);

/// Doubles that are made of the moments of pairs.
class pair_accumulator final : public accumulator {
public:
  /// With a window a result of a scan is of so many pairs.
  pair_accumulator(double (*finish)(pair_moments const&), std::size_t window, cpu on);

  void restart() override;
  void reduce(io::values_view const& values) override;
  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override;
  result value() const override;

private:
  double (*finish_)(pair_moments const&);
  cpu on_;
  running<pair_moments, combine_pair_moments> running_;
  std::optional<sliding_fold<pair_moments, combine_pair_moments>> window_;
};

/// The sum or the mean of values, each followed by its weight: the sum of the products, and that divided by the sum of
/// the weights. Sums of integers are exact, a product of doubles is rounded before it is added. Throws
/// `command_line_error` for other operations.
std::unique_ptr<accumulator> make_weighted(accumulation const& what);

}  // namespace tally::cli
