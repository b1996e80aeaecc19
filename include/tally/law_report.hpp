#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

/// The laws of operators, and the options and the report of `check_laws`.
namespace tally {

/// A law that `check_laws` checks.
enum class law {
  identity,       ///< e op a == a == a op e, in bits, if the operator has an identity e
  closure,        ///< an integer result is a value of the element type: no digit is cut off
  commutativity,  ///< a op b == b op a, in bits, if the operator declares it
  associativity,  ///< (a op b) op c == a op (b op c), in bits if the operator declares it, else up to rounding
};

struct law_options {
  /// The allowed difference of the two sides of associativity, unless it is declared exact: this many roundings of the
  /// largest operand or result. Nothing is required where finite operands overflow, or vanish beside an infinity.
  double tolerance = 16;
  /// The number of tuples of samples to try for each law, in order. If there are more, as many again are tried at
  /// random.
  std::size_t cases = 100'000;
};

/// A counterexample.
template <class T>
struct law_violation {
  law broken;
  std::vector<T> operands;  ///< a, b, c: one for identity, two for closure and commutativity, three for associativity
  std::string message;      ///< "associativity: (a op b) op c = 3, a op (b op c) = 5 at a = 1, b = 2, c = 0"
};

/// The result of `check_laws`: at most one violation of each law, the smallest one. Violations with fewer operands come
/// first.
template <class T>
struct law_report {
  std::vector<law_violation<T>> violations;
  std::size_t samples = 0;

  /// Whether no sample broke a law.
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
