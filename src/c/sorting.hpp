#pragma once

#include <cstdint>

#include "tally.h"

namespace tally::c {

/// tally_sort.
/// Throws    usage_error, not_supported, std::bad_alloc.
void sort(tally_array const* in, std::int32_t axis, tally_array const* out, tally_array const* places,
          tally_options const* options);
/// tally_sort_by_key.
void sort_by_key(tally_array const* keys, tally_array const* values, tally_array const* keys_out,
                 tally_array const* values_out, tally_options const* options);

}  // namespace tally::c
