#include "io/numbers/reading.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "io/numbers/time_token.hpp"
#include "io/numbers/units.hpp"

namespace tally::io {

namespace {

bool is_decimal_digit(char c)
{
  return c >= '0' && c <= '9';
}

/// A suffix: 10^(3 * thousands) * 2^(10 * kibi).
struct suffix {
  int thousands = 0;
  int kibi = 0;
};

/// Removes the suffix from the end of a token. A blank may stand before it, and a B for bytes behind it.
std::optional<suffix> take_suffix(char const* begin, char const*& end, number_notation notation)
{
  char const* at = end;
  if (at - begin > 1 && at[-1] == 'B') --at;
  bool const binary = at - begin > 2 && at[-1] == 'i' && notation != number_notation::si;
  if (binary) --at;
  char const letter = at - begin > 1 ? (at[-1] == 'k' ? 'K' : at[-1]) : '\0';
  std::size_t const power = letter == '\0' ? number_suffixes.npos : number_suffixes.find(letter);
  if (power == number_suffixes.npos) {
    if (binary) return std::nullopt;
    if (at != end && !is_decimal_digit(at[-1]) && at[-1] != ' ') return std::nullopt;
  } else {
    --at;
  }
  if (at != end && at - begin > 1 && at[-1] == ' ') --at;
  end = at;
  if (power == number_suffixes.npos) return suffix{};
  int const exponent = static_cast<int>(power) + 1;
  if (binary || notation == number_notation::iec) return suffix{0, exponent};
  return suffix{exponent, 0};
}

/// Writes a token to `text` with a '.' for a point and without separators of thousands. False if these stand elsewhere
/// than between groups of three digits.
bool write_plainly(char const* at, char const* end, number_reading const& how, std::string& text)
{
  text.clear();
  if (*at == '-' || *at == '+') text += *at++;
  std::size_t group = 0;
  bool grouped = false;
  for (std::string const& between = how.thousands; at < end;) {
    if (is_decimal_digit(*at)) {
      text += *at++;
      ++group;
    } else if (!between.empty() && static_cast<std::size_t>(end - at) > between.size() &&
               std::memcmp(at, between.data(), between.size()) == 0) {
      if (grouped ? group != 3 : group == 0 || group > 3) return false;
      grouped = true;
      group = 0;
      at += between.size();
    } else {
      break;
    }
  }
  if (grouped && group != 3) return false;
  if (at < end && *at == how.point) {
    text += '.';
    ++at;
  }
  std::string_view const rest(at, static_cast<std::size_t>(end - at));
  if (rest.find('.') != rest.npos) return false;
  text += rest;
  return true;
}

token_value garbage()
{
  token_value result{};
  result.kind = token_kind::garbage;
  return result;
}

token_value integer(int128 value)
{
  token_value result{};
  bool const narrow =
      value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
  result.kind = narrow ? token_kind::narrow : token_kind::wide;
  if (narrow)
    result.narrow = static_cast<std::int64_t>(value);
  else
    result.wide = value;
  return result;
}

/// sign * digits * 10^exponent, where digits < 2^127; nothing for other text, or more digits.
struct decimal_text {
  int128 digits = 0;
  int exponent = 0;
};

std::optional<decimal_text> parse_decimal(char const* at, char const* end)
{
  bool const negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  decimal_text result;
  char const* const first = at;
  // Up to 18 digits go into 64 bits.
  std::uint64_t low = 0;
  char const* const near = end - at > 18 ? at + 18 : end;
  while (at < near && is_decimal_digit(*at)) low = low * 10 + static_cast<std::uint64_t>(*at++ - '0');
  result.digits = low;
  auto const append = [&](char digit) {
    return !__builtin_mul_overflow(result.digits, int128{10}, &result.digits) &&
           !__builtin_add_overflow(result.digits, int128{digit - '0'}, &result.digits);
  };
  for (; at < end && is_decimal_digit(*at); ++at)
    if (!append(*at)) return std::nullopt;
  auto count = at - first;
  if (at < end && *at == '.') {
    char const* const fraction = ++at;
    while (at < end && is_decimal_digit(*at)) ++at;
    count += at - fraction;
    // Zeros at the end beyond the places that a decimal has add nothing.
    char const* last = at;
    while (last - fraction > decimal_places && last[-1] == '0') --last;
    for (char const* each = fraction; each < last; ++each)
      if (!append(*each)) return std::nullopt;
    result.exponent = -static_cast<int>(last - fraction);
  }
  if (count == 0) return std::nullopt;
  if (at < end && (*at == 'e' || *at == 'E')) {
    int exponent = 0;
    if (++at < end && *at == '+' && end - at > 1 && at[1] != '-') ++at;
    auto const [stop, problem] = std::from_chars(at, end, exponent);
    if (problem != std::errc() || stop != end || exponent > 100 || exponent < -100) return std::nullopt;
    result.exponent += exponent;
    at = end;
  }
  if (at != end) return std::nullopt;
  if (negative) result.digits = -result.digits;
  return result;
}

/// Multiplies by 10^power; false if the product needs more than 128 bits. Requires: power >= 0.
bool scale_up(int128& value, int power)
{
  for (; power > 0 && value != 0; --power)
    if (__builtin_mul_overflow(value, int128{10}, &value)) return false;
  return true;
}

token_value decode_decimal(char const* begin, char const* end, suffix const& by, number_form& form)
{
  constexpr std::uint64_t powers[] = {1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000,
                                      1000000000000000000};
  std::optional<decimal_text> parsed = parse_decimal(begin, end);
  if (!parsed) return garbage();
  int exponent = parsed->exponent + 3 * by.thousands;
  token_value result{};
  result.kind = token_kind::wide;
  result.wide = parsed->digits;
  for (int k = 0; k < by.kibi; ++k)
    if (__builtin_mul_overflow(result.wide, int128{1024}, &result.wide)) return garbage();
  for (; exponent < -decimal_places && result.wide % 10 == 0 && result.wide != 0; ++exponent) result.wide /= 10;
  if (result.wide == 0) exponent = std::max(exponent, -decimal_places);
  if (exponent < -decimal_places) return garbage();
  int const missing = decimal_places + exponent;
  if (missing <= 18 ? __builtin_mul_overflow(result.wide, static_cast<int128>(powers[missing]), &result.wide)
                    : !scale_up(result.wide, missing))
    return garbage();
  int const digits = std::max(-exponent, 0);
  form.unit = number_unit::decimal;
  form.digits = std::max(form.digits, static_cast<unsigned char>(digits));
  return result;
}

token_value decode_hexadecimal(char const* at, char const* end)
{
  bool const negative = *at == '-';
  if (negative || *at == '+') ++at;
  if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) at += 2;
  if (at == end) return garbage();
  int128 value = 0;
  for (; at < end; ++at) {
    char const lower = static_cast<char>(*at | 0x20);
    int const digit = is_decimal_digit(*at) ? *at - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
    if (digit == 16) return garbage();
    if (value >> 122 != 0) {
      token_value result{};
      result.kind = token_kind::integer_too_large;
      result.real = std::numeric_limits<double>::infinity();
      return result;
    }
    value = value * 16 + digit;
  }
  return integer(negative ? -value : value);
}

/// The value of a plain text times the suffix: an integer if the product is one.
token_value decode_scaled(std::string& text, suffix const& by)
{
  token_value value = decode_rest(text.data(), text.data() + text.size());
  if ((by.thousands == 0 && by.kibi == 0) || value.kind == token_kind::garbage ||
      value.kind == token_kind::float_too_large)
    return value;
  if (value.kind == token_kind::real && value.real - value.real != 0) return garbage();
  if (std::optional<decimal_text> parsed = parse_decimal(text.data(), text.data() + text.size())) {
    int128 product = parsed->digits;
    bool fits = true;
    for (int k = 0; k < by.kibi; ++k) fits = fits && !__builtin_mul_overflow(product, int128{1024}, &product);
    int exponent = parsed->exponent + 3 * by.thousands;
    for (; exponent < 0 && product % 10 == 0; ++exponent) product /= 10;
    if (fits && exponent >= 0 && scale_up(product, exponent)) return integer(product);
  }
  // No integer of 128 bits. A power of two is exact, and one of ten goes through the decoder.
  bool const was_integer = value.kind != token_kind::real;
  if (by.thousands > 0) {
    std::size_t const mark = text.find_first_of("eE");
    int const given = mark == text.npos ? 0 : std::atoi(text.c_str() + mark + 1);
    if (mark != text.npos) text.resize(mark);
    text += 'e' + std::to_string(given + 3 * by.thousands);
    value = decode_rest(text.data(), text.data() + text.size());
  } else {
    std::string const as_real = text + (text.find_first_of(".eEnN") == text.npos ? ".0" : "");
    value = decode_rest(as_real.data(), as_real.data() + as_real.size());
    for (int k = 0; k < by.kibi; ++k) value.real *= 1024;
    if (value.real - value.real != 0) value.kind = token_kind::float_too_large;
  }
  if (was_integer && value.kind == token_kind::real) value.kind = token_kind::integer_too_large;
  return value;
}

}  // namespace

token_value decode(char const* begin, char const* end, number_reading const& how, number_form& form)
{
  if (how.rule == number_rule::instants || how.rule == number_rule::durations) {
    std::string_view const token(begin, static_cast<std::size_t>(end - begin));
    bool const instants = how.rule == number_rule::instants;
    std::optional<int128> const parsed = instants ? parse_instant(token, form) : parse_duration(token, form);
    if (!parsed) return garbage();
    token_value value{};
    value.kind = token_kind::wide;
    value.wide = *parsed;
    return value;
  }
  if (!how.units.empty()) {
    thread_local std::string bare;  // no allocation for each token
    if (!write_without_units({begin, static_cast<std::size_t>(end - begin)}, how.units, bare)) return garbage();
    begin = bare.data();
    end = begin + bare.size();
  }
  if (how.notation == number_notation::hexadecimal) {
    token_value value = decode_hexadecimal(begin, end);
    if (how.rule != number_rule::decimals) return value;
    if (value.kind == token_kind::narrow) value.wide = value.narrow;
    if (value.kind > token_kind::wide || __builtin_mul_overflow(value.wide, decimal_one, &value.wide)) return garbage();
    value.kind = token_kind::wide;
    return value;
  }
  suffix by;
  if (how.notation != number_notation::plain) {
    std::optional<suffix> const taken = take_suffix(begin, end, how.notation);
    if (!taken) return garbage();
    by = *taken;
  }
  bool const decimal = how.rule == number_rule::decimals;
  if (decimal && how.point == '.' && how.thousands.empty()) return decode_decimal(begin, end, by, form);
  thread_local std::string text;
  if (!write_plainly(begin, end, how, text)) return garbage();
  if (decimal) return decode_decimal(text.data(), text.data() + text.size(), by, form);
  if (how.rule == number_rule::integers) {
    std::size_t const last = text.find_last_not_of('0');
    if (last != text.npos && last > 0 && text[last] == '.') text.resize(last);
  }
  return decode_scaled(text, by);
}

std::string expected_number(number_reading const& how)
{
  if (how.rule == number_rule::instants) return "a date or time such as 2026-11-23 or 2026-11-23T10:30:00Z";
  if (how.rule == number_rule::durations) return "a duration such as 1:30:00, PT1H30M or 1h30m";
  std::string text = how.rule == number_rule::integers ? "an integer" : "a number";
  if (how.rule == number_rule::decimals) text = "a decimal of at most 18 places, below 1.7e20";
  if (how.notation == number_notation::hexadecimal) return "a hexadecimal integer of at most 126 bits";
  if (how.notation == number_notation::si) text += ", perhaps with a suffix (K, M, G, ...)";
  if (how.notation == number_notation::iec || how.notation == number_notation::automatic)
    text += ", perhaps with a suffix (K, Ki, M, Mi, ...)";
  if (!how.thousands.empty()) text += " with '" + how.thousands + "' between groups of three digits";
  if (how.point != '.')
    text += std::string(how.thousands.empty() ? " with" : " and") + " '" + how.point + "' for a point";
  if (!how.units.empty()) text += ", perhaps with " + list_of_units(how.units) + " beside it";
  return text;
}

}  // namespace tally::io
