#pragma once

#include "tally.h"

namespace tally::c {

/// tally_histogram.
/// Throws    usage_error, not_supported, std::bad_alloc.
void histogram(tally_array const* values, tally_array const* weights, double lower, double upper,
               tally_array const* counts, tally_options const* options);
/// tally_histogram_of_edges.
void histogram_of_edges(tally_array const* values, tally_array const* weights, tally_array const* edges,
                        tally_array const* counts, tally_options const* options);

}  // namespace tally::c
