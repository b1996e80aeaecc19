#include "src/c/along.hpp"
#include "src/c/compaction.hpp"
#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "src/c/histograms.hpp"
#include "src/c/recurrence.hpp"
#include "src/c/runs.hpp"
#include "src/c/segments.hpp"
#include "src/c/sorting.hpp"
#include "tally.h"

/// The functions of tally.h, but for those of exact sums.

extern "C" std::int32_t tally_version(void)
{
  return TALLY_VERSION;
}

extern "C" std::int32_t tally_workspace_bytes(tally_array const* in, std::int32_t axis, std::size_t* bytes)
{
  return tally::c::guarded("tally_workspace_bytes", [&] {
    if (bytes == nullptr) throw tally::usage_error("bytes is a null pointer; it takes the number");
    *bytes = tally::c::workspace_bytes(in, axis);
  });
}

extern "C" std::int32_t tally_synchronize(std::int32_t device, void* stream)
{
  return tally::c::guarded("tally_synchronize", [&] { tally::c::synchronize(device, stream); });
}

extern "C" std::int32_t tally_reduce(tally_array const* in, std::int32_t axis, tally_array const* out,
                                     tally_operation const* op, tally_options const* options)
{
  return tally::c::guarded("tally_reduce",
                           [&] { tally::c::run_along(tally::c::call_kind::reduce, in, axis, out, op, options); });
}

extern "C" std::int32_t tally_scan(tally_array const* in, std::int32_t axis, tally_array const* out,
                                   tally_operation const* op, tally_options const* options)
{
  return tally::c::guarded("tally_scan",
                           [&] { tally::c::run_along(tally::c::call_kind::scan, in, axis, out, op, options); });
}

extern "C" std::int32_t tally_reduce_segments(tally_array const* values, tally_array const* offsets,
                                              tally_array const* out, tally_operation const* op,
                                              tally_options const* options)
{
  return tally::c::guarded("tally_reduce_segments", [&] {
    tally::c::run_on_segments(tally::c::call_kind::reduce, values, offsets, out, op, options);
  });
}

extern "C" std::int32_t tally_scan_segments(tally_array const* values, tally_array const* offsets,
                                            tally_array const* out, tally_operation const* op,
                                            tally_options const* options)
{
  return tally::c::guarded("tally_scan_segments", [&] {
    tally::c::run_on_segments(tally::c::call_kind::scan, values, offsets, out, op, options);
  });
}

extern "C" std::int32_t tally_linear_recurrence(tally_array const* a, tally_array const* b, std::int32_t axis,
                                                tally_array const* out, tally_options const* options)
{
  return tally::c::guarded("tally_linear_recurrence", [&] { tally::c::run_recurrence(a, b, axis, out, options); });
}

extern "C" std::int32_t tally_reduce_by_key(tally_array const* keys, tally_array const* values,
                                            tally_array const* keys_out, tally_array const* out, std::int64_t* runs,
                                            tally_operation const* op, tally_options const* options)
{
  return tally::c::guarded("tally_reduce_by_key",
                           [&] { tally::c::reduce_by_key(keys, values, keys_out, out, runs, op, options); });
}

extern "C" std::int32_t tally_scan_by_key(tally_array const* keys, tally_array const* values, tally_array const* out,
                                          tally_operation const* op, tally_options const* options)
{
  return tally::c::guarded("tally_scan_by_key", [&] { tally::c::scan_by_key(keys, values, out, op, options); });
}

extern "C" std::int32_t tally_unique(tally_array const* in, tally_array const* out, tally_array const* lengths,
                                     std::int64_t* runs, tally_options const* options)
{
  return tally::c::guarded("tally_unique", [&] { tally::c::unique(in, out, lengths, runs, options); });
}

extern "C" std::int32_t tally_compact(tally_array const* in, tally_array const* mask, tally_array const* out,
                                      std::int64_t* count, tally_options const* options)
{
  return tally::c::guarded("tally_compact", [&] { tally::c::compact(in, mask, out, count, options); });
}

extern "C" std::int32_t tally_sort(tally_array const* in, std::int32_t axis, tally_array const* out,
                                   tally_array const* places, tally_options const* options)
{
  return tally::c::guarded("tally_sort", [&] { tally::c::sort(in, axis, out, places, options); });
}

extern "C" std::int32_t tally_sort_by_key(tally_array const* keys, tally_array const* values,
                                          tally_array const* keys_out, tally_array const* values_out,
                                          tally_options const* options)
{
  return tally::c::guarded("tally_sort_by_key",
                           [&] { tally::c::sort_by_key(keys, values, keys_out, values_out, options); });
}

extern "C" std::int32_t tally_histogram(tally_array const* values, tally_array const* weights, double lower,
                                        double upper, tally_array const* counts, tally_options const* options)
{
  return tally::c::guarded("tally_histogram",
                           [&] { tally::c::histogram(values, weights, lower, upper, counts, options); });
}

extern "C" std::int32_t tally_histogram_of_edges(tally_array const* values, tally_array const* weights,
                                                 tally_array const* edges, tally_array const* counts,
                                                 tally_options const* options)
{
  return tally::c::guarded("tally_histogram_of_edges",
                           [&] { tally::c::histogram_of_edges(values, weights, edges, counts, options); });
}
