#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "tally/config.hpp"

/// The properties that travel with an operator. An operator is any function object `T op(T, T)` that is associative up
/// to rounding. It may declare more about itself by the members below. Each is optional. Each is a plain member or,
/// where it depends on the element type, a member template over that type:
///
///     T identity()                   op(identity, x) == x == op(x, identity), in bits
///     using carry = C                the type in which totals of tiles are added up (docs/order.md)
///     bool exactly_associative       (a op b) op c == a op (b op c) in bits: every bracketing gives the same result
///     bool commutative               a op b == b op a, in bits
///
/// "In bits" counts all NaNs as equal, here and everywhere, because compilers and processors choose their payloads
/// freely.
namespace tally {

namespace detail {

template <class Op, class T>
concept has_identity_template = requires(Op const op) {
  { op.template identity<T>() } -> std::convertible_to<T>;
};
template <class Op, class T>
concept has_plain_identity = requires(Op const op) {
  { op.identity() } -> std::convertible_to<T>;
};

template <class T>
struct working {
  using type = T;
};

template <class Op, class T>
struct carry_of {
  using type = typename working<T>::type;
};
template <class Op, class T>
  requires requires { typename Op::template carry<T>; }
struct carry_of<Op, T> {
  using type = typename Op::template carry<T>;
};
template <class Op, class T>
  requires(
      requires { typename Op::carry; } && !requires { typename Op::template carry<T>; })
struct carry_of<Op, T> {
  using type = typename Op::carry;
};

// The plain member is looked up first: GCC 12 rejects `Op::template name<T>` for a member that is no template, even in
// a requires-expression.
template <class Op, class T>
consteval bool declared_exactly_associative()
{
  if constexpr (requires {
                  { Op::exactly_associative } -> std::convertible_to<bool>;
                })
    return Op::exactly_associative;
  else if constexpr (requires {
                       { Op::template exactly_associative<T> } -> std::convertible_to<bool>;
                     })
    return Op::template exactly_associative<T>;
  else
    return false;
}

template <class Op, class T>
consteval bool declared_commutative()
{
  if constexpr (requires {
                  { Op::commutative } -> std::convertible_to<bool>;
                })
    return Op::commutative;
  else if constexpr (requires {
                       { Op::template commutative<T> } -> std::convertible_to<bool>;
                     })
    return Op::template commutative<T>;
  else
    return false;
}

}  // namespace detail

/// `op` can be called with two values of `T`, and its result converts to `T`.
template <class Op, class T>
concept operator_over = std::is_invocable_r_v<T, Op&, T, T>;

template <class Op, class T>
concept has_identity = detail::has_identity_template<Op, T> || detail::has_plain_identity<Op, T>;

/// An operator with an identity, so that an empty reduction has a value.
template <class Op, class T>
concept monoid_over = operator_over<Op, T> && has_identity<Op, T>;

/// The identity that travels with `op`.
template <class T, class Op>
  requires has_identity<Op, T>
TALLY_HD constexpr T identity_of(Op const& op)
{
  if constexpr (detail::has_identity_template<Op, T>)
    return op.template identity<T>();
  else
    return op.identity();
}

/// The reduction of no elements: the identity of `op`, except that a floating-point zero becomes +0.0, as readers
/// expect of an empty sum. (The identity of sums is -0.0, which changes no operand.)
template <class T, class Op>
  requires has_identity<Op, T>
constexpr T reduction_of_nothing(Op const& op)
{
  T const identity = identity_of<T>(op);
  if constexpr (std::numeric_limits<T>::is_iec559)
    return identity == T(0.0f) ? T(0.0f) : identity;
  else
    return identity;
}

/// The type in which totals of tiles are added up: `double` for sums of `float`.
template <class Op, class T>
using carry_type = typename detail::carry_of<Op, T>::type;

/// Every bracketing of `op` over `T` gives the same bits, as far as `op` declares it.
template <class Op, class T>
inline constexpr bool exactly_associative = detail::declared_exactly_associative<Op, T>();

/// a op b == b op a in bits over `T`, as far as `op` declares it.
template <class Op, class T>
inline constexpr bool commutative = detail::declared_commutative<Op, T>();

/// The type in which elements of `T` are combined: `float` for `half` and `bfloat16`, `T` itself for others.
template <class T>
using working_type = typename detail::working<T>::type;

}  // namespace tally
