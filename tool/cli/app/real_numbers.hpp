#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Numbers on the command line, and numbers as the tool prints them.
namespace tally::cli {

/// A finite number for an option, as `2`, `-0.5` or `1e-3`. Throws `command_line_error` for everything else.
double real_number(std::string_view option, std::string const& text);
/// One or more of them, separated by commas or blanks.
std::vector<double> real_numbers(std::string_view option, std::string const& text);
/// One or more whole numbers from 0 to 2^64 - 1.
std::vector<unsigned long long> natural_numbers(std::string_view option, std::string const& text);

/// `value` with that many digits after the point.
std::string with_digits(double value, int digits);
/// An error: its sign and two digits, as "-3.1e-09".
std::string as_error(double value);

}  // namespace tally::cli
