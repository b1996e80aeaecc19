#pragma once

#include <cstddef>

#include "src/c/arrays.hpp"
#include "tally/detail/batch/layout.hpp"

namespace tally::c {

/// Calls `run(in, in_step, out, out_step, n)` for stretches that make up two arrays of one shape: n elements of each,
/// steps in bytes.
template <class Run>
void for_each_run(array const& from, array const& to, Run const& run)
{
  detail::batch::dimension axes[most_axes];
  for (std::size_t d = 0; d < from.shape.size(); ++d) {
    if (from.shape[d] == 0) return;
    axes[d].extent = static_cast<std::size_t>(from.shape[d]);
    axes[d].step.in = from.strides[d] * static_cast<std::ptrdiff_t>(from.bytes);
    axes[d].step.out = to.strides[d] * static_cast<std::ptrdiff_t>(to.bytes);
  }
  int const dimensions = detail::batch::simplify(axes, static_cast<int>(from.shape.size()));
  if (dimensions == 0) {
    run(from.data, 0, to.data, 0, std::size_t{1});
    return;
  }
  detail::batch::dimension const& inner = axes[dimensions - 1];
  std::size_t index[most_axes]{};
  detail::batch::distances at;
  for (;;) {
    run(from.data + at.in, inner.step.in, to.data + at.out, inner.step.out, inner.extent);
    int d = dimensions - 2;
    for (; d >= 0; --d) {
      at.move(axes[d].step, 1);
      if (++index[d] < axes[d].extent) break;
      at.move(axes[d].step, -static_cast<std::ptrdiff_t>(axes[d].extent));
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace tally::c
