#pragma once

#include <string>

#include "draw/circuit.hpp"

namespace tally::draw {

/// The texts around a diagram.
struct captions {
  std::string title;
  std::string note = {};  ///< below the title
};

/// The circuit as an SVG file that stands alone and is legible on light and dark backgrounds. Every node shows its
/// value, and all nodes are as wide as the longest one. A circuit of more than `most_columns_with_text` columns is
/// drawn twice: as a whole, with neighbouring columns in one, and rows if there are more than `most_rows`; and below
/// that its first columns with their values (levels.hpp).
inline constexpr int most_columns_with_text = 64, most_rows = 48;
std::string svg(circuit const& of, captions const& around);

}  // namespace tally::draw
