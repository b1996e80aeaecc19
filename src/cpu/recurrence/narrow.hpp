#pragma once

#include <cstddef>

#include "tally/detail/cpu/recurrences.hpp"

/// Recurrences of two-byte elements, widened to float: the kernels. Their groups have four steps.
namespace tally::cpu_backend {

/// Recurrences that are run together.
inline constexpr std::size_t narrow_lanes = 16;

/// Elements of up to `narrow_lanes` recurrences: that of recurrence c at step k is at[k * step + c * across].
template <class S>
struct narrow_elements {
  S* at;
  std::ptrdiff_t step, across;
  std::size_t width;
};

template <class S>
struct narrow_recurrence_kernels {
  /// Widens `steps` steps to to[k * narrow_lanes + c]. Lanes beyond the last recurrence have some numbers.
  void (*widen)(narrow_elements<S const> const& from, std::size_t steps, float* to);
  /// Rounds them, and stores those of the recurrences there are.
  void (*narrow)(float const* from, narrow_elements<S> const& to, std::size_t steps);
  /// Whether `size` numbers, a multiple of narrow_lanes, are finite when they are rounded.
  bool (*are_finite)(float const* from, std::size_t size);
  void (*columns)(recurrence_columns_job<float> const& job);
};

template <class S>
narrow_recurrence_kernels<S> const& kernels_of_narrow_recurrences();

}  // namespace tally::cpu_backend
