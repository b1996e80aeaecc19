#include "src/c/along.hpp"
#include "src/c/failure.hpp"
#include "src/c/recurrence.hpp"
#include "src/c/segments.hpp"
#include "tally.h"

/// The functions of tally.h.

extern "C" std::int32_t tally_version(void)
{
  return TALLY_VERSION;
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
