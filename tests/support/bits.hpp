#pragma once

#include <cstddef>
#include <cstring>
#include <iomanip>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "float_format.hpp"

namespace tally::test {

/// Compares every bit, except for NaNs: any NaN equals any other, because their bits are unspecified. Types with
/// padding or with heap memory are compared by ==.
template <class T>
bool same(T const& a, T const& b)
{
  if constexpr (binary_float<T>)
    return bits_of(a) == bits_of(b) || (is_nan(a) && is_nan(b));
  else
    return a == b;
}

/// The text of a value in a failure message: floating-point values have their bits in it.
template <class T>
std::string shown(T const& value)
{
  std::ostringstream out;
  if constexpr (binary_float<T>)
    out << std::setprecision(17) << static_cast<double>(value) << " (0x" << std::hex << std::uint64_t{bits_of(value)}
        << ")";
  else if constexpr (std::is_integral_v<T>)
    out << +value;
  else
    out << testing::PrintToString(value);
  return out.str();
}

/// Checks that two sequences agree in every bit. The message has the first difference and the number of differences.
template <class T>
testing::AssertionResult same_bits(std::span<T const> got, std::span<T const> expected)
{
  if (got.size() != expected.size())
    return testing::AssertionFailure() << got.size() << " elements, expected " << expected.size();
  if constexpr (std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>) {
    if (got.empty() || std::memcmp(got.data(), expected.data(), got.size_bytes()) == 0)
      return testing::AssertionSuccess();
  }
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (!same(got[k], expected[k]) && wrong++ == 0) first = k;
  }
  if (wrong == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << wrong << " of " << got.size() << " elements differ, the first at " << first
                                     << ": " << shown(got[first]) << ", expected " << shown(expected[first]);
}

template <class T>
testing::AssertionResult same_bits(std::vector<T> const& got, std::vector<T> const& expected)
{
  return same_bits(std::span<T const>(got), std::span<T const>(expected));
}

template <class T>
testing::AssertionResult same_value(T const& got, T const& expected)
{
  return same_bits(std::span<T const>(&got, 1), std::span<T const>(&expected, 1));
}

}  // namespace tally::test
