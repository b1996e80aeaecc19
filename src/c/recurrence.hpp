#pragma once

#include <cstdint>

#include "tally.h"

namespace tally::c {

/// tally_linear_recurrence.
/// Throws    usage_error, not_supported, std::bad_alloc.
void run_recurrence(tally_array const* a, tally_array const* b, std::int32_t axis, tally_array const* out,
                    tally_options const* options);

}  // namespace tally::c
