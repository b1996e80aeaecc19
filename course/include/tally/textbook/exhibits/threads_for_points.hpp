#pragma once

#include <cmath>

#include "tally/model/thread_program.hpp"
#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// The density of the standard normal distribution.
inline float normal(float x)
{
  return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265F);
}

/// Wrong on purpose. For n points it is launched as <<<2, n/2 + 1>>>, n + 2 threads numbered from 0, of which the
/// kernel means those from 1 to n; its guard lets the two others by (never_true_guard.hpp).
///
/// Source    Reeves, AMS 148, chapter 5, the data for the normal distribution.
/// Right     points, below.
struct threads_for_points {
  static constexpr char const* name = "threads_for_points";

  template <class Array>
  model::thread_program operator()(model::thread thread, Array data, float xbeg, float dx, int n) const
  {
    int const tid = thread.index() + thread.block_size() * thread.block_index();
    if (tid < 1 && tid > n) co_return;
    float const right = xbeg + static_cast<float>(tid) * dx;
    float const left = xbeg + static_cast<float>(tid - 1) * dx;
    data[tid - 1] = (normal(right) + normal(left)) * dx * 0.5F;
  }
};

/// Thread k has point k. Blocks have any size, there are as many as needed, and a thread without a point returns.
struct points {
  static constexpr char const* name = "points";

  template <block Block, class Array>
  void operator()(Block const& block, Array data, float begin, float dx, int n) const
  {
    block.each([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k >= n) return;
      float const left = begin + static_cast<float>(k) * dx, right = begin + static_cast<float>(k + 1) * dx;
      data[k] = (normal(right) + normal(left)) * dx * 0.5F;
    });
  }
};

}  // namespace tally::textbook::exhibits
