#pragma once

#include <cstdint>

#include "../support/operators.hpp"
#include "backends.hpp"
#include "tally/half.hpp"
#include "tally/operators.hpp"

namespace tally::test {

/// Every arithmetic type of elements; for contracts that differ little from another one, one type of each kind and
/// size. A build with a sanitizer tests briefly, because the types share the code in which it finds faults. So does a
/// build for a GPU that only checks that the tests compile.
#if defined(__CUDACC__) && !defined(TALLY_TEST_BRIEFLY)
using element_types = list<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double, half, bfloat16>;
using some_element_types = list<std::int32_t, float, half>;
#elif defined(__SANITIZE_THREAD__)
using element_types = list<std::int8_t, float>;  // threads hand over totals of one or two words
using some_element_types = list<float>;
#elif defined(TALLY_TEST_BRIEFLY)
using element_types = list<std::int8_t, std::int32_t, float, double, half>;
using some_element_types = list<float>;
#else
using element_types = list<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                           std::int64_t, std::uint64_t, float, double, half, bfloat16>;
using some_element_types = list<std::int8_t, std::uint64_t, float, half>;
#endif

/// Op as a user-defined operator: it has the traits of Op, but no compiled kernel.
template <class Op>
struct users : Op {};

/// Types on which operators without a kernel are tested too. They are few, because the width of the type makes no
/// difference, and each takes long to compile.
template <class T>
inline constexpr bool with_other_operators =
    binary_float<T> || std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint32_t>;

/// Calls f(op, name) for the operators that `Contract` is tested with on T: every built-in one and some user-defined
/// ones; for contracts that differ little from another one, one of each kind.
template <class Contract, class T, class F>
void for_each_operator(F const& f)
{
  f(plus{}, "plus");
  if constexpr (binary_float<T>) f(halve_and_add{}, "halve_and_add");
  if constexpr (std::is_same_v<T, std::int8_t>) f(last_nonzero{}, "last_nonzero");
  if constexpr (!requires { Contract::like_another; }) {
    f(multiplies{}, "multiplies");
    f(minimum{}, "minimum");
    f(maximum{}, "maximum");
    if constexpr (std::is_integral_v<T>) {
      f(bit_and{}, "bit_and");
      f(bit_or{}, "bit_or");
      f(bit_xor{}, "bit_xor");
    }
    if constexpr (with_other_operators<T>) {
      f(users<plus>{}, "a user's plus");
      if constexpr (std::is_integral_v<T>) {
        f(logical_and{}, "logical_and");
        f(logical_or{}, "logical_or");
      } else {
        f(halve_and_add_in_double{}, "halve_and_add_in_double");
      }
    }
  }
}

}  // namespace tally::test
