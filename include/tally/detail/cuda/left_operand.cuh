#pragma once

#include "tally/detail/optional_value.hpp"
#include "tally/operators/traits.hpp"

namespace tally::cuda_backend {

/// A left operand that may be absent (docs/order.md). If the operator has an identity, that stands for the absent
/// operand and changes no bit; else a flag says whether the operand is present.
template <class V, class Op, bool = has_identity<Op, V>>
struct left_operand {
  V value;
  static constexpr bool is_present = true;

  /// `any` is any value of the type: there may be no other way to get one.
  __device__ static left_operand absent(Op const& op, V const& /*any*/) { return {identity_of<V>(op)}; }
  __device__ static left_operand present(V const& value) { return {value}; }

  __device__ V before(V const& right, Op& op) const { return static_cast<V>(op(value, right)); }
  __device__ left_operand before(left_operand const& right, Op& op) const { return {before(right.value, op)}; }
};

template <class V, class Op>
struct left_operand<V, Op, false> : detail::optional_value<V> {
  using optional = detail::optional_value<V>;

  __device__ static left_operand absent(Op const&, V const& any) { return {{any, false}}; }
  __device__ static left_operand present(V const& value) { return {{value, true}}; }

  __device__ V before(V const& right, Op& op) const { return optional::before(right, op); }
  __device__ left_operand before(left_operand const& right, Op& op) const { return {optional::before(right, op)}; }
};

}  // namespace tally::cuda_backend
