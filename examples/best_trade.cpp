/// A user-defined operator: the most that one purchase and one later sale could have earned, in one parallel pass.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

#include <tally/reduce.hpp>

/// The summary of a stretch of prices: its lowest, its highest, and the best trade inside it.
struct stretch {
  double lowest;
  double highest;
  double profit;
};

/// Joins two adjacent stretches. The best trade is in one of them, or buys in the first and sells in the second. So the
/// operator is associative, and not commutative.
struct join {
  stretch operator()(stretch const& a, stretch const& b) const
  {
    return {std::min(a.lowest, b.lowest), std::max(a.highest, b.highest),
            std::max({a.profit, b.profit, b.highest - a.lowest})};
  }
  /// A stretch without prices; `join` with it changes nothing.
  static stretch identity()
  {
    double const infinity = std::numeric_limits<double>::infinity();
    return {infinity, -infinity, 0};
  }
};

int main()
{
  std::vector<double> const prices = {31.5, 28.0, 30.25, 27.5, 33.0, 29.5, 34.25, 26.0, 30.5};

  stretch const all =
      tally::transform_reduce(prices, join::identity(), join{}, [](double price) { return stretch{price, price, 0}; });

  std::printf("lowest %.2f, highest %.2f, best trade earns %.2f\n", all.lowest, all.highest, all.profit);
}
