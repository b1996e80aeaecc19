#pragma once

#include <cmath>

#include "tally/model/thread_program.hpp"
#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The points of the first and the last thread lie beside the circle, where 1 - x * x is negative:
/// its root is NaN, and so is every sum with it.
///
/// Source    Reeves, AMS 148, chapter 5, the map kernel for pi, whose guard lets these threads through; with room for
///           what they write.
/// Right     clamped_root, below.
struct negative_root {
  static constexpr char const* name = "negative_root";

  static float myfun(float x) { return std::sqrt(1 - x * x); }

  template <class Array>
  model::thread_program operator()(model::thread thread, float xbeg, float dx, Array f1) const
  {
    int const tid = thread.index();
    float const right = xbeg + static_cast<float>(tid) * dx;
    float const left = xbeg + static_cast<float>(tid - 1) * dx;
    f1[tid] = myfun(right) * dx * 0.5F + myfun(left) * dx * 0.5F;
    co_return;
  }
};

/// A negative number counts as zero: an interval beside the circle has no area, and the others keep theirs.
struct clamped_root {
  static constexpr char const* name = "clamped_root";

  static float height(float x) { return std::sqrt(std::fmax(0.0F, 1 - x * x)); }

  template <block Block, class Array>
  void operator()(Block const& block, float begin, float dx, Array f) const
  {
    block.each([&](int t) {
      float const left = begin + static_cast<float>(t - 1) * dx, right = begin + static_cast<float>(t) * dx;
      f[t] = height(left) * dx * 0.5F + height(right) * dx * 0.5F;
    });
  }
};

}  // namespace tally::textbook::exhibits
