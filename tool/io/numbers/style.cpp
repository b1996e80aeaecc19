#include "io/numbers/style.hpp"

#include <cmath>
#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <string_view>
#include <type_traits>

#include "io/numbers/number.hpp"
#include "io/numbers/time_token.hpp"

namespace tally::io {

namespace {

/// Copies a number written plainly, with the style's point, and separators between groups of three digits.
char* put(char* to, std::string_view plain, number_style const& style)
{
  std::size_t at = 0;
  if (!plain.empty() && plain[0] == '-') to[at++] = '-';
  std::size_t const digits_end = std::min(plain.find_first_not_of("0123456789", at), plain.size());
  to += at;
  // A number with an exponent is left ungrouped: its digits have no places.
  bool const groups = !style.thousands.empty() && plain.find_first_of("eni") == plain.npos;
  for (; at < digits_end; ++at) {
    *to++ = plain[at];
    std::size_t const left = digits_end - at - 1;
    if (groups && left > 0 && left % 3 == 0) {
      std::memcpy(to, style.thousands.data(), style.thousands.size());
      to += style.thousands.size();
    }
  }
  for (; at < plain.size(); ++at) *to++ = plain[at] == '.' ? style.point : plain[at];
  return to;
}

/// Removes the sign of a number that was rounded to zero.
std::string_view without_sign_of_zero(std::string_view text)
{
  if (text[0] == '-' && text.find_first_of("123456789") == text.npos) text.remove_prefix(1);
  return text;
}

/// Removes zeros at the end behind a point, and then the point.
std::string_view without_last_zeros(std::string_view text)
{
  if (text.find('.') == text.npos) return text;
  text.remove_suffix(text.size() - 1 - text.find_last_not_of('0'));
  if (text.back() == '.') text.remove_suffix(1);
  return text;
}

char* put_fixed(char* to, double value, int precision, number_style const& style)
{
  char text[max_styled_length];
  char* const end = fmt::format_to(text, FMT_COMPILE("{:.{}f}"), value, precision);
  return put(to, without_sign_of_zero({text, static_cast<std::size_t>(end - text)}), style);
}

/// With a suffix: the greatest one that leaves a number of at least 1, after rounding too.
char* put_scaled(char* to, double value, number_style const& style)
{
  double const base = style.scale == number_scale::si ? 1000 : 1024;
  std::size_t power = 0;
  double scaled = value;
  auto const decimals = [&] {
    if (style.precision) return *style.precision;
    return std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  };
  auto const rounded = [&] {
    double const unit = std::pow(10.0, decimals());
    return std::abs(scaled) < 1e15 / unit ? std::nearbyint(std::abs(scaled) * unit) / unit : std::abs(scaled);
  };
  while (power < number_suffixes.size() && rounded() >= base) {
    scaled /= base;
    ++power;
  }
  char text[max_styled_length];
  char* const end = fmt::format_to(text, FMT_COMPILE("{:.{}f}"), scaled, decimals());
  std::string_view number = without_sign_of_zero({text, static_cast<std::size_t>(end - text)});
  if (!style.precision) number = without_last_zeros(number);
  to = put(to, number, style);
  if (power == 0) return to;
  *to++ = number_suffixes[power - 1];
  if (style.scale == number_scale::iec_i) *to++ = 'i';
  return to;
}

bool has_suffix(number_scale scale)
{
  return scale == number_scale::si || scale == number_scale::iec || scale == number_scale::iec_i;
}

template <class T>
char* put_real(char* to, T value, number_style const& style)
{
  if (!std::isfinite(value)) return format_number(to, value);
  if (has_suffix(style.scale)) return put_scaled(to, static_cast<double>(value), style);
  if (style.precision) return put_fixed(to, static_cast<double>(value), *style.precision, style);
  char text[max_number_length];
  return put(to, {text, static_cast<std::size_t>(format_number(text, value) - text)}, style);
}

char* put_hexadecimal(char* to, int128 value)
{
  if (value < 0) *to++ = '-';
  uint128 const magnitude = value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  return fmt::format_to(to, FMT_COMPILE("{:#x}"), magnitude);
}

char* put_integer(char* to, int128 value, number_style const& style)
{
  if (style.scale == number_scale::hexadecimal) return put_hexadecimal(to, value);
  if (has_suffix(style.scale) && (value >= 1000 || value <= -1000))
    return put_scaled(to, static_cast<double>(value), style);
  char text[max_number_length + most_precision + 1];
  char* end = format_number(text, value);
  if (int const zeros = style.precision.value_or(0); zeros > 0) {
    *end++ = '.';
    std::memset(end, '0', static_cast<std::size_t>(zeros));
    end += zeros;
  }
  return put(to, {text, static_cast<std::size_t>(end - text)}, style);
}

/// A magnitude of 10^-18 divided by 10^(18 - digits), rounded to nearest, ties to even.
uint128 rounded_decimal(uint128 magnitude, int digits)
{
  uint128 unit = 1;
  for (int k = digits; k < decimal_places; ++k) unit *= 10;
  uint128 const whole = magnitude / unit;
  uint128 const rest = magnitude % unit;
  return whole + (rest > unit / 2 || (unit > 1 && rest == unit / 2 && whole % 2 == 1));
}

char* put_decimal(char* to, int128 value, number_style const& style)
{
  if (has_suffix(style.scale)) return put_scaled(to, static_cast<double>(value) * 1e-18, style);
  uint128 magnitude = value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  int digits = decimal_places;
  if (style.precision) {
    digits = std::min(*style.precision, decimal_places);
    magnitude = rounded_decimal(magnitude, digits);
  } else {
    for (; digits > style.form.digits && magnitude % 10 == 0; --digits) magnitude /= 10;
  }
  uint128 one = 1;
  for (int k = 0; k < digits; ++k) one *= 10;
  char text[max_number_length + most_precision + 1];
  char* end = text;
  if (value < 0 && magnitude != 0) *end++ = '-';
  end = fmt::format_to(end, FMT_COMPILE("{}"), magnitude / one);
  int const zeros = style.precision.value_or(0) - digits;
  if (digits > 0 || zeros > 0) *end++ = '.';
  if (digits > 0) end = fmt::format_to(end, FMT_COMPILE("{:0{}}"), magnitude % one, digits);
  for (int k = 0; k < zeros; ++k) *end++ = '0';
  return put(to, {text, static_cast<std::size_t>(end - text)}, style);
}

}  // namespace

template <class T>
char* format_number(char* to, T value, number_style const& style)
{
  if constexpr (std::is_floating_point_v<T>)
    return put_real(to, value, style);
  else if (style.form.unit == number_unit::decimal)
    return put_decimal(to, value, style);
  else if (style.form.unit != number_unit::one)
    return format_time(to, value, style.form, style.precision);
  else
    return put_integer(to, value, style);
}

template char* format_number(char*, std::int8_t, number_style const&);
template char* format_number(char*, std::int16_t, number_style const&);
template char* format_number(char*, std::int32_t, number_style const&);
template char* format_number(char*, std::int64_t, number_style const&);
template char* format_number(char*, std::uint8_t, number_style const&);
template char* format_number(char*, std::uint16_t, number_style const&);
template char* format_number(char*, std::uint32_t, number_style const&);
template char* format_number(char*, std::uint64_t, number_style const&);
template char* format_number(char*, float, number_style const&);
template char* format_number(char*, double, number_style const&);
template char* format_number(char*, int128, number_style const&);

}  // namespace tally::io
