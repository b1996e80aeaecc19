#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/c/arrays.hpp"
#include "src/c/operation.hpp"
#include "src/c/place_on_gpu.hpp"
#include "tally.h"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"

namespace tally::c {

/// The checked arguments of tally_linear_recurrence. `a` has the shape of `b`.
struct recurrence_arguments {
  tally_options options{};
  array a, b, out;
  std::size_t axis = 0;
  per_axis across;    ///< the shape without the axis
  tally_type type{};  ///< of states: float32, float64 or uint64
  operation form;     ///< the size of a state
  std::optional<array> before, last;
  bool before_for_each = false;
  place_on_gpu gpu;
};

/// Throws    usage_error, not_supported, std::bad_alloc.
recurrence_arguments checked_recurrence(tally_array const* a, tally_array const* b, std::int32_t axis,
                                        tally_array const* out, tally_options const* options);

/// The arrays of a recurrence, with elements of the type of its states.
struct coefficients {
  array a, b, out, before;
  bool before_for_each = false;
  array last;  ///< without memory if it is not wanted

  /// The axis of the steps, and the distances between sequences.
  detail::batch::dimension along(std::size_t axis) const;
  detail::batch::across_strides across(std::size_t axis) const;

  template <class T>
  detail::batch::ends<T> ends() const
  {
    detail::batch::ends<T> all;
    auto const* const given = reinterpret_cast<T const*>(before.data);
    if (before_for_each)
      all.initials = given;
    else
      all.initial = given != nullptr ? *given : T{};
    all.lasts = reinterpret_cast<T*>(last.data);
    return all;
  }
};

/// The arrays of a call, or copies in the type of states.
coefficients in_type_of_states(recurrence_arguments const& call);
/// Brings results from copies to where they belong.
void deliver(coefficients const& results, recurrence_arguments const& call);

/// tally_linear_recurrence.
/// Throws    usage_error, not_supported, std::bad_alloc.
void run_recurrence(tally_array const* a, tally_array const* b, std::int32_t axis, tally_array const* out,
                    tally_options const* options);

}  // namespace tally::c
