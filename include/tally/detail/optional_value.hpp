#pragma once

#include "tally/config.hpp"

namespace tally::detail {

/// A value that may be absent: a + absent = absent + a = a (docs/order.md). It serves where std::optional cannot: in
/// kernels, which cannot call its functions, and in shared memory, which takes only trivial types.
///
/// `value` is any value of the type if it is absent.
template <class T>
struct optional_value {
  T value;
  bool is_present;

  /// value + right, or `right` alone.
  TALLY_HD_AS_GIVEN
  template <class Op>
  TALLY_HD T before(T const& right, Op& op) const
  {
    return is_present ? static_cast<T>(op(value, right)) : right;
  }
  TALLY_HD_AS_GIVEN
  template <class Op>
  TALLY_HD optional_value before(optional_value const& right, Op& op) const
  {
    return right.is_present ? optional_value{before(right.value, op), true} : *this;
  }
  TALLY_HD_AS_GIVEN
  template <class Op>
  TALLY_HD void append(T const& right, Op& op)
  {
    *this = {before(right, op), true};
  }
  TALLY_HD_AS_GIVEN
  template <class Op>
  TALLY_HD void append(optional_value const& right, Op& op)
  {
    if (right.is_present) append(right.value, op);
  }
};

}  // namespace tally::detail
