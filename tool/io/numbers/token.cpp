#include "io/numbers/token.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace tally::io {

namespace {

bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

constexpr uint128 largest_int128 = ~uint128(0) >> 1;

/// The value of digits; nothing if it exceeds 2^128 - 1.
std::optional<uint128> join(char const* begin, char const* end)
{
  uint128 value = 0;
  for (; begin != end; ++begin) {
    if (__builtin_mul_overflow(value, uint128(10), &value) ||
        __builtin_add_overflow(value, uint128(static_cast<unsigned>(*begin - '0')), &value))
      return std::nullopt;
  }
  return value;
}

token_value decode_integer(char const* begin, char const* end, bool negative)
{
  token_value result{};
  std::optional<uint128> const magnitude = join(begin, end);
  if (!magnitude || *magnitude > largest_int128 + negative) {
    result.kind = token_kind::integer_too_large;
    fast_float::from_chars(begin, end, result.real);
    if (negative) result.real = -result.real;
    return result;
  }
  auto const value = static_cast<int128>(negative ? -*magnitude : *magnitude);
  if (value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max()) {
    result.kind = token_kind::narrow;
    result.narrow = static_cast<std::int64_t>(value);
  } else {
    result.kind = token_kind::wide;
    result.wide = value;
  }
  return result;
}

}  // namespace

token_value decode_rest(char const* begin, char const* end)
{
  token_value result{};
  result.kind = token_kind::garbage;
  if (begin == end) return result;
  bool const negative = *begin == '-';
  if (negative || *begin == '+') ++begin;
  // fast_float would accept a second minus sign.
  if (begin == end || *begin == '-' || *begin == '+') return result;
  if (std::all_of(begin, end, is_digit)) return decode_integer(begin, end, negative);

  auto const [stop, error] = fast_float::from_chars(begin, end, result.real);
  if (error != std::errc() || stop != end) return result;
  bool const literal = is_digit(*begin) || *begin == '.';
  result.kind = literal && std::isinf(result.real) ? token_kind::float_too_large : token_kind::real;
  if (negative) result.real = -result.real;
  return result;
}

std::string describe(std::string_view token)
{
  if (token.empty()) return "nothing";
  if (token.find('\0') != token.npos) return "a NUL byte";
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (char const byte : token.substr(0, longest)) {
    if (byte >= 0x20 && byte < 0x7f)
      text += byte;
    else
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  text += token.size() > longest ? "...'" : "'";
  return text;
}

}  // namespace tally::io
