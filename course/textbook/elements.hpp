#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"

/// The elements of the kernels of the catalogue: integers, decimals and letters, four bytes each, as in the course.
namespace tally::textbook {

/// A run of consecutive letters, from number `first` to number `last`. Joining two runs that are not adjacent gives a
/// broken run, and so does joining a broken one: a kernel that does not keep the order of its operands cannot hide it.
struct letters {
  static constexpr short broken = -1;
  short first = 0, last = 0;
  friend bool operator==(letters const&, letters const&) = default;
};
/// "c", "c..f", "-" of none, "?!" of a broken run.
std::string to_text(letters const& run);

/// Joins runs. Associative, and not commutative. Its identity is an empty run, which no input contains.
struct join {
  static constexpr bool commutative = false;
  static constexpr bool exactly_associative = true;
  static constexpr letters empty{0, -2};
  TALLY_HD static constexpr letters identity() { return {0, -2}; }
  TALLY_HD constexpr letters operator()(letters const& a, letters const& b) const
  {
    if (a == identity()) return b;
    if (b == identity()) return a;
    if (a.first == letters::broken || b.first == letters::broken || a.last + 1 != b.first)
      return {letters::broken, letters::broken};
    return {a.first, b.last};
  }
};

/// The input of a run, and the type of its elements. Letters are joined; numbers are combined by the operation.
using values = std::variant<std::vector<int>, std::vector<float>, std::vector<letters>>;

/// The bins of a histogram: the elements 0, 1 .. 7 of the course's example.
inline constexpr int histogram_bins = 8;

/// An operator of the reader's own, whatever its laws. On the host only.
struct own_operator {
  std::string text;  ///< "a*b+1", for messages
  std::function<double(double, double)> combine;
  std::optional<double> identity = {};
};

/// Its identity as a T, and its result for two elements: of integers without the digits behind the point.
/// Throws `usage_error` if it has no identity; if an integer does not fit.
template <class T>
T identity_of_own(own_operator const& op);
template <class T>
T combined_by_own(own_operator const& op, T a, T b);

enum class operation { sum, product, minimum, maximum, own };

/// An operator that is selected at run time. The built-in ones are commutative; the reader's own counts as such, so
/// that every kernel takes it, and its result shows what came of that.
template <class T>
struct selected_operator {
  static constexpr bool commutative = true;
  operation what = operation::sum;
  own_operator const* own = nullptr;  ///< of operation::own

  TALLY_HD T identity() const
  {
#ifndef __CUDA_ARCH__
    if (what == operation::own) return identity_of_own<T>(*own);
#endif
    switch (what) {
      case operation::product: return multiplies{}.identity<T>();
      case operation::minimum: return tally::minimum{}.identity<T>();
      case operation::maximum: return tally::maximum{}.identity<T>();
      default: return plus{}.identity<T>();
    }
  }
  TALLY_HD T operator()(T const& a, T const& b) const
  {
#ifndef __CUDA_ARCH__
    if (what == operation::own) return combined_by_own<T>(*own, a, b);
#endif
    switch (what) {
      case operation::product: return multiplies{}(a, b);
      case operation::minimum: return tally::minimum{}(a, b);
      case operation::maximum: return tally::maximum{}(a, b);
      default: return plus{}(a, b);
    }
  }
};

}  // namespace tally::textbook
