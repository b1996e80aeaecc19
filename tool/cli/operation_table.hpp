#pragma once

/// The operations of `reduce` and `scan`, in two tables: those that combine values by a built-in operator of the
/// library, and the others. A line is
///
///     X(enumerator, name, meaning, other names that users may try, kind, operator or maker)
///
/// and a new operation is a new line. The kind is one of `operation_kind`. An operator of the first table needs
/// nothing else: the CPU's accumulators and the GPU's calls are made from the line. The second table names a function
/// of accumulator.cpp instead, which makes the operation's accumulator.
#define TALLY_OPERATIONS_BY_OPERATOR(X)                                                                                \
  X(sum, "sum", "all added up", "add plus total +", growing, plus)                                                     \
  X(product, "product", "all multiplied", "multiplies times *", growing, multiplies)                                   \
  X(min, "min", "the least (nan if any value is nan)", "minimum least", choosing, minimum)                             \
  X(max, "max", "the greatest (nan if any value is nan)", "maximum greatest", choosing, maximum)                       \
  X(bit_and, "and", "the bits that all have (integers)", "bit_and band &", bitwise, bit_and)                           \
  X(bit_or, "or", "the bits that any has (integers)", "bit_or bor |", bitwise, bit_or)                                 \
  X(bit_xor, "xor", "the bits that an odd number has (integers)", "bit_xor bxor ^", bitwise, bit_xor)

#define TALLY_OTHER_OPERATIONS(X)                                                                                      \
  X(all, "all", "1 if every value is nonzero, else 0", "logical_and", truth, make_truth<logical_and>)                  \
  X(any, "any", "1 if some value is nonzero, else 0", "logical_or", truth, make_truth<logical_or>)                     \
  X(argmin, "argmin", "where the first least value stands, counted from 0", "", place, make_place<argmin>)             \
  X(argmax, "argmax", "where the first greatest value stands, counted from 0", "", place, make_place<argmax>)          \
  X(mean, "mean", "the arithmetic mean", "average avg", average, make_mean)                                            \
  X(variance, "variance", "the sample variance (divisor n - 1)", "var", spread, make_spread<variance_accumulator>)     \
  X(stddev, "stddev", "the square root of the variance", "sd std", spread, make_spread<deviation_accumulator>)         \
  X(logsumexp, "logsumexp", "log(exp(x0) + exp(x1) + ...), without overflow", "lse log_sum_exp", exponentials,         \
    make_log_sum_exp)                                                                                                  \
  X(count, "count", "how many there are", "length n len", number, make_count)

#define TALLY_OPERATIONS(X)                                                                                            \
  TALLY_OPERATIONS_BY_OPERATOR(X)                                                                                      \
  TALLY_OTHER_OPERATIONS(X)

namespace tally::cli {

enum class operation_kind {
  growing,       ///< by an operator on numbers; results of integers have 64 bits, as in NumPy
  choosing,      ///< by an operator on numbers; results have the values' type
  bitwise,       ///< by an operator on integers
  truth,         ///< 1 or 0
  place,         ///< a position; there is none among no values
  average,       ///< a double made of a sum; there is none of no values
  spread,        ///< a double made of moments; there is none of no values
  exponentials,  ///< a double
  number         ///< a number of values, whatever they are
};

}  // namespace tally::cli
