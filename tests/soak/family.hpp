#pragma once

#include <string>
#include <vector>

#include "soak/choices.hpp"

namespace tally::soak {

/// The outcome of a try.
struct outcome {
  std::string wrong;    ///< what is wrong; empty if nothing is
  std::string program;  ///< then a program of one line that shows it, where the family can write one
};

/// Tries of one kind.
struct family {
  char const* name;
  outcome (*attempt)(choices& of);
};

/// Every family, in the order in which they are listed.
std::vector<family> const& families();

}  // namespace tally::soak
