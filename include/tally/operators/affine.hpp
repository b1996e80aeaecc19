#pragma once

#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/traits.hpp"

/// Maps x -> scale * x + offset and their composition, which turns a first-order linear recurrence into a scan.
namespace tally {

/// The map x -> scale * x + offset.
template <class T>
struct affine {
  T scale;
  T offset;

  /// scale * x + offset; the product is rounded before the sum.
  TALLY_HD constexpr T operator()(T const& x) const
  {
    return static_cast<T>(plus{}(detail::elementary::rounded_product(scale, x), offset));
  }

  template <class U>
  TALLY_HD explicit constexpr operator affine<U>() const
  {
    return {static_cast<U>(scale), static_cast<U>(offset)};
  }

  friend constexpr bool operator==(affine const&, affine const&) = default;
};

template <class T>
affine(T, T) -> affine<T>;

namespace detail {

template <class T>
struct working<affine<T>> {
  using type = affine<typename working<T>::type>;
};

template <class M>
struct affine_traits {
  using carry = M;
  static constexpr bool exact = false;
};
template <class T>
struct affine_traits<affine<T>> {
  using scalar = T;
  using carry = affine<carry_type<plus, T>>;
  static constexpr bool exact = is_integer<T>;
};

/// Whether x -> a*x + offset is x -> a*x in every bit. It is for offset -0.0, and is not for 0.0.
template <class T>
TALLY_HD constexpr bool adds_nothing(T const& offset)
{
  if constexpr (is_floating<T>)
    return offset == T(0.0f) && sign_bit(offset);
  else
    return false;
}

}  // namespace detail

/// Composition in the order of a scan, the earlier map first: compose(f, g) is x -> g(f(x)). Not commutative.
///
/// The recurrence y[i] = a[i]*y[i-1] + b[i] is an `inclusive_scan` of the maps (a[i], b[i]); each result is applied to
/// y[-1].
///
/// Equation  (a, b) op (c, d) = (c*a, c*b + d)
///           An offset of -0.0 adds nothing, whatever c is: (a, -0.0) op (c, d) = (c*a, d).
/// Identity  (1, 0); for floating-point types (1, -0.0), in bits
/// Exact     on integers, which wrap. T may be any ring, commutative or not (square matrices).
/// Cost      two products, one sum. Totals of tiles are composed in double for float.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.4
struct compose {
  template <class T>
    requires operator_over<plus, T> && operator_over<multiplies, T>
  TALLY_HD constexpr affine<T> operator()(affine<T> const& earlier, affine<T> const& later) const
  {
    T const scale = detail::elementary::rounded_product(later.scale, earlier.scale);
    if (detail::adds_nothing(earlier.offset)) return {scale, later.offset};
    return {scale,
            static_cast<T>(plus{}(detail::elementary::rounded_product(later.scale, earlier.offset), later.offset))};
  }
  template <class M>
    requires has_identity<multiplies, typename detail::affine_traits<M>::scalar>
  TALLY_HD static constexpr M identity()
  {
    using scalar = typename detail::affine_traits<M>::scalar;
    return {multiplies::identity<scalar>(), plus::identity<scalar>()};
  }
  template <class M>
  using carry = typename detail::affine_traits<M>::carry;
  template <class M>
  static constexpr bool exactly_associative = detail::affine_traits<M>::exact;
};

}  // namespace tally
