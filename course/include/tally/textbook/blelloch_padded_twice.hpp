#pragma once

#include "tally/textbook/blelloch.hpp"

namespace tally::textbook {

/// Blelloch's scan without bank conflicts, of any length that a block takes: Harris, Sengupta, Owens (2007).
///
/// Changes   blelloch_padded.hpp: a second level of gaps, element k stands at k + k/32 + k/1024, so that elements 1024
///           apart have different banks too.
/// Assumes   what blelloch does.
/// Work      as blelloch.
/// Steps     as blelloch.
struct blelloch_padded_twice : blelloch {
  static constexpr char const* name = "blelloch_padded_twice";
  static constexpr int levels_of_padding = 2;
};

}  // namespace tally::textbook
