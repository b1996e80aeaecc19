#include "explain/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace tally::cli {

terminal terminal::of_standard_output()
{
  terminal found;
  if (isatty(STDOUT_FILENO) != 1) return found;
  auto const variable = [](char const* name) {
    char const* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  found.colours = variable("NO_COLOR").empty() && variable("TERM") != "dumb" && !variable("TERM").empty();
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    found.width = std::max<std::size_t>(40, size.ws_col);
  return found;
}

std::string terminal::wrapped(std::string_view text, std::size_t indent) const
{
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    std::size_t const length = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + length > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, length);
    column += length;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return out + '\n';
}

std::string terminal::in(char const* code, std::string_view text) const
{
  if (!colours || text.empty()) return std::string(text);
  return std::string("\033[").append(code).append("m").append(text).append("\033[0m");
}

}  // namespace tally::cli
