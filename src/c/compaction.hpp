#pragma once

#include <cstdint>

#include "tally.h"

namespace tally::c {

/// tally_compact.
/// Throws    usage_error, not_supported, std::bad_alloc.
void compact(tally_array const* in, tally_array const* mask, tally_array const* out, std::int64_t* count,
             tally_options const* options);

}  // namespace tally::c
