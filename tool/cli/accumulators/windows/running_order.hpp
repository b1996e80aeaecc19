#pragma once

#include <memory>

#include "accumulators/accumulator.hpp"

namespace tally::cli {

/// The running results of an operation on values in order, over all values so far or the last `what.window` of them. It
/// holds those values. Quantiles and mad are doubles (floats of floats), also those of integers; of values with a unit
/// they are rounded to the nearest unit, ties to even.
std::unique_ptr<accumulator> make_running_order(accumulation const& what);

}  // namespace tally::cli
