#pragma once

/// Selection: some of n elements are selected, and each selected one learns how many are selected before it.
///
///     move_selected(on, n, bytes, criterion, move)   moves them, and returns their number
///     count_selected(on, n, bytes, criterion)        their number
///
/// A criterion says which elements are selected (criteria.hpp), a move where they go (moves.hpp); `bytes` is what is
/// read for an element.
#include "tally/detail/selection/criteria.hpp"
#include "tally/detail/selection/device.hpp"
#include "tally/detail/selection/host.hpp"
#include "tally/detail/selection/moves.hpp"
