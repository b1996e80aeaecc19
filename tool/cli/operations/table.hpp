#pragma once

/// The operations of `reduce` and `scan`, in three tables: those that combine values by a built-in operator of the
/// library, those of all values in order, and the others. A line is
///
///     X(enumerator, name, meaning, other names that users may try, kind, operator or maker)
///
/// and a new operation is a new line. The kind is one of `operation_kind`. An operator of the first table needs
/// nothing else: the CPU's accumulators and the GPU's calls are made from the line. The second table names a function
/// of sorting/figures.hpp, and the third one of accumulator.cpp, which makes the operation's accumulator. The name of
/// an operation with a parameter is an example: "quantile:0.9".
#define TALLY_OPERATIONS_BY_OPERATOR(X)                                                                                \
  X(sum, "sum", "all added up", "add plus total +", growing, plus)                                                     \
  X(product, "product", "all multiplied", "multiplies times *", growing, multiplies)                                   \
  X(min, "min", "the least (nan if any value is nan)", "minimum least", choosing, minimum)                             \
  X(max, "max", "the greatest (nan if any value is nan)", "maximum greatest", choosing, maximum)                       \
  X(bit_and, "and", "the bits that all have (integers)", "bit_and band &", bitwise, bit_and)                           \
  X(bit_or, "or", "the bits that any has (integers)", "bit_or bor |", bitwise, bit_or)                                 \
  X(bit_xor, "xor", "the bits that an odd number has (integers)", "bit_xor bxor ^", bitwise, bit_xor)

#define TALLY_OPERATIONS_BY_ORDER(X)                                                                                   \
  X(median, "median", "the middle value, or the mean of the two in the middle", "med", ordered, quantile_of)           \
  X(quantile, "quantile:0.9", "the value at this share (0 to 1) of the sorted values, between two of them on a line",  \
    "quantiles quartile quartiles q", ordered, quantile_of)                                                            \
  X(percentile, "p95", "the same for a share in percent, such as p5 or p99.9", "percentiles perc pct", ordered,        \
    quantile_of)                                                                                                       \
  X(mad, "mad", "the median of the distances from the median", "median_absolute_deviation", ordered,                   \
    median_absolute_deviation_of)                                                                                      \
  X(iqr, "iqr", "the interquartile range: p75 less p25", "interquartile_range interquartile", ordered,                 \
    interquartile_range_of)                                                                                            \
  X(mode, "mode", "the most frequent value (the least of several)", "modal most_common", chosen, most_frequent_of)     \
  X(distinct, "distinct", "how many different values there are", "unique uniq nunique countunique", number,            \
    number_of_distinct)

#define TALLY_OTHER_OPERATIONS(X)                                                                                      \
  X(all, "all", "1 if every value is nonzero, else 0", "logical_and", truth, make_truth<logical_and>)                  \
  X(any, "any", "1 if some value is nonzero, else 0", "logical_or", truth, make_truth<logical_or>)                     \
  X(argmin, "argmin", "where the first least value stands, counted from 0", "", place, make_place<argmin>)             \
  X(argmax, "argmax", "where the first greatest value stands, counted from 0", "", place, make_place<argmax>)          \
  X(first, "first", "the first value", "head", chosen, make_end<true>)                                                 \
  X(last, "last", "the last value", "tail", chosen, make_end<false>)                                                   \
  X(range, "range", "the greatest less the least", "spread extent ptp", width, make_range)                             \
  X(mean, "mean", "the arithmetic mean", "average avg", average, make_mean)                                            \
  X(geomean, "geomean", "the geometric mean: the nth root of the product", "geometric gmean geometric_mean",           \
    statistic, make_statistic<geometric_mean_accumulator>)                                                             \
  X(harmean, "harmean", "the harmonic mean: n / (1/x0 + 1/x1 + ...)", "harmonic hmean harmonic_mean", statistic,       \
    make_statistic<harmonic_mean_accumulator>)                                                                         \
  X(variance, "variance", "the sample variance (divisor n - 1)", "var", statistic,                                     \
    make_statistic<variance_accumulator>)                                                                              \
  X(stddev, "stddev", "the square root of the variance", "sd std", statistic, make_statistic<deviation_accumulator>)   \
  X(skewness, "skewness", "the sample skewness (G1, as pandas and spreadsheets)", "skew", statistic,                   \
    make_statistic<skewness_accumulator>)                                                                              \
  X(kurtosis, "kurtosis", "the sample excess kurtosis (G2, as pandas and spreadsheets)", "kurt", statistic,            \
    make_statistic<kurtosis_accumulator>)                                                                              \
  X(logsumexp, "logsumexp", "log(exp(x0) + exp(x1) + ...), without overflow", "lse log_sum_exp", exponentials,         \
    make_log_sum_exp)                                                                                                  \
  X(diff, "diff", "each value less the one before: the inverse of a scan of sums", "delta difference differences",     \
    difference, make_difference)                                                                                       \
  X(rank, "rank", "1 + how many of all values are less", "ranks order", rank, make_rank)                               \
  X(percent, "percent", "each value in percent of the sum of all", "percentage percents pct_of_total", share,          \
    make_share<100>)                                                                                                   \
  X(fraction, "fraction", "each value as a part of the sum of all", "ratio proportion share", share, make_share<1>)    \
  X(covariance, "covariance", "the sample covariance of two columns (divisor n - 1)", "cov covar scov", pair,          \
    make_of_pairs)                                                                                                     \
  X(correlation, "correlation", "the correlation of two columns (Pearson's r)", "corr cor pearson spearson r", pair,   \
    make_of_pairs)                                                                                                     \
  X(count, "count", "how many there are", "length n len", number, make_count)

#define TALLY_OPERATIONS(X)                                                                                            \
  TALLY_OPERATIONS_BY_OPERATOR(X)                                                                                      \
  TALLY_OPERATIONS_BY_ORDER(X)                                                                                         \
  TALLY_OTHER_OPERATIONS(X)

namespace tally::cli {

enum class operation_kind {
  growing,       ///< by an operator on numbers; results of integers have 64 bits, as in NumPy
  choosing,      ///< by an operator on numbers; results have the values' type
  bitwise,       ///< by an operator on integers
  truth,         ///< 1 or 0
  place,         ///< a position; there is none among no values
  chosen,        ///< one of the values; there is none of no values
  width,         ///< a difference of values; there is none of no values
  average,       ///< a double made of a sum; there is none of no values
  difference,    ///< a difference of values for every value, in scans alone
  share,         ///< a double for every value, beside all values; in scans alone
  rank,          ///< a place for every value, among all values; in scans alone
  ordered,       ///< made of the values in order; there is none of no values
  statistic,     ///< a double made of states; there is none of no values
  pair,          ///< a double made of the values of two columns; there is none of no values
  exponentials,  ///< a double
  number         ///< a number of values, whatever they are
};

}  // namespace tally::cli
