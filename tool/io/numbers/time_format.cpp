#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <span>

#include "io/numbers/time_token.hpp"
#include "io/numbers/time_units.hpp"

namespace tally::io {

namespace {

using namespace time_units;

char* put_text(char* to, std::string_view text)
{
  return std::copy(text.begin(), text.end(), to);
}

/// The decimals that a part of a second needs: at least `least`.
int decimals_of(std::int64_t nanoseconds, int least)
{
  int count = 9;
  for (; count > least && nanoseconds % 10 == 0; --count) nanoseconds /= 10;
  return count;
}

/// A point and `count` decimals of nanoseconds; nothing if `count` is 0.
char* put_decimals(char* to, std::int64_t nanoseconds, int count)
{
  if (count == 0) return to;
  char digits[16];
  fmt::format_to(digits, FMT_COMPILE("{:09}"), nanoseconds);
  *to++ = '.';
  return put_text(to, {digits, static_cast<std::size_t>(count)});
}

/// HH:MM and, where the digits of the form or the value ask for it, :SS and decimals.
char* put_clock(char* to, uint128 hours, std::int64_t rest, int digits, bool two_digits)
{
  to = two_digits ? fmt::format_to(to, FMT_COMPILE("{:02}:{:02}"), hours, rest / minute)
                  : fmt::format_to(to, FMT_COMPILE("{}:{:02}"), hours, rest / minute);
  rest %= minute;
  if (rest == 0 && digits < 2) return to;
  to = fmt::format_to(to, FMT_COMPILE(":{:02}"), rest / second);
  return put_decimals(to, rest % second, decimals_of(rest % second, std::max(digits - 2, 0)));
}

char* put_instant(char* to, int128 value, number_form form, int digits)
{
  if (value < first_instant || value >= last_instant)
    return fmt::format_to(to, FMT_COMPILE("{}"), static_cast<double>(value) / static_cast<double>(second));
  auto const since_first = static_cast<uint128>(value - first_instant);
  auto const days = static_cast<int>(since_first / day) - 719528;
  auto const rest = static_cast<std::int64_t>(since_first % day);
  std::chrono::year_month_day const date{std::chrono::sys_days(std::chrono::days(days))};
  to = fmt::format_to(to, FMT_COMPILE("{:04}-{:02}-{:02}"), static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (rest == 0 && digits == 0) return to;
  *to++ = form.shape == time_shape::blank || form.shape == time_shape::blank_utc ? ' ' : 'T';
  to = put_clock(to, static_cast<uint128>(rest / hour), rest % hour, digits, true);
  if (form.shape == time_shape::utc || form.shape == time_shape::blank_utc) *to++ = 'Z';
  return to;
}

/// The hours, minutes and seconds of a duration that are not 0, each with its unit.
char* put_parts(char* to, uint128 value, std::span<part const> parts, int decimals)
{
  bool any = false;
  for (part const& each : parts) {
    auto const whole = static_cast<std::uint64_t>(value / static_cast<uint128>(each.length));
    value %= static_cast<uint128>(each.length);
    bool const last = &each == &parts.back();
    if (whole == 0 && !(last && (value != 0 || !any))) continue;
    to = fmt::format_to(to, FMT_COMPILE("{}"), whole);
    auto const nanoseconds = static_cast<std::int64_t>(value);
    if (last) to = put_decimals(to, nanoseconds, decimals_of(nanoseconds, decimals));
    to = put_text(to, each.name);
    any = true;
  }
  return to;
}

char* put_duration(char* to, int128 value, number_form form, int digits, int decimals)
{
  static constexpr part iso[] = {{"H", hour}, {"M", minute}, {"S", second}};
  static constexpr part words[] = {{"d", day}, {"h", hour}, {"m", minute}, {"s", second}};
  if (value == 0 && form.shape == time_shape::words && digits < 2) return put_text(to, "0d");  // between dates
  if (value < 0) *to++ = '-';
  uint128 const magnitude = value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  if (form.shape == time_shape::iso) return put_parts(put_text(to, "PT"), magnitude, iso, decimals);
  if (form.shape == time_shape::words) return put_parts(to, magnitude, words, decimals);
  return put_clock(to, magnitude / hour, static_cast<std::int64_t>(magnitude % hour), digits, false);
}

}  // namespace

char* format_time(char* to, int128 value, number_form form, std::optional<int> precision)
{
  int digits = form.digits;
  int decimals = std::max(digits - 2, 0);
  if (precision) {
    decimals = std::min(*precision, 9);
    digits = 2 + decimals;
    int128 unit = 1;
    for (int k = decimals; k < 9; ++k) unit *= 10;
    value = rounded_quotient(value, unit) * unit;
  }
  if (form.unit == number_unit::instant) return put_instant(to, value, form, digits);
  return put_duration(to, value, form, digits, decimals);
}

}  // namespace tally::io
