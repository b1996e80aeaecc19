#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Charts of numbers over numbers, as SVG.
namespace tally::draw {

struct point {
  double x, y;
};

/// A curve with its name at its end, and the band that it must stay within.
struct curve {
  std::string name;
  std::vector<point> points;  ///< from left to right; at least one
  struct bounds {
    double x, least, most;
  };
  std::vector<bounds> band = {};
};

/// A point with a text.
struct mark {
  point at;
  std::string text;
};

/// A bar from the axis up, or down if its height is negative. Browsers show `text` where the pointer rests on it.
struct bar {
  double left, right, height;
  std::string text;
  std::string name = {};  ///< below it; then the axis has no numbers
};

/// Logarithmic axes count powers of two to the right and of ten upwards; their coordinates are 1 or more. Linear axes
/// include 0 upwards; their coordinates are finite.
enum class axes { logarithmic, linear };

/// Requires at most `most_curves` curves.
struct chart {
  static constexpr std::size_t most_curves = 8;
  axes scaling = axes::logarithmic;
  std::string title;
  std::string x_name = {};
  std::string y_name = {};  ///< without a name the axis has no numbers
  std::vector<curve> curves = {};
  std::vector<bar> bars = {};
  std::vector<mark> marks = {};
  std::string note = {};  ///< below
};

/// The chart as an SVG file that stands alone and is legible on light and dark backgrounds.
std::string svg(chart const& chart);

}  // namespace tally::draw
