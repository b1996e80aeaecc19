#pragma once

#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/sections.hpp"

namespace tally::textbook {

/// Hillis and Steele's scan made exclusive by its load (sections.hpp): a kernel of one element a thread, any n.
///
/// Changes   hillis_steele.hpp: x[k] is in[k - 1]. Nothing else.
/// Assumes   op is associative and has an identity.
/// Work      as hillis_steele: one of the operands is the identity once in every step.
/// Steps     as hillis_steele.
struct hillis_steele_exclusive : scan_of_sections<shifted<hillis_steele>> {
  static constexpr char const* name = "hillis_steele_exclusive";
};

}  // namespace tally::textbook
