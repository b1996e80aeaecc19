#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/operators/arithmetic.hpp"

/// The built-in operators, for which backends have compiled kernels. A line is
///
///     X(operator, the standard library's function object of that meaning or `none`, operands)
///
/// and a new operator is a new line: this table generates the CPU and GPU kernels, and the calls that take the
/// standard's function object. Its vector instruction is an overload of `apply` in src/cpu/vectors-inl.hpp.
/// (src/cuda/CMakeLists.txt reads the table too.)
#define TALLY_BUILT_IN_OPERATORS(X)                                                                                    \
  X(plus, std::plus, numbers)                                                                                          \
  X(multiplies, std::multiplies, numbers)                                                                              \
  X(minimum, none, ordered_numbers)                                                                                    \
  X(maximum, none, ordered_numbers)                                                                                    \
  X(bit_and, std::bit_and, integers)                                                                                   \
  X(bit_or, std::bit_or, integers)                                                                                     \
  X(bit_xor, std::bit_xor, integers)

namespace tally::detail::built_in {

enum class operands {
  numbers,          ///< integers, whose sign does not matter, and floating-point numbers
  ordered_numbers,  ///< the same, but signed integers are not unsigned ones
  integers,         ///< integers, whose sign does not matter
};

template <class>
struct none;

/// The place of an operator in the table.
enum class number : std::size_t {
#define TALLY_NUMBER(op, standard, types) op,
  TALLY_BUILT_IN_OPERATORS(TALLY_NUMBER)
#undef TALLY_NUMBER
      count
};
inline constexpr std::size_t count = static_cast<std::size_t>(number::count);

template <class Op>
struct entry {
  static constexpr bool listed = false;
};
#define TALLY_ENTRY(op, standard, types)                                                                               \
  template <>                                                                                                          \
  struct entry<tally::op> {                                                                                            \
    static constexpr bool listed = true;                                                                               \
    static constexpr std::size_t place = static_cast<std::size_t>(number::op);                                         \
    static constexpr operands takes = operands::types;                                                                 \
  };
TALLY_BUILT_IN_OPERATORS(TALLY_ENTRY)
#undef TALLY_ENTRY

/// Op is in the table and takes integers (`Integer`), or else floating-point numbers.
template <class Op, bool Integer>
inline constexpr bool takes = [] {
  if constexpr (entry<Op>::listed)
    return Integer || entry<Op>::takes != operands::integers;
  else
    return false;
}();

/// The type whose kernels Op uses on T. Integers of one width share kernels, as do `long` and `long long`; signed and
/// unsigned integers share them unless Op depends on the sign.
template <class Op, class T>
struct element {
  using type = T;
};
template <class Op, class T>
  requires std::is_integral_v<T>
struct element<Op, T> {
  template <class Signed, class Unsigned>
  using pick =
      std::conditional_t<std::is_signed_v<T> && entry<Op>::takes == operands::ordered_numbers, Signed, Unsigned>;
  using type =
      std::conditional_t<sizeof(T) == 1, pick<std::int8_t, std::uint8_t>,
                         std::conditional_t<sizeof(T) == 2, pick<std::int16_t, std::uint16_t>,
                                            std::conditional_t<sizeof(T) == 4, pick<std::int32_t, std::uint32_t>,
                                                               pick<std::int64_t, std::uint64_t>>>>;
};

/// The built-in operator that means the same on T as `Op`, a function object of the standard library; else Op itself.
template <class Op, class T>
struct canonical {
  using type = Op;
};
template <class Op, class T>
  requires((is_integer<T> || std::is_floating_point_v<T>) && !std::is_same_v<T, bool>)
struct canonical<Op, T> {
  template <template <class> class Standard>
  static constexpr bool is = std::is_same_v<Op, Standard<void>> || std::is_same_v<Op, Standard<T>>;
  static auto pick()
  {
#define TALLY_IF_STANDARD(op, standard, types)                                                                         \
  if constexpr (is<standard> && takes<tally::op, is_integer<T>>)                                                       \
    return tally::op{};                                                                                                \
  else
    TALLY_BUILT_IN_OPERATORS(TALLY_IF_STANDARD) return;
#undef TALLY_IF_STANDARD
  }
  using type = std::conditional_t<std::is_void_v<decltype(pick())>, Op, decltype(pick())>;
};

}  // namespace tally::detail::built_in
