#pragma once

#include <concepts>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/traits.hpp"

/// Reduces or scans many sequences that stand end to end as one sequence.
namespace tally {

/// A value, and whether it is the head of a segment: the first element of one of the sequences.
template <class T>
struct flagged {
  T value;
  bool head;

  template <class U>
  TALLY_HD explicit constexpr operator flagged<U>() const
  {
    return {static_cast<U>(value), head};
  }

  friend constexpr bool operator==(flagged const&, flagged const&) = default;
};

template <class T>
flagged(T, bool) -> flagged<T>;

namespace detail {

template <class T>
struct working<flagged<T>> {
  using type = flagged<typename working<T>::type>;
};

template <class Op, class F>
struct segment_traits {
  using carry = F;
  static constexpr bool exact = false;
};
template <class Op, class T>
struct segment_traits<Op, flagged<T>> {
  using value = T;
  using carry = flagged<carry_type<Op, T>>;
  static constexpr bool exact = tally::exactly_associative<Op, T>;
};

}  // namespace detail

/// Applies `Op` within segments; nothing crosses a head. An inclusive scan of flagged values scans every segment by
/// itself.
///
/// Equation  (a, f) op (b, g) = (b, true) if g, else (a op b, f)
/// Identity  (the identity of Op, false), where Op has one
/// Exact     where Op is. Never commutative.
/// Cost      one application of Op and one selection. Totals of tiles are combined in the carry type of Op.
/// Source    Schwartz, Ultracomputers (1980); Blelloch, Prefix sums and their applications (1990), section 1.5
template <class Op>
struct segmented {
  Op op{};

  template <class T>
    requires operator_over<Op const, T>
  TALLY_HD constexpr flagged<T> operator()(flagged<T> const& a, flagged<T> const& b) const
  {
    if constexpr (std::is_arithmetic_v<T>) {
      // A selection: at a branch the lanes of a warp would diverge.
      T const both = static_cast<T>(op(a.value, b.value));
      return {b.head ? b.value : both, b.head || a.head};
    } else {
      if (b.head) return b;
      return {static_cast<T>(op(a.value, b.value)), a.head};
    }
  }
  template <class F>
    requires has_identity<Op, typename detail::segment_traits<Op, F>::value>
  TALLY_HD constexpr F identity() const
  {
    return {identity_of<typename detail::segment_traits<Op, F>::value>(op), false};
  }
  template <class F>
  using carry = typename detail::segment_traits<Op, F>::carry;
  template <class F>
  static constexpr bool exactly_associative = detail::segment_traits<Op, F>::exact;
};

template <class Op>
segmented(Op) -> segmented<Op>;

}  // namespace tally
