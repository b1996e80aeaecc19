#pragma once

#include <string>
#include <vector>

#include "explain/explanation.hpp"

namespace tally::cli {

/// A law that an operator does not keep, with the simplest example that was found.
struct broken_law {
  std::string law;      ///< "associativity", "commutativity", "identity"
  std::string example;  ///< "(a op b) op c = -1, a op (b op c) = 1 at a = 0, b = 0, c = 1"
};

/// The findings of the law checker (tally/laws.hpp) about an operator of the reader's own, on small numbers and the
/// elements of the run.
struct own_laws {
  std::vector<broken_law> broken;
  std::size_t samples = 0;

  bool keeps(std::string_view law) const;
};
own_laws laws_of(textbook::own_operator const& op, textbook::values const& elements);

/// The result of one thread that takes one element after the other, from the left.
textbook::values by_a_loop(explanation const& of);

}  // namespace tally::cli
