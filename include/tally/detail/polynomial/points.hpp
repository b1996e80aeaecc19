#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/for_each.hpp"

/// The values of a polynomial at many points: a map of Horner's rule.
namespace tally::detail::polynomial {

/// Horner's rule at point p, or at the points [begin, end).
template <class I, class X, class Out>
struct horner_at_points {
  I coefficients;
  std::size_t size;
  X points;
  Out out;

  using value = std::remove_cvref_t<std::iter_reference_t<X>>;

  TALLY_HD_AS_GIVEN
  TALLY_HD value coefficient(std::size_t k) const
  {
    return static_cast<value>(coefficients[static_cast<std::iter_difference_t<I>>(k)]);
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t p) const
  {
    value const x = points[static_cast<std::iter_difference_t<X>>(p)];
    value y = value(0);
    for (std::size_t k = size; k > 0; --k) y = y * x + coefficient(k - 1);
    out[static_cast<std::iter_difference_t<Out>>(p)] = y;
  }
  /// Sixteen points at a time, so that vectors are full and no point waits for another.
  void operator()(std::size_t begin, std::size_t end) const
  {
    constexpr std::size_t together = 16;
    std::size_t p = begin;
    took(end - p < together          ? "polynomial: fewer than sixteen points"
         : (end - p) % together == 0 ? "polynomial: sixteen points at once"
                                     : "polynomial: sixteen points at once and some behind them");
    for (; end - p >= together; p += together) {
      value x[together], y[together];
      for (std::size_t i = 0; i < together; ++i) {
        x[i] = points[static_cast<std::iter_difference_t<X>>(p + i)];
        y[i] = value(0);
      }
      for (std::size_t k = size; k > 0; --k) {
        value const c = coefficient(k - 1);
        for (std::size_t i = 0; i < together; ++i) y[i] = y[i] * x[i] + c;
      }
      for (std::size_t i = 0; i < together; ++i) out[static_cast<std::iter_difference_t<Out>>(p + i)] = y[i];
    }
    for (; p < end; ++p) (*this)(p);
  }
};

template <host P, class Map>
void at_all_points(P const& on, std::size_t points, Map const& map)
{
  tally::for_each_block(on, points, 512, map);
}
template <device P, class Map>
void at_all_points(P const& on, std::size_t points, Map const& map)
{
  tally::for_each_index(on, points, map);
}

}  // namespace tally::detail::polynomial
