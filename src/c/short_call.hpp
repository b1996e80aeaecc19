#pragma once

#include <cstdint>

#include "src/c/along.hpp"

namespace tally::c {

/// The short way of tally_reduce and tally_scan, for few elements, on which the checks of the general way take longer
/// than the work. Takes one row of elements side by side of a type that has kernels, and results of the same type,
/// without options. Returns false, and has done nothing, if it is another call or a wrong one.
bool run_short(call_kind kind, tally_array const* in, std::int32_t axis, tally_array const* out,
               tally_operation const* op, tally_options const* options);

}  // namespace tally::c
