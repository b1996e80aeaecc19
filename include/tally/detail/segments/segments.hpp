#pragma once

/// Reductions and scans of segments. Each segment has the bits of a call on it alone.
///
///     reduce<T>(on, n, bytes, criterion, values, out, head, op)                  a value each; returns their number
///     scan<Shift, T>(on, n, criterion, values, out, init, op)                    a result for each of n values
///
/// A criterion of selection selects the heads, at which segments begin; at each head `head` acts (heads.hpp). An
/// element reads `bytes`.
#include "tally/detail/segments/checks.hpp"
#include "tally/detail/segments/device.hpp"
#include "tally/detail/segments/heads.hpp"
#include "tally/detail/segments/host.hpp"
#include "tally/detail/selection/criteria.hpp"
