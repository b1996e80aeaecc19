#pragma once

#include <cstdint>

#include "src/c/along.hpp"
#include "src/c/ranks/transport.hpp"
#include "tally.h"

/// Calls on ranks. Each begins with a round, in which all ranks hear whether the arguments of each are right, and
/// whether all make the same call.
namespace tally::c {

/// tally_ranks_reduce and tally_ranks_scan; `function` is the name.
/// Throws    rank_error on every rank; error if the transport fails.
void run_along_on_ranks(call_kind kind, char const* function, ranks const& on, tally_array const* in, std::int32_t axis,
                        tally_array const* out, tally_operation const* op, tally_options const* options);
/// tally_ranks_linear_recurrence.
void run_recurrence_on_ranks(char const* function, ranks const& on, tally_array const* a, tally_array const* b,
                             std::int32_t axis, tally_array const* out, tally_options const* options);
/// tally_ranks_reduce_by_key.
void reduce_by_key_on_ranks(char const* function, ranks const& on, tally_array const* keys, tally_array const* values,
                            tally_array const* keys_out, tally_array const* out, std::int64_t* runs,
                            tally_operation const* op, tally_options const* options);
/// tally_ranks_scan_by_key.
void scan_by_key_on_ranks(char const* function, ranks const& on, tally_array const* keys, tally_array const* values,
                          tally_array const* out, tally_operation const* op, tally_options const* options);
/// tally_ranks_reduce_segments and tally_ranks_scan_segments.
void run_segments_on_ranks(call_kind kind, char const* function, ranks const& on, tally_array const* values,
                           tally_array const* offsets, tally_array const* out, tally_operation const* op,
                           tally_options const* options);
/// tally_ranks_histogram, and tally_ranks_histogram_of_edges if there are edges.
void histogram_on_ranks(char const* function, ranks const& on, tally_array const* values, double lower, double upper,
                        tally_array const* edges, tally_array const* counts, tally_options const* options);

}  // namespace tally::c
