#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "io/element_type.hpp"
#include "io/numbers/form.hpp"

namespace tally::io {

/// The suffix of a number, or its base.
enum class number_scale {
  none,
  si,           ///< 1.5K is 1500
  iec,          ///< 1.5K is 1536
  iec_i,        ///< 1.5Ki is 1536
  hexadecimal,  ///< integers are 0x1f; other numbers are written without a scale
};

/// The way in which numbers are written. The default is the one of format_number in number.hpp: integers in full,
/// floating-point values with the fewest digits that read back to the same bits.
struct number_style {
  number_form form = {};  ///< the unit of integers
  std::optional<int> precision =
      {};  ///< decimals of every number, rounded to nearest, ties to even: 0 .. most_precision
  number_scale scale = number_scale::none;  ///< with a suffix: three significant digits, unless there is a precision
  char point = '.';                         ///< before decimals: '.' or ','
  std::string thousands = {};               ///< between groups of three digits before the point: up to four bytes

  /// Whether format_number of number.hpp writes the same.
  bool plain() const
  {
    return form == number_form{} && !precision && scale == number_scale::none && point == '.' && thousands.empty();
  }
};

inline constexpr int most_precision = 30;

/// The most characters that a number needs in any style: 309 digits, 102 groups, 30 decimals.
inline constexpr std::size_t max_styled_length = 768;

/// Writes a value in a style, without a terminator. Requires: max_styled_length characters at `to`. Returns the end.
template <class T>
char* format_number(char* to, T value, number_style const& style);

template <class T>
std::string to_text(T value, number_style const& style)
{
  char buffer[max_styled_length];
  return std::string(buffer, format_number(buffer, value, style));
}

}  // namespace tally::io
