#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/traits.hpp"

/// The built-in operators on arithmetic types. Each also takes any class type that has the symbol it is named after.
///
/// Integers wrap, signed ones too. `minimum` and `maximum` of floating-point values are those of IEEE 754-2019: any NaN
/// makes the result NaN (its payload is not specified), and -0.0 is less than +0.0. This makes them exactly
/// associative.
namespace tally {

namespace detail {

/// The integers, including those of 128 bits. std::is_integral knows these only with the compiler's extensions.
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T>;
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
template <>
inline constexpr bool is_integer<int128> = true;
template <>
inline constexpr bool is_integer<uint128> = true;
#endif

/// The unsigned type in which T's arithmetic wraps as two's complement does, without undefined behaviour. It is at
/// least as wide as `int`: promotion would make products of narrower types signed again.
template <class T>
struct unsigned_of : std::make_unsigned<T> {};
#ifdef __SIZEOF_INT128__
template <>
struct unsigned_of<int128> {
  using type = uint128;
};
template <>
struct unsigned_of<uint128> {
  using type = uint128;
};
#endif
template <class T>
using wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, typename unsigned_of<T>::type>;

template <class T, class U>
inline constexpr bool same_integers = std::is_same_v<T, U> && is_integer<T> && !std::is_same_v<T, bool>;

template <class T>
struct sum_carry : working<T> {};
template <>
struct sum_carry<float> {
  using type = double;
};

/// float, double, long double, and storage types such as `half`, which specialise std::numeric_limits.
template <class T>
inline constexpr bool is_floating = std::numeric_limits<T>::is_iec559;

template <class T>
inline constexpr bool is_number = is_integer<T> || is_floating<T>;

/// The greatest and the least value: infinities where the type has them. They are variables because a CUDA device
/// function must not call std::numeric_limits.
template <class T>
inline constexpr T greatest = is_floating<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <class T>
inline constexpr T least =
    is_floating<T> ? static_cast<T>(-std::numeric_limits<T>::infinity()) : std::numeric_limits<T>::lowest();
#ifdef __SIZEOF_INT128__
template <>
inline constexpr int128 greatest<int128> = static_cast<int128>(~uint128{} >> 1);
template <>
inline constexpr int128 least<int128> = -greatest<int128> - 1;
template <>
inline constexpr uint128 greatest<uint128> = ~uint128{};
template <>
inline constexpr uint128 least<uint128> = 0;
#endif
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// Whether x is negative or -0.0. It reads the bits where T has no padding, because a division by zero is no constant
/// expression.
template <class T>
TALLY_HD constexpr bool sign_bit(T x)
{
  if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(std::int16_t, x) < 0;
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(std::int32_t, x) < 0;
  else if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(std::int64_t, x) < 0;
  else
    return x < T(0) || (x == T(0) && T(1) / x < T(0));
}

/// a + b, rounded by itself. A GPU's compiler would fuse it with a product that a transformation put into a or b.
template <class T, class U>
TALLY_HD constexpr auto rounded_sum(T const& a, U const& b)
{
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) {
    if constexpr (std::is_same_v<T, float> && std::is_same_v<U, float>) return __fadd_rn(a, b);
    if constexpr (std::is_same_v<T, double> && std::is_same_v<U, double>) return __dadd_rn(a, b);
  }
#endif
  return a + b;
}

}  // namespace detail

/// a + b. Identity: -0.0 for floating-point types (0.0 would turn -0.0 into +0.0), T{} for others.
struct plus {
  template <class T, class U>
    requires requires(T const& a, U const& b) { a + b; }
  TALLY_HD constexpr auto operator()(T const& a, U const& b) const
  {
    if constexpr (detail::same_integers<T, U>)
      return static_cast<T>(static_cast<detail::wrapping<T>>(a) + static_cast<detail::wrapping<T>>(b));
    else if constexpr (std::is_same_v<T, bool> && std::is_same_v<U, bool>)
      return a || b;  // the int a + b as a bool
    else
      return detail::rounded_sum(a, b);
  }
  template <class T>
  TALLY_HD static constexpr T identity()
  {
    if constexpr (detail::is_floating<T>)
      return T(-0.0f);
    else
      return T{};
  }
  template <class T>
  using carry = typename detail::sum_carry<T>::type;
  template <class T>
  static constexpr bool exactly_associative = detail::is_integer<T>;
  template <class T>
  static constexpr bool commutative = detail::is_number<T>;
};

/// a * b. Identity: one.
struct multiplies {
  template <class T, class U>
    requires requires(T const& a, U const& b) { a* b; }
  TALLY_HD constexpr auto operator()(T const& a, U const& b) const
  {
    if constexpr (detail::same_integers<T, U>)
      return static_cast<T>(static_cast<detail::wrapping<T>>(a) * static_cast<detail::wrapping<T>>(b));
    else if constexpr (std::is_same_v<T, bool> && std::is_same_v<U, bool>)
      return a && b;
    else
      return a * b;
  }
  template <class T>
    requires std::constructible_from<T, int>
  TALLY_HD static constexpr T identity()
  {
    return T(1);
  }
  template <class T>
  static constexpr bool exactly_associative = detail::is_integer<T>;
  template <class T>
  static constexpr bool commutative = detail::is_number<T>;
};

/// The lesser of a and b; a if neither is less. Identity: the largest value (infinity).
struct minimum {
  template <class T>
    requires requires(T const& a, T const& b) { static_cast<bool>(a < b); }
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    if constexpr (detail::is_floating<T>) {
      if (a != a) return a;
      if (b != b) return b;
      if (a == b) return detail::sign_bit(a) ? a : b;
    }
    return b < a ? b : a;
  }
  template <class T>
    requires detail::is_number<T>
  TALLY_HD static constexpr T identity()
  {
    return detail::greatest<T>;
  }
  template <class T>
  static constexpr bool exactly_associative = detail::is_number<T>;
  template <class T>
  static constexpr bool commutative = detail::is_number<T>;
};

/// The greater of a and b; a if neither is greater. Identity: the lowest value (-infinity).
struct maximum {
  template <class T>
    requires requires(T const& a, T const& b) { static_cast<bool>(a < b); }
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    if constexpr (detail::is_floating<T>) {
      if (a != a) return a;
      if (b != b) return b;
      if (a == b) return detail::sign_bit(a) ? b : a;
    }
    return a < b ? b : a;
  }
  template <class T>
    requires detail::is_number<T>
  TALLY_HD static constexpr T identity()
  {
    return detail::least<T>;
  }
  template <class T>
  static constexpr bool exactly_associative = detail::is_number<T>;
  template <class T>
  static constexpr bool commutative = detail::is_number<T>;
};

namespace detail {

/// The base of the bit and logical operators, which are exact and commutative on integers.
struct exact_on_integers {
  template <class T>
  static constexpr bool exactly_associative = detail::is_integer<T>;
  template <class T>
  static constexpr bool commutative = detail::is_integer<T>;
};

}  // namespace detail

/// a & b. Identity: all bits set.
struct bit_and : detail::exact_on_integers {
  template <class T>
    requires requires(T const& a, T const& b) { static_cast<T>(a & b); }
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    return static_cast<T>(a & b);
  }
  template <class T>
    requires detail::is_integer<T>
  TALLY_HD static constexpr T identity()
  {
    if constexpr (std::is_same_v<T, bool>)
      return true;
    else
      return static_cast<T>(~T{});
  }
};

/// a | b. Identity: no bits set.
struct bit_or : detail::exact_on_integers {
  template <class T>
    requires requires(T const& a, T const& b) { static_cast<T>(a | b); }
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    return static_cast<T>(a | b);
  }
  template <class T>
  TALLY_HD static constexpr T identity()
  {
    return T{};
  }
};

/// a ^ b. Identity: no bits set.
struct bit_xor : detail::exact_on_integers {
  template <class T>
    requires requires(T const& a, T const& b) { static_cast<T>(a ^ b); }
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    return static_cast<T>(a ^ b);
  }
  template <class T>
  TALLY_HD static constexpr T identity()
  {
    return T{};
  }
};

/// Whether both are nonzero, as 0 or 1. Identity: true, on bool. Other integers have no identity: 1 op 2 is 1, not 2.
/// The first result of a scan is the input's own value; map to bool first to have 0 and 1 throughout.
struct logical_and : detail::exact_on_integers {
  template <class T>
    requires requires(T const& a, T const& b) { static_cast<T>(a && b); }
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    return static_cast<T>(a && b);
  }
  template <class T>
    requires std::is_same_v<T, bool>
  TALLY_HD static constexpr T identity()
  {
    return T(1);
  }
};

/// Whether either is nonzero, as 0 or 1. Identity: false, on bool. `logical_and` says more about other integers.
struct logical_or : detail::exact_on_integers {
  template <class T>
    requires requires(T const& a, T const& b) { static_cast<T>(a || b); }
  TALLY_HD constexpr T operator()(T const& a, T const& b) const
  {
    return static_cast<T>(a || b);
  }
  template <class T>
    requires std::is_same_v<T, bool>
  TALLY_HD static constexpr T identity()
  {
    return T{};
  }
};

}  // namespace tally
