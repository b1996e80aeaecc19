#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/c/along.hpp"
#include "src/c/arrays.hpp"

/// Runs of equal keys.
namespace tally::c {

/// The keys of a call, on the CPU or on a GPU.
array checked_keys(tally_array const* given, char const* name);
/// Where runs of equal keys begin, and the number of keys behind them.
std::vector<std::int64_t> ends_of_runs(array const& keys, char const* name, int threads);
/// Writes the keys at the places where runs begin, one after the other.
void write_keys(array const& keys, std::span<std::int64_t const> begins, array const& out);

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
