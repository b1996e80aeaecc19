#pragma once

#include <string>

#include "draw/circuit.hpp"

namespace tally::draw {

/// The texts around a diagram.
struct captions {
  std::string title;
  std::string note = {};  ///< below the title
};

/// The circuit as an SVG file that stands alone and is legible on light and dark backgrounds. Up to
/// `most_columns_with_text` columns every node shows its value, and all nodes are as wide as the longest one. Wider
/// circuits have no values.
inline constexpr int most_columns_with_text = 64;
std::string svg(circuit const& of, captions const& around);

}  // namespace tally::draw
