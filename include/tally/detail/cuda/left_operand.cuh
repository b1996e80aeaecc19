#pragma once

#include "tally/operators/traits.hpp"

namespace tally::cuda_backend {

/// A left operand that may be absent (docs/order.md): a + absent = absent + a = a. Where the operator has an identity
/// that serves as absent, since it changes no bit; else a flag says so.
template <class V, class Op, bool = has_identity<Op, V>>
struct left_operand {
  V value;

  /// `any` is some value of the type, of which there may be no other.
  __device__ static left_operand absent(Op const& op, V const& /*any*/) { return {identity_of<V>(op)}; }
  __device__ static left_operand present(V const& value) { return {value}; }

  __device__ bool is_present() const { return true; }
  __device__ V before(V const& right, Op& op) const { return static_cast<V>(op(value, right)); }
  __device__ left_operand before(left_operand const& right, Op& op) const { return {before(right.value, op)}; }
};

template <class V, class Op>
struct left_operand<V, Op, false> {
  V value;
  bool there;

  __device__ static left_operand absent(Op const&, V const& any) { return {any, false}; }
  __device__ static left_operand present(V const& value) { return {value, true}; }

  __device__ bool is_present() const { return there; }
  __device__ V before(V const& right, Op& op) const { return there ? static_cast<V>(op(value, right)) : right; }
  __device__ left_operand before(left_operand const& right, Op& op) const
  {
    return right.there ? present(before(right.value, op)) : *this;
  }
};

}  // namespace tally::cuda_backend
