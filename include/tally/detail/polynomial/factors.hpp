#pragma once

#include <cstddef>
#include <utility>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

namespace tally::detail::polynomial {

template <class T>
struct same_value {
  T value;
  TALLY_HD T operator()(std::size_t) const { return value; }
};

/// Writes the powers of x as the scan of n equal factors.
template <class P, class T, class Out>
Out scan_factors(P const& on, T x, std::size_t n, Out out)
{
  auto const factors = elements_from(same_value<T>{x});
  return tally::exclusive_scan(on, factors, factors + static_cast<std::ptrdiff_t>(n), std::move(out), T(1),
                               multiplies{});
}

}  // namespace tally::detail::polynomial
