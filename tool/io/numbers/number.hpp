#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "io/element_type.hpp"
#include "io/numbers/reading.hpp"

namespace tally::io {

/// The most characters that a number needs in text.
inline constexpr std::size_t max_number_length = 48;

/// Writes a value of any element type as text_writer does, without a terminator. Requires: max_number_length characters
/// at `to`. Returns the end.
template <class T>
char* format_number(char* to, T value);

template <class T>
std::string to_text(T value)
{
  char buffer[max_number_length];
  return std::string(buffer, format_number(buffer, value));
}

/// The value of a token.
using number = std::variant<int128, double>;

/// Reads one whole token (for instance the argument of --init) by the rules of number_rule::automatic.
/// Throws data_error, with `where`, if it is none.
number parse_number(std::string_view token, std::string const& where);
/// The same by the rules of a reading. A decimal is an integer of 10^-18.
number parse_number(std::string_view token, std::string const& where, number_reading const& how);

}  // namespace tally::io
