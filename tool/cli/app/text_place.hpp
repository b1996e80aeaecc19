#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tally/reduce.hpp>

#include "app/input.hpp"
#include "io/errors.hpp"

/// The place of a byte in a text, for messages.
namespace tally::cli {

/// The line and column of `text[at]`, both from 1. A reduction counts the line ends before it.
inline io::location place_of(std::string const& file, std::string_view text, std::size_t at)
{
  std::string_view const before = text.substr(0, at);
  auto const line_ends = tally::transform_reduce(tally::cpu{}, before.begin(), before.end(), std::uint64_t{0}, plus{},
                                                 [](char c) { return std::uint64_t{c == '\n'}; });
  std::size_t const begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {name_of(file), line_ends + 1, at - begin + 1};
}

/// A byte as messages show it.
inline std::string shown(char byte)
{
  auto const value = static_cast<unsigned char>(byte);
  if (byte == '\n') return "a line's end";
  if (value >= 0x20 && value < 0x7f) return std::string("'") + byte + "'";
  char const* const digits = "0123456789abcdef";
  return std::string("byte 0x") + digits[value / 16] + digits[value % 16];
}

}  // namespace tally::cli
