#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "values.hpp"

namespace tally::cli {

/// Unsigned integers in the order of values: integers by themselves, doubles with -0.0 before 0.0 and all NaNs last and
/// equal.
__extension__ using order_key = unsigned __int128;

inline order_key key_of(int128 value)
{
  return static_cast<order_key>(value) ^ order_key { 1 } << 127;
}

inline constexpr std::uint64_t key_of_nan = std::numeric_limits<std::uint64_t>::max();

inline order_key key_of(double value)
{
  if (std::isnan(value)) return key_of_nan;
  auto const bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

/// The value that has the key.
template <class T>
T value_of(order_key key);

template <>
inline int128 value_of(order_key key)
{
  return static_cast<int128>(key ^ order_key{1} << 127);
}

template <>
inline double value_of(order_key key)
{
  auto const bits = static_cast<std::uint64_t>(key);
  if (bits == key_of_nan) return std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>(bits >> 63 ? bits ^ std::uint64_t{1} << 63 : ~bits);
}

}  // namespace tally::cli
