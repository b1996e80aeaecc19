#pragma once

#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/sections.hpp"

namespace tally::textbook {

/// Brent and Kung's scan made exclusive by its load (sections.hpp): a kernel of two elements a thread, any n.
///
/// Changes   brent_kung.hpp: x[k] is in[k - 1], also of the second element that a thread loads: all are shifted by one
///           place, and there is one identity only, not one for each of the two loads.
/// Assumes   op is associative and has an identity.
/// Work      as brent_kung.
/// Steps     as brent_kung.
struct brent_kung_exclusive : scan_of_sections<shifted<brent_kung>> {
  static constexpr char const* name = "brent_kung_exclusive";
};

}  // namespace tally::textbook
