#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <tally/operators.hpp>

#include "operation.hpp"
#include "values.hpp"

/// Which operations a GPU does on which types: those that the library brings compiled.
namespace tally::cli {

/// Calls use(operator) with the operator of `op`. Requires: there is one.
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

/// Integers are added in 64 bits only, and not multiplied: narrower results are not exact, nor can it be known whether
/// a product is.
template <class Op, class T>
inline constexpr bool on_gpu =
    std::is_floating_point_v<T>
        ? std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> || std::is_same_v<Op, minimum> ||
              std::is_same_v<Op, maximum>
        : sizeof(T) <= 8 && !std::is_same_v<Op, multiplies> && (!std::is_same_v<Op, plus> || sizeof(T) == 8);

/// What an exclusive scan begins with. The sum of no values is 0.0, not the identity -0.0, as on the CPU.
template <class T, class Op>
T result_of_none(std::optional<result> const& init)
{
  if (init) return std::visit([](auto x) { return static_cast<T>(x); }, *init);
  return std::is_same_v<Op, plus> ? T{} : identity_of<T>(Op{});
}

/// A value as a result: integers in 128 bits.
template <class T>
result as_result(T value)
{
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return static_cast<int128>(value);
}

}  // namespace tally::cli
