#pragma once

#include <string_view>

#include "io/element_type.hpp"

namespace tally::io {

/// The unit of integers that stand for other numbers.
enum class number_unit : unsigned char {
  one,      ///< numbers as they are, integers and doubles
  decimal,  ///< integers of 10^-18
};

/// The suffixes of 1000, 1000^2, ... or of 1024, 1024^2, ...
inline constexpr std::string_view number_suffixes = "KMGTPEZYRQ";

/// The decimals behind the point of a number_unit::decimal.
inline constexpr int decimal_places = 18;
inline constexpr int128 decimal_one = 1'000'000'000'000'000'000;

/// The unit of numbers and how finely they were written. Results are written as finely as the values that they are
/// made of, and more finely if they need it.
struct number_form {
  number_unit unit = number_unit::one;
  unsigned char digits = 0;  ///< behind the point, of a decimal

  friend bool operator==(number_form, number_form) = default;
};

/// The form of a sequence of numbers of both forms. Requires: one unit, or no numbers of form `a`.
constexpr number_form joined(number_form a, number_form b)
{
  return a.unit != b.unit || a.digits < b.digits ? b : a;
}

}  // namespace tally::io
