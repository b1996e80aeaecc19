#pragma once

#include <string_view>

#include "io/element_type.hpp"

namespace tally::io {

/// The unit of integers that stand for other numbers.
enum class number_unit : unsigned char {
  one,       ///< numbers as they are, integers and doubles
  decimal,   ///< 10^-18
  instant,   ///< nanoseconds since 1970-01-01T00:00:00Z
  duration,  ///< nanoseconds
};

/// The notation of instants and durations.
enum class time_shape : unsigned char {
  unsaid,
  local,      ///< 2026-11-23T10:30
  utc,        ///< 2026-11-23T10:30Z
  blank,      ///< 2026-11-23 10:30
  blank_utc,  ///< 2026-11-23 10:30Z
  clock,      ///< 1:30:00
  iso,        ///< PT1H30M
  words,      ///< 1h30m
};

/// The suffixes of 1000, 1000^2, ... or of 1024, 1024^2, ...
inline constexpr std::string_view number_suffixes = "KMGTPEZYRQ";

/// The decimals behind the point of a number_unit::decimal.
inline constexpr int decimal_places = 18;
inline constexpr int128 decimal_one = 1'000'000'000'000'000'000;

/// The unit of numbers and how finely they were written. Results are written as finely as the values that they are
/// made of, and more finely if they need it.
struct number_form {
  number_unit unit = number_unit::one;
  /// Of a decimal those behind the point; of times 0 for a date, 1 to minutes, 2 + the decimals of seconds.
  unsigned char digits = 0;
  time_shape shape = time_shape::unsaid;

  friend bool operator==(number_form, number_form) = default;
};

/// The form of a sequence of numbers of both forms. Requires: one unit, or no numbers of form `a`.
constexpr number_form joined(number_form a, number_form b)
{
  if (a.unit != b.unit) return b;
  return {a.unit, a.digits < b.digits ? b.digits : a.digits, a.shape == time_shape::unsaid ? b.shape : a.shape};
}

/// The quotient rounded to the nearest integer, ties to even. Requires: divisor > 0.
constexpr int128 rounded_quotient(int128 dividend, int128 divisor)
{
  int128 quotient = dividend / divisor;
  int128 rest = dividend % divisor;
  if (rest < 0) {
    rest += divisor;
    --quotient;
  }
  int128 const beyond = rest - (divisor - rest);
  return quotient + (beyond > 0 || (beyond == 0 && quotient % 2 != 0));
}

/// An integer and what it stands for.
struct quantity {
  int128 count = 0;
  number_form form;

  friend bool operator==(quantity const&, quantity const&) = default;

  explicit operator double() const
  {
    double const units = form.unit == number_unit::decimal ? 1e18 : form.unit == number_unit::one ? 1 : 1e9;
    return static_cast<double>(count) / units;
  }
};

}  // namespace tally::io
