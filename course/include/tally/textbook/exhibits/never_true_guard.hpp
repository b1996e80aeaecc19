#pragma once

#include <cmath>

#include "tally/model/thread_program.hpp"
#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. No number is less than 1 and more than n: the threads without a point continue, and write before
/// and behind the array. The half circle has no points there either, so they take the root of a negative number, which
/// is NaN.
///
/// Source    Reeves, AMS 148, chapter 5, the map kernel for pi.
/// Right     guarded_map, below.
struct never_true_guard {
  static constexpr char const* name = "never_true_guard";

  static float myfun(float x) { return std::sqrt(1 - x * x); }

  template <class Array>
  model::thread_program operator()(model::thread thread, float xbeg, float dx, int n, Array f1) const
  {
    int const tid = thread.index() + thread.block_size() * thread.block_index();
    if (tid < 1 && tid > n) co_return;
    float const right = xbeg + static_cast<float>(tid) * dx;
    float const left = xbeg + static_cast<float>(tid - 1) * dx;
    f1[tid - 1] = myfun(right) * dx * 0.5F + myfun(left) * dx * 0.5F;
  }
};

/// Every thread that has a point, and no other. Rounding may put the last point beyond the circle: a negative number
/// counts as zero.
struct guarded_map {
  static constexpr char const* name = "guarded_map";

  static float height(float x) { return std::sqrt(std::fmax(0.0F, 1 - x * x)); }

  template <block Block, class Array>
  void operator()(Block const& block, float begin, float dx, int n, Array f) const
  {
    block.each([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k >= n) return;
      float const left = begin + static_cast<float>(k) * dx, right = begin + static_cast<float>(k + 1) * dx;
      f[k] = height(left) * dx * 0.5F + height(right) * dx * 0.5F;
    });
  }
};

}  // namespace tally::textbook::exhibits
