#pragma once

#include <cstdint>

#include "tally.h"

namespace tally::c {

enum class call_kind { reduce, scan };

/// tally_reduce and tally_scan.
/// Throws    usage_error, not_supported, std::bad_alloc.
void run_along(call_kind kind, tally_array const* in, std::int32_t axis, tally_array const* out,
               tally_operation const* op, tally_options const* options);

}  // namespace tally::c
