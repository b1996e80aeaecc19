#include "src/c/along.hpp"
#include "src/c/failure.hpp"
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
