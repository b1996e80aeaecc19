#pragma once

#include <cstddef>

#include "tally/detail/cpu/recurrences.hpp"

/// Recurrences of two-byte elements, widened to float: the kernels. Their groups have four steps.
namespace tally::cpu_backend {

/// Recurrences that are run together.
inline constexpr std::size_t narrow_lanes = 16;

/// Elements of up to `narrow_lanes` recurrences: that of recurrence c at step k is at[c][k * step]. Lanes beyond the
/// last recurrence have those of another one.
template <class S>
struct narrow_elements {
  S* at[narrow_lanes];
  std::ptrdiff_t step;
  std::size_t width;
  bool neighbours;                     ///< whether those of a step are: at[c] is at[0] + c
  std::size_t const* sizes = nullptr;  ///< the steps that each recurrence has; null: enough
};

template <class S>
struct narrow_recurrence_kernels {
  /// Widens steps [first, first + steps) to to[(k - first) * narrow_lanes + c]. Steps that are not there are zeros, and
  /// lanes beyond the last recurrence have some numbers.
  void (*widen)(narrow_elements<S const> const& from, std::size_t first, std::size_t steps, float* to);
  /// Rounds them, and stores those that are there.
  void (*narrow)(float const* from, narrow_elements<S> const& to, std::size_t first, std::size_t steps);
  /// Whether `size` numbers, a multiple of narrow_lanes, are finite when they are rounded.
  bool (*are_finite)(float const* from, std::size_t size);
  void (*columns)(recurrence_columns_job<float> const& job);
};

template <class S>
narrow_recurrence_kernels<S> const& kernels_of_narrow_recurrences();

}  // namespace tally::cpu_backend
