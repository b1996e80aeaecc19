#pragma once

#include <optional>
#include <string_view>

#include "io/numbers/form.hpp"

/// Dates, times and durations in text, as integers of nanoseconds.
namespace tally::io {

/// A date of ISO 8601 with a time or without: 2026-11-23, 2026-11-23T10:30, 2026-11-23 10:30:15.25+01:00, ...Z; where a
/// blank stands before the time, one may stand before the zone. Years 0000 to 9999. A time without a zone counts as
/// UTC. Leap seconds are no times. `form` becomes as fine as the text.
std::optional<int128> parse_instant(std::string_view text, number_form& form);

/// A duration: 1:30 (hours and minutes), 1:30:15.25, PT1H30M or P1DT2H of ISO 8601, 1h30m, 250ms; of w d h m s ms us
/// ns. 0 needs no unit. There are no months and years, whose lengths vary. The units of a duration come in falling
/// order, each once.
std::optional<int128> parse_duration(std::string_view text, number_form& form);

/// The most characters of an instant or a duration.
inline constexpr std::size_t max_time_length = 80;

/// Writes nanoseconds as `form` says, and more finely if they need it; with `precision`, seconds with so many decimals,
/// rounded to nearest, ties to even. An instant outside of the years 0000 to 9999 is written as a number of seconds
/// since 1970. Requires: max_time_length characters at `to`. Returns the end.
char* format_time(char* to, int128 nanoseconds, number_form form, std::optional<int> precision);

}  // namespace tally::io
