#include "explain/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace tally::cli {

terminal terminal::of_standard_output()
{
  terminal result;
  if (isatty(STDOUT_FILENO) != 1) return result;
  auto const variable = [](char const* name) {
    char const* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  result.colours = variable("NO_COLOR").empty() && variable("TERM") != "dumb" && !variable("TERM").empty();
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    result.width = std::max<std::size_t>(40, size.ws_col);
  return result;
}

std::string terminal::in(char const* code, std::string_view text) const
{
  if (!colours || text.empty()) return std::string(text);
  return std::string("\033[").append(code).append("m").append(text).append("\033[0m");
}

}  // namespace tally::cli
