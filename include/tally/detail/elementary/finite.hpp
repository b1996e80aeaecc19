#pragma once

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"

/// Tests for overflow.
namespace tally::detail::elementary {

/// Whether neither value is infinite or NaN. True for types that are not floating-point numbers.
template <class T>
TALLY_HD constexpr bool both_finite(T const& a, T const& b)
{
  if constexpr (is_floating<T>)
    return a - a == b - b;  // infinity - infinity is NaN, which equals nothing
  else
    return true;
}
template <class T>
TALLY_HD constexpr bool is_finite(T const& x)
{
  return both_finite(x, x);
}

}  // namespace tally::detail::elementary
