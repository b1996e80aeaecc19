#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace tally::site {

/// A number with the fewest digits that identify it, as `std::to_chars` writes it: with an exponent only where that is
/// shorter. The C++ library's own function brings 120 KB of tables.
template <class T>
std::string shortest_text(T value)
{
  std::string const sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) return sign + "nan";
  if (std::isinf(value)) return sign + "inf";
  if (value == 0) return sign + "0";
  auto const [significand, power] = fmt::detail::dragonbox::to_decimal(std::abs(value));
  std::string digits = std::to_string(significand);
  auto const size = static_cast<int>(digits.size()), exponent = power + size - 1;  // of d.ddd * 10^exponent
  std::string const magnitude = std::to_string(std::abs(exponent));

  std::string scientific = digits;
  if (size > 1) scientific.insert(1, ".");
  scientific += exponent < 0 ? "e-" : "e+";
  scientific += (magnitude.size() < 2 ? "0" : "") + magnitude;

  int const point = exponent + 1;  // digits before the point
  int const length = point <= 0 ? size + 2 - point : point >= size ? point : size + 1;
  if (length > static_cast<int>(scientific.size())) return sign + scientific;
  if (point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (point < size) return sign + digits.insert(static_cast<std::size_t>(point), ".");
  // A whole number, of which all digits are written. It is below 10^24.
  digits.clear();
  for (auto rest = static_cast<unsigned __int128>(std::abs(value)); rest != 0; rest /= 10)
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  std::reverse(digits.begin(), digits.end());
  return sign + digits;
}

}  // namespace tally::site
