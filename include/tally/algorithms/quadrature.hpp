#pragma once

#include <cstddef>

#include "tally/config.hpp"

/// Rules of numerical integration: the nodes at which a function is evaluated, and the weights of its values.
namespace tally {

/// A rule gives the places of its nodes in n intervals, counted in half intervals from the left, and the weight of
/// each. A rule of your own is a struct with the same members.
///
/// Over n intervals the error of a smooth function is C / n^order.
struct midpoint {
  static constexpr int order = 2;
  static constexpr int divisor = 1;  ///< weights are multiplied by it, so that they are whole numbers or halves
  static TALLY_HD constexpr std::size_t nodes(std::size_t n) { return n; }
  static TALLY_HD constexpr std::size_t place(std::size_t k) { return 2 * k + 1; }
  static TALLY_HD constexpr float weight(std::size_t, std::size_t) { return 1; }
};
struct trapezoidal {
  static constexpr int order = 2;
  static constexpr int divisor = 1;
  static TALLY_HD constexpr std::size_t nodes(std::size_t n) { return n + 1; }
  static TALLY_HD constexpr std::size_t place(std::size_t k) { return 2 * k; }
  static TALLY_HD constexpr float weight(std::size_t k, std::size_t n) { return k == 0 || k == n ? 0.5f : 1.0f; }
};
/// A parabola through the ends and the middle of each interval.
struct simpson {
  static constexpr int order = 4;
  static constexpr int divisor = 6;
  static TALLY_HD constexpr std::size_t nodes(std::size_t n) { return 2 * n + 1; }
  static TALLY_HD constexpr std::size_t place(std::size_t k) { return k; }
  static TALLY_HD constexpr float weight(std::size_t k, std::size_t n)
  {
    return k == 0 || k == 2 * n ? 1.0f : k % 2 == 1 ? 4.0f : 2.0f;
  }
};

}  // namespace tally
