#pragma once

#include <cstdint>
#include <string_view>

#include "io/element_type.hpp"

/// Lengths of time in nanoseconds.
namespace tally::io::time_units {

inline constexpr std::int64_t second = 1'000'000'000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

inline constexpr int128 first_instant = int128{-719528} * day;  ///< 0000-01-01
inline constexpr int128 last_instant = int128{2932897} * day;   ///< 10000-01-01, which is none any more

/// A part of a duration: 1h is one of the length of an hour.
struct part {
  std::string_view name;
  std::int64_t length;
};

}  // namespace tally::io::time_units
