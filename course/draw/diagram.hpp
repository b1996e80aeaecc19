#pragma once

#include <string>

#include "draw/circuit.hpp"

namespace tally::draw {

/// What stands around a diagram.
struct captions {
  std::string title;
  std::string note = {};  ///< below the title
};

/// The circuit as SVG: a file of its own, legible on light and dark, with nothing from elsewhere. Up to
/// `most_columns_with_text` columns every node shows its value; nodes are as wide as the longest value needs. Wider
/// circuits are drawn without values.
inline constexpr int most_columns_with_text = 64;
std::string svg(circuit const& of, captions const& around);

}  // namespace tally::draw
