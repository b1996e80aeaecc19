#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tally/half.hpp"

namespace tally::test {

/// The layout of a binary floating-point type: sign, exponent, fraction, from the highest bit down.
template <class T>
struct float_format {
  static constexpr bool exists = false;
};

template <class Bits, int ExponentBits, int FractionBits>
struct binary_format {
  static constexpr bool exists = true;
  using bits = Bits;
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int fraction_bits = FractionBits;
  static constexpr std::uint64_t bias = (std::uint64_t{1} << (ExponentBits - 1)) - 1;
  static constexpr std::uint64_t all_ones_exponent = (std::uint64_t{1} << ExponentBits) - 1;
};

template <>
struct float_format<float> : binary_format<std::uint32_t, 8, 23> {};
template <>
struct float_format<double> : binary_format<std::uint64_t, 11, 52> {};
template <>
struct float_format<half> : binary_format<std::uint16_t, 5, 10> {};
template <>
struct float_format<bfloat16> : binary_format<std::uint16_t, 8, 7> {};

template <class T>
concept binary_float = float_format<T>::exists;

template <binary_float T>
constexpr auto bits_of(T x)
{
  return std::bit_cast<typename float_format<T>::bits>(x);
}

/// The value with these three fields; `exponent` is biased, so 0 makes zeros and denormals.
template <binary_float T>
constexpr T assemble(bool negative, std::uint64_t exponent, std::uint64_t fraction)
{
  using format = float_format<T>;
  std::uint64_t const sign = std::uint64_t{negative} << (format::exponent_bits + format::fraction_bits);
  return std::bit_cast<T>(static_cast<typename format::bits>(sign | (exponent << format::fraction_bits) | fraction));
}

template <binary_float T>
constexpr bool is_nan(T x)
{
  using format = float_format<T>;
  std::uint64_t const magnitude = std::uint64_t{bits_of(x)} << (64 - format::exponent_bits - format::fraction_bits);
  return magnitude > (format::all_ones_exponent << (64 - format::exponent_bits));
}

}  // namespace tally::test
