#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <tally/operators.hpp>

#include "operation.hpp"
#include "values.hpp"

/// The operations that a GPU does on each type: those that the library has compiled.
namespace tally::cli {

/// Calls use(operator) with the operator of `op`. Requires: `op` has one.
template <class Use>
void with_operator(operation op, Use use)
{
  switch (op) {
    case operation::sum: return use(plus{});
    case operation::product: return use(multiplies{});
    case operation::min: return use(minimum{});
    case operation::max: return use(maximum{});
    case operation::bit_and: return use(bit_and{});
    case operation::bit_or: return use(bit_or{});
    case operation::bit_xor: return use(bit_xor{});
    default: return;
  }
}

/// Integers are added in 64 bits only, since narrower sums are not exact, and not multiplied, since nothing tells
/// whether a product is exact.
template <class Op, class T>
inline constexpr bool on_gpu =
    std::is_floating_point_v<T>
        ? std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> || std::is_same_v<Op, minimum> ||
              std::is_same_v<Op, maximum>
        : sizeof(T) <= 8 && !std::is_same_v<Op, multiplies> && (!std::is_same_v<Op, plus> || sizeof(T) == 8);

/// The beginning of an exclusive scan. The sum of no values is 0.0, not the identity -0.0, as on the CPU.
template <class T, class Op>
T result_of_none(std::optional<result> const& init)
{
  if (init) return std::visit([](auto x) { return static_cast<T>(x); }, *init);
  return std::is_same_v<Op, plus> ? T{} : identity_of<T>(Op{});
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
