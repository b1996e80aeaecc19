#pragma once

#include "tally/config.hpp"
#include "tally/operators/traits.hpp"

/// Segments that are counted while they are reduced.
namespace tally {

/// How many segments have begun, and the value of the last one so far. An element begins a segment (heads == 1) or goes
/// on with the one before (heads == 0).
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

/// `Op` within segments, and their number: the result at an element says in which segment it is, and what that
/// segment's value is up to it.
///
/// Requires  a Count that holds the number of all segments: one that wraps to 0 would have no head.
/// Equation  (m, a) op (n, b) = (m + n, b) if n > 0, else (m, a op b)
/// Exact     where Op is; never commutative, whatever Op is
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
