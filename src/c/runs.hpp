#pragma once

#include <cstdint>

#include "src/c/along.hpp"

/// Runs of equal keys.
namespace tally::c {

/// tally_reduce_by_key.
/// Throws    usage_error, not_supported, std::bad_alloc.
void reduce_by_key(tally_array const* keys, tally_array const* values, tally_array const* keys_out,
                   tally_array const* out, std::int64_t* runs, tally_operation const* op, tally_options const* options);
/// tally_scan_by_key.
void scan_by_key(tally_array const* keys, tally_array const* values, tally_array const* out, tally_operation const* op,
                 tally_options const* options);
/// tally_unique.
void unique(tally_array const* in, tally_array const* out, tally_array const* lengths, std::int64_t* runs,
            tally_options const* options);

}  // namespace tally::c
