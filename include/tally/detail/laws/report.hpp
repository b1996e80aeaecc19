#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace tally {

/// What an operator is held to.
enum class law {
  identity,       ///< e op a == a == a op e, in bits; if the operator has an identity e
  closure,        ///< an integer result is one of the element type: it is not cut off
  commutativity,  ///< a op b == b op a, in bits; if the operator claims it
  associativity,  ///< (a op b) op c == a op (b op c): in bits if the operator claims it, else up to rounding
};

/// A counterexample.
template <class T>
struct law_violation {
  law broken;
  std::vector<T> operands;  ///< a, b, c: one for identity, two for closure and commutativity, three for associativity
  std::string message;      ///< "associativity: (a op b) op c = 3, a op (b op c) = 5 at a = 1, b = 2, c = 0"
};

/// What `check_laws` found: at most one violation of each law, its smallest, those with the fewest operands first.
template <class T>
struct law_report {
  std::vector<law_violation<T>> violations;
  std::size_t samples = 0;

  /// Whether all laws hold, as far as was seen.
  explicit operator bool() const { return violations.empty(); }

  std::string message() const
  {
    if (violations.empty()) return "no law broken among " + std::to_string(samples) + " samples";
    std::string text;
    for (law_violation<T> const& violation : violations) text += (text.empty() ? "" : "\n") + violation.message;
    return text;
  }

  friend std::ostream& operator<<(std::ostream& out, law_report const& report) { return out << report.message(); }
};

}  // namespace tally
