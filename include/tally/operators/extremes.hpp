#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/traits.hpp"

/// The least and the greatest value, each with the index at which it stands.
namespace tally {

/// A value and its index. `argmin` and `argmax` read positions from the index alone, so values may come in any order.
template <class T, class Index = std::size_t>
struct indexed {
  T value;
  Index index;

  friend constexpr bool operator==(indexed const&, indexed const&) = default;
};

template <class T, class Index>
indexed(T, Index) -> indexed<T, Index>;

namespace detail {

template <class E>
inline constexpr bool indexed_number = false;
template <class T, class Index>
  requires(is_number<T> && is_integer<Index>)
inline constexpr bool indexed_number<indexed<T, Index>> = true;

template <class E>
inline constexpr bool indexed_integer = false;
template <class T, class Index>
  requires(is_integer<T> && is_integer<Index>)
inline constexpr bool indexed_integer<indexed<T, Index>> = true;

/// The base of argmin and argmax. If neither of two values comes before the other, the one with the lower index does.
/// A NaN comes before every number.
struct first_extreme {
  /// On numbers: every bracketing and every order of the operands finds the same index.
  template <class E>
  static constexpr bool exactly_associative = indexed_number<E>;
  /// On integers only: of a -0.0 and a 0.0 with the same index, the first operand is returned.
  template <class E>
  static constexpr bool commutative = indexed_integer<E>;

protected:
  /// Without a branch: the selection depends on the data, which no processor predicts.
  template <class E>
  TALLY_HD static constexpr E select(bool a_before_b, bool b_before_a, E const& a, E const& b)
  {
    if constexpr (is_floating<decltype(E::value)>) {
      bool const a_is_nan = a.value != a.value;
      bool const b_is_nan = b.value != b.value;
      a_before_b |= a_is_nan & !b_is_nan;
      b_before_a |= b_is_nan & !a_is_nan;
    }
    bool const takes_b = b_before_a | (!a_before_b & (b.index < a.index));
    return E{takes_b ? b.value : a.value, takes_b ? b.index : a.index};
  }
};

}  // namespace detail

/// The lesser value with its index. Of equal values it is the first, the one with the lower index. A NaN is less than
/// every number, as in numpy, and of several NaNs the first wins. -0.0 and 0.0 are equal.
///
/// Equation  (x, i) op (y, j) = (x, i) if x < y or (x = y and i <= j), else (y, j)
/// Identity  (largest value or infinity, largest index), which is also the result of an empty sequence
/// Exact     on arithmetic types, in any order of the operands if the indices are distinct
/// Cost      two comparisons of values, one of indices
struct argmin : detail::first_extreme {
  template <class T, class Index>
    requires operator_over<minimum, T>
  TALLY_HD constexpr indexed<T, Index> operator()(indexed<T, Index> const& a, indexed<T, Index> const& b) const
  {
    return select(a.value < b.value, b.value < a.value, a, b);
  }
  template <class E>
    requires detail::indexed_number<E>
  TALLY_HD static constexpr E identity()
  {
    return E{minimum::identity<decltype(E::value)>(), detail::greatest<decltype(E::index)>};
  }
};

/// The greater value with its index. Of equal values it is the first, the one with the lower index. A NaN is greater
/// than every number, as in numpy, and of several NaNs the first wins. -0.0 and 0.0 are equal.
///
/// Equation  (x, i) op (y, j) = (x, i) if x > y or (x = y and i <= j), else (y, j)
/// Identity  (lowest value or -infinity, largest index), which is also the result of an empty sequence
/// Exact     on arithmetic types, in any order of the operands if the indices are distinct
/// Cost      two comparisons of values, one of indices
struct argmax : detail::first_extreme {
  template <class T, class Index>
    requires operator_over<minimum, T>
  TALLY_HD constexpr indexed<T, Index> operator()(indexed<T, Index> const& a, indexed<T, Index> const& b) const
  {
    return select(b.value < a.value, a.value < b.value, a, b);
  }
  template <class E>
    requires detail::indexed_number<E>
  TALLY_HD static constexpr E identity()
  {
    return E{maximum::identity<decltype(E::value)>(), detail::greatest<decltype(E::index)>};
  }
};

}  // namespace tally
