#include <charconv>
#include <cstring>
#include <system_error>

#include "number_text.hpp"

/// The functions of the standard library that write numbers, in the place of its own: number_text.hpp says why.

namespace {

template <class T>
std::to_chars_result written(char* first, char* last, T value)
{
  std::string const text = tally::site::shortest_text(value);
  if (last - first < static_cast<std::ptrdiff_t>(text.size())) return {last, std::errc::value_too_large};
  std::memcpy(first, text.data(), text.size());
  return {first + text.size(), std::errc()};
}

}  // namespace

std::to_chars_result std::to_chars(char* first, char* last, float value)
{
  return written(first, last, value);
}

std::to_chars_result std::to_chars(char* first, char* last, double value)
{
  return written(first, last, value);
}
