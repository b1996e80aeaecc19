#include "app/real_numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "settings/parser.hpp"

namespace tally::cli {

namespace {

template <class T>
bool reads(std::string const& text, T& value)
{
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

}  // namespace

double real_number(std::string_view option, std::string const& text)
{
  double value = 0;
  if (!reads(text, value) || !std::isfinite(value))
    throw command_line_error(std::string(option) + ": '" + text + "' is not a finite number");
  return value;
}

std::vector<double> real_numbers(std::string_view option, std::string const& text)
{
  std::vector<double> all;
  for (std::string const& each : list_elements(text)) all.push_back(real_number(option, each));
  return all;
}

std::vector<unsigned long long> natural_numbers(std::string_view option, std::string const& text)
{
  std::vector<unsigned long long> all;
  for (std::string const& each : list_elements(text)) {
    unsigned long long value = 0;
    if (!reads(each, value))
      throw command_line_error(std::string(option) + ": '" + each + "' is not a whole number from 0 to 2^64 - 1");
    all.push_back(value);
  }
  return all;
}

std::string with_digits(double value, int digits)
{
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string as_error(double value)
{
  char text[32];
  std::snprintf(text, sizeof text, "%+.1e", value);
  return text;
}

}  // namespace tally::cli
