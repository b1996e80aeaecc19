#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <tally/operators.hpp>

#include "operations/operation.hpp"
#include "operations/shown_identity.hpp"
#include "values.hpp"

/// The operations that a GPU does on each type: those that the library has compiled.
namespace tally::cli {

/// Calls use(operator) with the operator of `op`. Requires: has_operator(op).
template <class Use>
void with_operator(operation op, Use use)
{
  switch (op) {
#define TALLY_CASE(op, name, meaning, other_names, kind, combine)                                                      \
  case operation::op: return use(tally::combine{});
    TALLY_OPERATIONS_BY_OPERATOR(TALLY_CASE)
#undef TALLY_CASE
    default: return;
  }
}

/// Integers are added in 64 bits only, since narrower sums are not exact, and not multiplied, since nothing tells
/// whether a product is exact.
template <class Op, class T>
inline constexpr bool on_gpu =
    monoid_over<Op, T> && (std::is_floating_point_v<T> || (sizeof(T) <= 8 && !std::is_same_v<Op, multiplies> &&
                                                           (!std::is_same_v<Op, plus> || sizeof(T) == 8)));

/// The beginning of an exclusive scan.
template <class T, class Op>
T result_of_none(std::optional<result> const& init)
{
  auto const as_value = []<class U>(U x) {
    if constexpr (std::is_same_v<U, io::quantity>)
      return static_cast<T>(x.count);  // not on a GPU
    else
      return static_cast<T>(x);
  };
  if (init) return std::visit(as_value, *init);
  return shown_identity<T, Op>();
}

/// A value as a result. Integers become int128.
template <class T>
result as_result(T value)
{
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return static_cast<int128>(value);
}

}  // namespace tally::cli
