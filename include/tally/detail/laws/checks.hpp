#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <ostream>
#include <type_traits>
#include <utility>

#include "tally/detail/laws/values.hpp"
#include "tally/law_report.hpp"
#include "tally/operators/traits.hpp"

/// The laws. Each tells whether an operator must obey it, whether it does on given operands, and describes a violation.
namespace tally::detail::laws {

/// The operator under test, with its results converted to elements.
template <class Op, class T>
struct subject {
  Op op;
  double tolerance;

  T operator()(T const& a, T const& b) { return static_cast<T>(op(a, b)); }
};

struct identity_law {
  static constexpr law name = law::identity;
  static constexpr std::size_t operands = 1;

  template <class Op, class T>
  static constexpr bool required()
  {
    return has_identity<Op, T>;
  }

  template <class Op, class T>
  static bool holds(subject<Op, T>& op, std::array<T, 1> const& x)
  {
    T const e = identity_of<T>(op.op);
    return same(op(e, x[0]), x[0]) && same(op(x[0], e), x[0]);
  }

  template <class Op, class T>
  static void describe(std::ostream& out, subject<Op, T>& op, std::array<T, 1> const& x)
  {
    T const e = identity_of<T>(op.op);
    print(out << "identity: e op a = ", op(e, x[0]));
    print(out << ", a op e = ", op(x[0], e));
    print(out << " with the identity e = ", e);
  }
};

struct closure_law {
  static constexpr law name = law::closure;
  static constexpr std::size_t operands = 2;

  /// Only integers can be cut off: floating-point elements are rounded, and class types define their conversions.
  template <class Op, class T>
  static constexpr bool required()
  {
    using result = std::remove_cvref_t<std::invoke_result_t<Op&, T const&, T const&>>;
    return std::is_integral_v<T> && std::is_arithmetic_v<result> && !std::is_same_v<T, result>;
  }

  template <class Op, class T>
  static bool holds(subject<Op, T>& op, std::array<T, 2> const& x)
  {
    auto const value = op.op(x[0], x[1]);
    using result = std::remove_const_t<decltype(value)>;
    if constexpr (std::is_floating_point_v<result>) {
      // The range is checked first, because a conversion out of range is undefined. max + 1 is a power of two.
      result const beyond = 2 * static_cast<result>(std::numeric_limits<T>::max() / 2 + 1);
      if (!(value >= static_cast<result>(std::numeric_limits<T>::lowest()) && value < beyond)) return false;
      return static_cast<result>(static_cast<T>(value)) == value;
    } else {
      T const element = static_cast<T>(value);
      return static_cast<result>(element) == value && (element < T(0)) == (value < result(0));
    }
  }

  template <class Op, class T>
  static void describe(std::ostream& out, subject<Op, T>& op, std::array<T, 2> const& x)
  {
    print(out << "closure: a op b = ", op.op(x[0], x[1]));
    out << ", which is not a value of the element type,";
  }
};

struct commutativity_law {
  static constexpr law name = law::commutativity;
  static constexpr std::size_t operands = 2;

  template <class Op, class T>
  static constexpr bool required()
  {
    return tally::commutative<Op, T>;
  }

  template <class Op, class T>
  static bool holds(subject<Op, T>& op, std::array<T, 2> const& x)
  {
    return same(op(x[0], x[1]), op(x[1], x[0]));
  }

  template <class Op, class T>
  static void describe(std::ostream& out, subject<Op, T>& op, std::array<T, 2> const& x)
  {
    print(out << "commutativity: a op b = ", op(x[0], x[1]));
    print(out << ", b op a = ", op(x[1], x[0]));
  }
};

struct associativity_law {
  static constexpr law name = law::associativity;
  static constexpr std::size_t operands = 3;

  template <class Op, class T>
  static constexpr bool required()
  {
    return true;
  }

  template <class Op, class T>
  static bool holds(subject<Op, T>& op, std::array<T, 3> const& x)
  {
    auto const& [a, b, c] = x;
    T const ab = op(a, b);
    T const bc = op(b, c);
    T const left = op(ab, c);
    T const right = op(a, bc);
    if constexpr (tally::exactly_associative<Op, T>) {
      return same(left, right);
    } else {
      // Whether a result overflows, or underflows to 0. Underflow matters only if an operand is infinite.
      bool const all_finite = finite(a) && finite(b) && finite(c);
      auto const leaves_range = [&](T const& p, T const& q, T const& pq) {
        if (!finite(p) || !finite(q)) return false;
        return !finite(pq) || (!all_finite && magnitude(p) > 0 && magnitude(q) > 0 && magnitude(pq) == 0);
      };
      if (leaves_range(a, b, ab) || leaves_range(b, c, bc) || leaves_range(ab, c, left) || leaves_range(a, bc, right))
        return true;
      long double scale = 0;
      for (T const* value : {&a, &b, &c, &ab, &bc, &left, &right}) scale = std::max(scale, magnitude(*value));
      return close(left, right, scale, op.tolerance);
    }
  }

  template <class Op, class T>
  static void describe(std::ostream& out, subject<Op, T>& op, std::array<T, 3> const& x)
  {
    print(out << "associativity: (a op b) op c = ", op(op(x[0], x[1]), x[2]));
    print(out << ", a op (b op c) = ", op(x[0], op(x[1], x[2])));
  }
};

}  // namespace tally::detail::laws
