#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/polynomial/factors.hpp"
#include "tally/operators/affine.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

/// Polynomials and powers on a GPU, by single steps.
namespace tally::detail::polynomial {

/// The step y -> x y + c of coefficient k, counted from the last one, with which Horner's rule begins.
template <class T, class I>
struct horner_steps {
  I coefficients;
  std::size_t size;
  T x;

  TALLY_HD affine<T> operator()(std::size_t k) const
  {
    return {x, static_cast<T>(coefficients[static_cast<std::iter_difference_t<I>>(size - 1 - k)])};
  }
};

/// The polynomial of n > 0 coefficients at x.
template <device P, class I, class T>
T value_at(P const& on, I coefficients, std::size_t n, T const& x)
{
  auto const steps = elements_from(horner_steps<T, I>{coefficients, n, x});
  return tally::reduce(on, steps, steps + static_cast<std::ptrdiff_t>(n), compose::identity<affine<T>>(), compose{})
      .offset;
}

/// Writes x^0, ..., x^(n-1).
template <device P, class T, class Out>
Out write_powers(P const& on, T x, std::size_t n, Out out)
{
  return scan_factors(on, std::move(x), n, std::move(out));
}

}  // namespace tally::detail::polynomial
