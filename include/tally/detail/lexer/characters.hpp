#pragma once

/// Classes of ASCII characters, whatever the locale.
namespace tally::detail::lexer {

constexpr bool is_digit(unsigned char c)
{
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(unsigned char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_hexadecimal(unsigned char c)
{
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace tally::detail::lexer
