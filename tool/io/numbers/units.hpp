#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Signs that stand beside numbers and say nothing about their value: `$` and `%`, `EUR`, `ms`.
namespace tally::io {

/// The unit that stands for numbers in parentheses, which are negative as in accounts: (2.50) is -2.50.
inline constexpr std::string_view parentheses = "()";

/// Writes to `text` the number of a token, without one unit before it and one behind it, where there are any. A sign
/// may stand before the unit or behind it, and a blank between the unit and the number. False if nothing, or a second
/// sign, is left. Requires: `units` are not empty texts.
bool write_without_units(std::string_view token, std::vector<std::string> const& units, std::string& text);

/// Units for messages: "'$' or '%'".
std::string list_of_units(std::vector<std::string> const& units);

/// The unit beside the number of a token, if it is a sign or one of the most usual ones; else empty.
std::string_view usual_unit_of(std::string_view token);

}  // namespace tally::io
