#pragma once

#include "tally/config.hpp"

namespace tally::detail {

/// A value that may be absent, on a CPU and on a GPU: a + absent = absent + a = a (docs/order.md). An aggregate, so
/// that a GPU's shared memory can hold it; std::optional has no functions for a GPU.
///
/// `value` is some value of the type if it is absent.
template <class T>
struct optional_value {
  T value;
  bool present;

  /// Puts `right` behind the value.
  template <class Op>
  TALLY_HD void append(T const& right, Op& op)
  {
    value = present ? static_cast<T>(op(value, right)) : right;
    present = true;
  }
  template <class Op>
  TALLY_HD void append(optional_value const& right, Op& op)
  {
    if (right.present) append(right.value, op);
  }
};

}  // namespace tally::detail
