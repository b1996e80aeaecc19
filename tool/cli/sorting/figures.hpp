#pragma once

#include <cstdint>

#include "operations/operation.hpp"
#include "sorting/value_store.hpp"
#include "values.hpp"

/// Figures of a sequence that is seen in order. All are NaN of no values; quantiles and the deviation are NaN too if a
/// value is.
namespace tally::cli {

/// The form of a figure that lies between two integers.
enum class between_integers {
  a_double,   ///< the nearest one
  an_integer  ///< the nearest one, and the even one of two that are as near
};

/// A figure of the values by an operation, whose share a quantile needs.
using figure = result (*)(sorted_values& values, operation op, between_integers form);

/// The value at position (n - 1) q of x[0] <= ... <= x[n-1], where q is the operation's share: x[k] at a whole position
/// k, and on the line between the two nearest ones elsewhere (NumPy's default, Hyndman and Fan's type 7). Positions are
/// exact fractions. The result of integers is an integer wherever it is one, else what `form` says.
result quantile_of(sorted_values& values, operation op, between_integers form);

/// The median of |x - m| with the median m; of integers exact like a quantile.
result median_absolute_deviation_of(sorted_values& values, operation op, between_integers form);

/// The upper quartile less the lower one.
result interquartile_range_of(sorted_values& values, operation op, between_integers form);

/// The difference of two values; of integers exact, unless it needs more than 128 bits.
result difference_of(result const& a, result const& b, between_integers form = between_integers::a_double);

inline constexpr operation lower_quartile(operation::percentile, {25});
inline constexpr operation upper_quartile(operation::percentile, {75});

/// The value that occurs most often, the least of several. NaNs count as equal; so do 0.0 and -0.0.
result most_frequent_of(sorted_values& values, operation op, between_integers form);

/// How many different values there are; NaNs are one, and so are 0.0 and -0.0.
result number_of_distinct(sorted_values& values, operation op, between_integers form);

/// The position of a quantile among `size` values in order: place + part, where 0 <= part < 1.
struct quantile_place {
  std::uint64_t place;
  fraction part;
};
quantile_place place_of(operation op, std::uint64_t size);

/// Writes 1 + the number of values that are less for each of some; 0.0 and -0.0 are equal, and NaNs last.
void ranks_of(io::values_view const& some, sorted_values& values, std::int64_t* ranks);

/// The nearest double.
double nearest_double(result const& value);

/// The value at position k + numerator / denominator, where a and b are those at k and k + 1.
result between(result const& a, result const& b, fraction part, between_integers form = between_integers::a_double);

/// The integer nearest to a finite value of 0 or more; the greatest one for values beyond it.
int128 nearest_integer(double value);

}  // namespace tally::cli
