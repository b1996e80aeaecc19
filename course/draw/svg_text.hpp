#pragma once

#include <string>

/// Pieces of text for SVG files.
namespace tally::draw {

/// A coordinate, rounded to an invisible tenth: "12.5", "12".
std::string svg_number(double value);

/// A command of a path and its point: "L12 30.5".
std::string path_to(char command, double x, double y);

/// The text with markup escaped, for use between tags.
std::string svg_escaped(std::string const& text);

}  // namespace tally::draw
