#pragma once

#include <string>

namespace tally::cli {

/// The format of a drawing.
enum class picture {
  text,
  svg,
  png,  ///< made of the SVG by the program `rsvg-convert`
};

/// Whether PATH has the program that makes PNG files.
bool has_png_program();

/// An SVG file as a PNG file, twice as large, by `rsvg-convert`. Blocks until it ends.
/// Throws    error: the program cannot be started, or fails.
std::string png_of(std::string const& svg);

}  // namespace tally::cli
