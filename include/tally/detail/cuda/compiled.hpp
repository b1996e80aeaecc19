#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/call.hpp"
#include "tally/half.hpp"
#include "tally/operators/arithmetic.hpp"

/// The calls that the library brings compiled, for code that nvcc does not see, and so that nobody waits for nvcc
/// twice: sums, products, extremes and bit operators of numbers in contiguous memory.
namespace tally::cuda_backend {

template <class T>
inline constexpr bool is_compiled_integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;
template <class T>
inline constexpr bool is_compiled_float =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

template <class Op, class T>
inline constexpr bool is_compiled = false;
template <class T>
inline constexpr bool is_compiled<plus, T> = is_compiled_integer<T> || is_compiled_float<T>;
template <class T>
inline constexpr bool is_compiled<multiplies, T> = is_compiled<plus, T>;
template <class T>
inline constexpr bool is_compiled<minimum, T> = is_compiled<plus, T>;
template <class T>
inline constexpr bool is_compiled<maximum, T> = is_compiled<plus, T>;
template <class T>
inline constexpr bool is_compiled<bit_and, T> = is_compiled_integer<T>;
template <class T>
inline constexpr bool is_compiled<bit_or, T> = is_compiled_integer<T>;
template <class T>
inline constexpr bool is_compiled<bit_xor, T> = is_compiled_integer<T>;

/// Types that share their calls: integers of one width, signed and unsigned, unless the operator sees the sign.
template <class Op, class T>
struct compiled_element {
  using type = T;
};
template <class Op, class T>
  requires is_compiled_integer<T>
struct compiled_element<Op, T> {
  static constexpr bool sees_sign = std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;
  template <class Signed, class Unsigned>
  using pick = std::conditional_t<sees_sign && std::is_signed_v<T>, Signed, Unsigned>;
  using type =
      std::conditional_t<sizeof(T) == 1, pick<std::int8_t, std::uint8_t>,
                         std::conditional_t<sizeof(T) == 2, pick<std::int16_t, std::uint16_t>,
                                            std::conditional_t<sizeof(T) == 4, pick<std::int32_t, std::uint32_t>,
                                                               pick<std::int64_t, std::uint64_t>>>>;
};

enum class work { reduce, inclusive_scan, exclusive_scan };

/// `init` is null, or points to a value on the host, which is read before this returns. Of a reduction, `out` takes one
/// value.
template <class Op, class T>
void run_compiled(prepared_call& call, work what, T const* in, std::size_t size, T* out, T const* init);

}  // namespace tally::cuda_backend
