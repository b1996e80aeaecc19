#pragma once

#include <memory>

#include "accumulators/accumulator.hpp"

namespace tally::cli {

/// The operation on the last `what.window` values, for scans alone. Requires: an operation whose values are combined by
/// an associative operator; those made of others (mean, range) take windows of these.
///
/// The result has the same bits wherever the sequence is cut. Nothing is ever taken back out of a result, so that no
/// sum of doubles keeps the error of a value that has left.
std::unique_ptr<accumulator> make_window(accumulation const& what);

}  // namespace tally::cli
