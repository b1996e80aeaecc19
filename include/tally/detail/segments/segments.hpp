#pragma once

/// Reductions and scans of segments. Each segment has the bits of a call on it alone.
///
///     reduce<T>(on, n, bytes, criterion, values, out, head, op)                  a value each; returns their number
///     scan<Shift, T>(on, n, criterion, values, out, init, op)                    a result for each of n values
///     reduce_between<T>(on, values, offsets, segments, out, nothing, init, op)   segment s: [offsets[s], offsets[s +
///     1]) scan_between<Shift, T>(on, values, offsets, segments, out, init, op)       likewise
///
/// A criterion of selection selects the heads, at which segments begin; at each head `head` acts (heads.hpp). An
/// element reads `bytes`. The result of an empty segment is `nothing`.
#include "tally/detail/segments/checks.hpp"
#include "tally/detail/segments/device.hpp"
#include "tally/detail/segments/heads.hpp"
#include "tally/detail/segments/host.hpp"
#include "tally/detail/selection/criteria.hpp"
