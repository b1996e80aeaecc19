#pragma once

#include "tally/config.hpp"
#include "tally/operators/traits.hpp"

/// Reduces segments and counts them at the same time.
namespace tally {

/// The number of segments that have begun, and the value of the last one so far. An element begins a segment
/// (heads == 1) or continues the one before (heads == 0).
template <class T, class Count>
struct numbered {
  Count heads;
  T value;

  friend constexpr bool operator==(numbered const&, numbered const&) = default;
};

namespace detail {

template <class Op, class N>
inline constexpr bool exactly_numbered = false;
template <class Op, class T, class Count>
inline constexpr bool exactly_numbered<Op, numbered<T, Count>> = tally::exactly_associative<Op, T>;

}  // namespace detail

/// Applies `Op` within segments and counts them. A scan's result at an element is the number of its segment and the
/// segment's value up to that element.
///
/// Requires  a Count that can hold the number of all segments: a count that wraps to 0 would mean that no head was
///           seen.
/// Equation  (m, a) op (n, b) = (m + n, b) if n > 0, else (m, a op b)
/// Exact     where Op is. Never commutative.
/// Cost      one application of Op, an addition and a selection. A scan on a GPU counts heads by votes of 32 elements.
/// Source    as `segmented`
template <class Op>
struct numbered_segments {
  Op op{};

  template <class T, class Count>
  TALLY_HD constexpr numbered<T, Count> operator()(numbered<T, Count> const& a, numbered<T, Count> const& b) const
  {
    T const both = static_cast<T>(op(a.value, b.value));
    return {static_cast<Count>(a.heads + b.heads), b.heads != 0 ? b.value : both};
  }
  template <class N>
  static constexpr bool exactly_associative = detail::exactly_numbered<Op, N>;
};

template <class Op>
numbered_segments(Op) -> numbered_segments<Op>;

}  // namespace tally
