#pragma once

#include "src/c/along.hpp"
#include "src/c/arrays.hpp"
#include "src/c/operation.hpp"

namespace tally::c {

/// Whether segments may be empty. A reduction of those that are not needs no identity.
enum class lengths { any, positive };

/// The arguments of a call on segments of arrays on a GPU but for its offsets. `op` takes its operator, and outlives
/// the call, which points to values in it. `segments` is the shape of arrays of an element a segment; empty: their
/// number is not known yet, and there are none but the results.
segments_call gpus_call_on_segments(operation& op, call_kind kind, array const& values, array const& out,
                                    tally_operation const* op_given, tally_options const& options,
                                    per_axis const& segments);

/// tally_reduce_segments and tally_scan_segments.
/// Throws    usage_error, not_supported, std::bad_alloc.
void run_on_segments(call_kind kind, tally_array const* values, tally_array const* offsets, tally_array const* out,
                     tally_operation const* op, tally_options const* options, lengths are = lengths::any);

}  // namespace tally::c
