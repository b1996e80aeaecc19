#include "draw/svg_text.hpp"

#include <cstdio>

namespace tally::draw {

std::string svg_number(double value)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string result = text;
  if (result.ends_with(".0")) result.resize(result.size() - 2);
  return result;
}

std::string path_to(char command, double x, double y)
{
  std::string result(1, command);
  return result.append(svg_number(x)).append(1, ' ').append(svg_number(y));
}

std::string svg_escaped(std::string const& text)
{
  std::string out;
  for (char const c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace tally::draw
