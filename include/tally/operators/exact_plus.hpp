#pragma once

#include <type_traits>

#include "tally/operators/arithmetic.hpp"
#include "tally/operators/traits.hpp"

namespace tally {

/// The exact sum, rounded once, to nearest, ties to even: of floats, doubles, halfs and bfloat16s. So it is the same
/// for every order of the terms, every decomposition and every machine. Each result of a scan is that of its own
/// terms.
///
///     double const sum = tally::reduce(values, tally::exact_plus{});
///     tally::inclusive_scan(values, sums, tally::exact_plus{});
///     tally::reduce(tally::along(1, matrix), sums_of_rows, tally::exact_plus{});
///
/// NaN and infinities add as IEEE 754 says; a sum overflows only if its rounded value does; a sum of zero is +0, or -0
/// if all of its terms are -0. Elements convert to the accumulator's type first, and results are rounded to it.
///
/// It is no operator on two values, for a sum that is not finished is no number: an `exact_accumulator` holds one. The
/// calls on a CPU take it in the operator's place, and reductions and scans on a GPU.
/// Cost      0.2 ns a double and 0.1 ns a float where they differ by no more than 2^26 (floats 2^56) in magnitude, twice
///           that up to 2^106, and some 5 ns beyond. A scan takes 2 ns an element.
struct exact_plus {
  /// For the contracts' checks of types. A call of it does not compile.
  template <class T>
    requires detail::is_floating<T>
  TALLY_HD constexpr T operator()(T const& a, T const&) const
  {
    static_assert(
        !detail::is_floating<T>,
        "tally: this call or this execution cannot take exact_plus. reduce, the scans, batches and, on a CPU, "
        "running do; or add up with exact_accumulator");
    return a;
  }
  template <class T>
  TALLY_HD static constexpr T identity()
  {
    return plus::identity<T>();
  }
};

template <class Op>
inline constexpr bool is_exact_sum = std::is_same_v<std::remove_const_t<Op>, exact_plus>;

}  // namespace tally
