#include "io/numbers/time_token.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>

#include "io/numbers/time_units.hpp"

namespace tally::io {

namespace {

using namespace time_units;

/// A text that is read from its beginning.
class scanned {
public:
  explicit scanned(std::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  bool take(char c)
  {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word)
  {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// Digits, `least` to `most` of them.
  std::optional<std::int64_t> digits(std::size_t least, std::size_t most)
  {
    std::size_t const end = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (end < least || end > most) return std::nullopt;
    std::int64_t value = 0;
    for (char const digit : rest_.substr(0, end)) value = value * 10 + (digit - '0');
    rest_.remove_prefix(end);
    return value;
  }
  /// Two digits, of a number up to `most`. More digits may follow.
  std::optional<std::int64_t> up_to(std::int64_t most)
  {
    if (rest_.substr(0, 2).find_first_not_of("0123456789") != rest_.npos || rest_.size() < 2) return std::nullopt;
    std::int64_t const value = 10 * (rest_[0] - '0') + (rest_[1] - '0');
    rest_.remove_prefix(2);
    return value <= most ? std::optional(value) : std::nullopt;
  }
  /// A point or a comma and one to nine digits, with zeros behind: parts of 10^-9, and the number of digits. Without a
  /// point it is 0.
  std::optional<std::int64_t> fraction(int& count)
  {
    count = 0;
    if (!take('.') && !take(',')) return 0;
    std::size_t const all = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    std::size_t const end = std::min(all, std::size_t{9});
    if (all == 0 || rest_.substr(end, all - end).find_first_not_of('0') != rest_.npos) return std::nullopt;
    std::int64_t value = 0;
    for (std::size_t k = 0; k < 9; ++k) value = value * 10 + (k < end ? rest_[k] - '0' : 0);
    rest_.remove_prefix(all);
    count = static_cast<int>(end);
    return value;
  }

private:
  std::string_view rest_;
};

void make_finer(number_form& form, number_unit unit, int digits, time_shape shape)
{
  form.unit = unit;
  form.digits = std::max(form.digits, static_cast<unsigned char>(digits));
  if (form.shape == time_shape::unsaid) form.shape = shape;
}

/// Hours and minutes, and perhaps seconds. `fineness` becomes 1 or more.
std::optional<int128> clock(scanned& from, std::size_t most_hours, std::int64_t last_hour, int& fineness)
{
  auto const hours = from.digits(most_hours == 2 ? 2 : 1, most_hours);
  if (!hours || *hours > last_hour || !from.take(':')) return std::nullopt;
  auto const minutes = from.up_to(59);
  if (!minutes) return std::nullopt;
  fineness = 1;
  int128 const whole = int128{*hours} * hour + *minutes * minute;  // 64 bits hold 2.5 million hours
  if (!from.take(':')) return whole;
  int count = 0;
  auto const seconds = from.up_to(59);
  auto const parts = from.fraction(count);
  if (!seconds || !parts) return std::nullopt;
  fineness = 2 + count;
  return whole + *seconds * second + *parts;
}

/// Z, or hours and minutes east of UTC.
std::optional<std::int64_t> zone(scanned& from)
{
  if (from.take('Z')) return 0;
  bool const west = from.take('-');
  if (!west && !from.take('+')) return std::nullopt;
  auto const hours = from.up_to(23);
  if (!hours) return std::nullopt;
  std::optional<std::int64_t> minutes = 0;
  if (from.take(':') || !from.empty()) minutes = from.up_to(59);
  if (!minutes) return std::nullopt;
  std::int64_t const east = *hours * hour + *minutes * minute;
  return west ? -east : east;
}

/// Numbers with units, in falling order. A name that begins with another one stands before it in `parts`.
std::optional<int128> sum_of_parts(scanned& from, std::span<part const> parts, int& fineness)
{
  int128 sum = 0;
  auto before = std::numeric_limits<std::int64_t>::max();
  while (!from.empty()) {
    auto const whole = from.digits(1, 15);
    int count = 0;
    auto const billionths = from.fraction(count);
    if (!whole || !billionths) return std::nullopt;
    auto const found = std::ranges::find_if(parts, [&](part const& each) { return from.take(each.name); });
    if (found == parts.end() || found->length >= before) return std::nullopt;
    before = found->length;
    int128 const fraction = int128{*billionths} * found->length;
    if (fraction % second != 0) return std::nullopt;
    sum += int128{*whole} * found->length + fraction / second;
  }
  if (before == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  fineness = 2;
  return sum;
}

std::optional<int128> iso_duration(scanned& from, int& fineness)
{
  static constexpr part days[] = {{"W", 7 * day}, {"D", day}};
  static constexpr part times[] = {{"H", hour}, {"M", minute}, {"S", second}};
  int128 sum = 0;
  bool any = false;
  // Days stand before the T, which only stands before times.
  for (part const& each : days) {
    scanned ahead = from;
    auto const whole = ahead.digits(1, 9);
    if (!whole || !ahead.take(each.name)) continue;
    from = ahead;
    sum += int128{*whole} * each.length;
    any = true;
  }
  if (from.take('T')) {
    auto const rest = sum_of_parts(from, times, fineness);
    if (!rest) return std::nullopt;
    return sum + *rest;
  }
  if (!any || !from.empty()) return std::nullopt;
  fineness = 2;
  return sum;
}

}  // namespace

std::optional<int128> parse_instant(std::string_view text, number_form& form)
{
  scanned from(text);
  auto const year = from.digits(4, 4);
  if (!year || !from.take('-')) return std::nullopt;
  auto const month = from.up_to(12);
  if (!month || !from.take('-')) return std::nullopt;
  auto const of_month = from.up_to(31);
  if (!of_month) return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*of_month))};
  if (!date.ok()) return std::nullopt;
  int128 const days = int128{std::chrono::sys_days(date).time_since_epoch().count()} * day;
  if (from.empty()) {
    make_finer(form, number_unit::instant, 0, time_shape::unsaid);
    return days;
  }
  bool const blank = from.take(' ');
  if (!blank && !from.take('T')) return std::nullopt;
  int fineness = 0;
  auto const time = clock(from, 2, 23, fineness);
  if (!time) return std::nullopt;
  std::optional<std::int64_t> east = 0;
  bool const has_zone = !from.empty();
  if (blank) from.take(' ');  // as git writes: 2026-11-23 10:30:15 +0100
  if (has_zone) east = zone(from);
  if (!east || !from.empty()) return std::nullopt;
  time_shape const with_zone = blank ? time_shape::blank_utc : time_shape::utc;
  time_shape const without = blank ? time_shape::blank : time_shape::local;
  int128 const value = days + *time - *east;
  if (value < first_instant || value >= last_instant) return std::nullopt;
  make_finer(form, number_unit::instant, fineness, has_zone ? with_zone : without);
  return value;
}

std::optional<int128> parse_duration(std::string_view text, number_form& form)
{
  static constexpr part words[] = {{"w", 7 * day}, {"d", day},    {"h", hour},  {"min", minute}, {"ms", 1'000'000},
                                   {"m", minute},  {"s", second}, {"us", 1000}, {"ns", 1}};
  if (text == "0") {
    make_finer(form, number_unit::duration, 0, time_shape::unsaid);
    return 0;
  }
  scanned from(text);
  bool const negative = from.take('-');
  if (!negative) from.take('+');
  int fineness = 0;
  time_shape shape = time_shape::clock;
  std::optional<int128> value;
  if (from.take('P')) {
    shape = time_shape::iso;
    value = iso_duration(from, fineness);
  } else if (text.find(':') != text.npos) {
    if (auto const time = clock(from, 7, 9'999'999, fineness); time && from.empty()) value = *time;
  } else {
    shape = time_shape::words;
    value = sum_of_parts(from, words, fineness);
  }
  if (!value) return std::nullopt;
  make_finer(form, number_unit::duration, fineness, shape);
  return negative ? -*value : *value;
}

}  // namespace tally::io
