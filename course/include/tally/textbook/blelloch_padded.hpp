#pragma once

#include "tally/textbook/blelloch.hpp"

namespace tally::textbook {

/// Blelloch's scan without bank conflicts, up to 1024 elements: Harris, Sengupta, Owens (2007).
///
/// Changes   blelloch.hpp: element k stands at k + k/32 (padded.hpp). At stride s the lanes of a warp want elements 2s
///           apart: without gaps these share 16, 8, 4, 2 banks, from s = 16 on a single one; with gaps each has a bank
///           of its own. 1337 wavefronts become 252 for 1024 elements.
/// Assumes   what blelloch does. Elements 1024 apart, 1056 with the gaps between them, share a bank again: of 2048
///           elements two at a time meet at strides from 32 to 512, which makes 511 wavefronts of 476.
/// Work      as blelloch.
/// Steps     as blelloch.
struct blelloch_padded : blelloch {
  static constexpr char const* name = "blelloch_padded";
  static constexpr int levels_of_padding = 1;
};

}  // namespace tally::textbook
