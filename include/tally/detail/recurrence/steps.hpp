#pragma once

#include <complex>
#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/elementary/finite.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/traits.hpp"

/// The steps of a first-order linear recurrence y -> a*y + b: as maps that a scan composes, and one at a time.
namespace tally::detail::recurrence {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// a * b, rounded before anything is added to it. The parts of a complex product are rounded after each product and
/// after their sum; std::complex would look for infinities instead.
template <class T>
TALLY_HD constexpr T product(T const& a, T const& b)
{
  if constexpr (is_complex<T>) {
    using elementary::rounded_product;
    return {rounded_product(a.real(), b.real()) - rounded_product(a.imag(), b.imag()),
            rounded_product(a.real(), b.imag()) + rounded_product(a.imag(), b.real())};
  } else {
    return elementary::rounded_product(a, b);
  }
}
/// a + b, each part rounded once.
template <class T>
TALLY_HD constexpr T sum(T const& a, T const& b)
{
  if constexpr (is_complex<T>)
    return {rounded_sum(a.real(), b.real()), rounded_sum(a.imag(), b.imag())};
  else
    return static_cast<T>(plus{}(a, b));
}

/// Steps in turn, the earlier ones first: `compose` without its case of an offset that adds nothing. docs/order.md says
/// it of recurrences.
///
/// Equation  (a, b) op (c, d) = (c*a, c*b + d)
/// Carry     maps with double coefficients for float
/// Exact     on integers
struct steps_in_turn {
  template <class T>
  TALLY_HD constexpr affine<T> operator()(affine<T> const& earlier, affine<T> const& later) const
  {
    return {product(later.scale, earlier.scale), sum(product(later.scale, earlier.offset), later.offset)};
  }
  template <class M>
  using carry = typename affine_traits<M>::carry;
  template <class M>
  static constexpr bool exactly_associative = affine_traits<M>::exact;
};

/// One number as the coefficients of all steps.
template <class T>
struct constant {
  T value;

  TALLY_HD constexpr T const& operator[](std::ptrdiff_t) const { return value; }
  TALLY_HD friend constexpr constant operator+(constant const& all, std::ptrdiff_t) { return all; }
};

/// The offsets of segments of one length.
struct equal_segments {
  std::size_t size;
  TALLY_HD std::size_t operator()(std::size_t s) const { return s * size; }
};

/// The map whose value is `state` for every earlier state: what a recurrence begins with. The scale is in no result.
template <class T>
TALLY_HD constexpr affine<T> beginning_with(T const& state)
{
  return {T{}, state};
}

/// a*y + b, a step of the plain loop, in the working type and rounded to T.
template <class T>
TALLY_HD constexpr T step(T const& a, T const& y, T const& b)
{
  using W = working_type<T>;
  return static_cast<T>(sum(product(static_cast<W>(a), static_cast<W>(y)), static_cast<W>(b)));
}

/// Whether states of type T may overflow: floating-point numbers, real or complex. From the first result on that is not
/// finite, a recurrence of these goes on as the plain loop does (docs/order.md).
template <class T>
inline constexpr bool may_overflow = is_floating<T> || is_complex<T>;

template <class T>
TALLY_HD constexpr bool is_finite(T const& x)
{
  if constexpr (is_complex<T>)
    return elementary::both_finite(x.real(), x.imag());
  else
    return elementary::is_finite(static_cast<working_type<T>>(x));
}

}  // namespace tally::detail::recurrence
