#pragma once

#include "src/c/along.hpp"

namespace tally::c {

/// Whether segments may be empty. A reduction of those that are not needs no identity.
enum class lengths { any, positive };

/// tally_reduce_segments and tally_scan_segments.
/// Throws    usage_error, not_supported, std::bad_alloc.
void run_on_segments(call_kind kind, tally_array const* values, tally_array const* offsets, tally_array const* out,
                     tally_operation const* op, tally_options const* options, lengths are = lengths::any);

}  // namespace tally::c
