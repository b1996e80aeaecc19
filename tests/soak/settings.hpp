#pragma once

#include <string>

#include "soak/choices.hpp"
#include "tally/execution.hpp"

namespace tally::soak {

/// Draws the tuning and the instruction set for the calls of this try, and sets them. Returns the statements that do so
/// in a program.
std::string choose_tuning(choices& of);

/// One thread in half of all tries, else up to eight, or as many as the library chooses.
cpu choose_threads(choices& of);

}  // namespace tally::soak
