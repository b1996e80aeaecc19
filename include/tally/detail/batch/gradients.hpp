#pragma once

#include "tally/detail/batch/layout.hpp"

/// Gradients of linear recurrences in memory at regular places: how the call tells a backend where they lie.
namespace tally::detail::batch {

/// Recurrences backward in time, h[k] = c[k]*h[k-1] + above[k] with the coefficients c[0] = 1 and c[k] = a[k-1], whose
/// states go to `to_b`, and times y[k+1] to `to_a`. Behind the last y come `befores`. Steps are numbered in the order
/// of the recurrence: each pointer is that of the last element in time.
template <class T>
struct gradients {
  T const* a;
  T const* y;
  T const* above;
  T* to_a;
  T* to_b;           ///< may be `above`
  T const* befores;  ///< the states before all, one a sequence; null: `before`
  T before;
  T* to_befores;    ///< takes the derivatives by them, unless null
  layout states;    ///< `in`: above. `out`: to_b. `coefficients`: a.
  layout products;  ///< `in`: y. `out`: to_a. `initial`: befores. `last`: to_befores.
};

}  // namespace tally::detail::batch
