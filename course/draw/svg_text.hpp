#pragma once

#include <string>

/// The pieces of an SVG file.
namespace tally::draw {

/// "12.5", "12": to a tenth, which nobody can see.
std::string svg_number(double value);

/// Of a path: a command and where it leads, "L12 30.5".
std::string path_to(char command, double x, double y);

/// Text that stands between tags.
std::string svg_escaped(std::string const& text);

}  // namespace tally::draw
