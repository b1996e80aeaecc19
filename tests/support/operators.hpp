#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "tally/config.hpp"

/// User-defined operators, each hard in one way.
namespace tally::test {

/// A 2x2 matrix of integers modulo 2^32.
struct matrix {
  std::uint32_t a = 1, b = 0, c = 0, d = 1;
  friend constexpr bool operator==(matrix const&, matrix const&) = default;
};

/// Associative and not commutative, so swapped operands show. It has no identity.
struct matrix_product {
  TALLY_HD constexpr matrix operator()(matrix const& x, matrix const& y) const
  {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

/// The same operator with its identity and the (true) claim that any bracketing gives the same result.
struct exact_matrix_product : matrix_product {
  static constexpr bool exactly_associative = true;
  TALLY_HD static constexpr matrix identity() { return {}; }
};

/// a / 2 + b. Neither associative nor commutative, so the bracketing and the order of operands show in every result.
/// Halving is exact, so a compiler that fuses it with the addition changes nothing (except for denormals).
struct halve_and_add {
  template <class T>
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    return static_cast<T>(a * T(0.5) + b);
  }
};

/// The same with carries in double: a user-defined operator that names its carry type.
struct halve_and_add_in_double : halve_and_add {
  using carry = double;
};

/// Returns its bracketing as a string: "(a b)".
struct bracket {
  std::string operator()(std::string const& a, std::string const& b) const { return "(" + a + " " + b + ")"; }
};

/// Associative, not commutative, on a type that owns memory.
struct append {
  std::string operator()(std::string a, std::string const& b) const { return a += b; }
  static std::string identity() { return {}; }
};

/// The last operand that is not zero: associative, not commutative.
struct last_nonzero {
  template <class T>
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    return b != T{} ? b : a;
  }
  static constexpr bool exactly_associative = true;
};

struct operator_failed : std::runtime_error {
  operator_failed() : std::runtime_error("the operator failed") {}
};

/// Adds, but throws `operator_failed` after `limit` calls.
struct throwing_plus {
  std::size_t* calls;
  std::size_t limit;
  template <class T>
  T operator()(T const& a, T const& b) const
  {
    if (++*calls > limit) throw operator_failed();
    return a + b;
  }
};

/// Adds and counts.
struct counting_plus {
  std::size_t* calls;
  template <class T>
  T operator()(T const& a, T const& b) const
  {
    ++*calls;
    return a + b;
  }
};

}  // namespace tally::test
