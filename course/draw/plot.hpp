#pragma once

#include <string>
#include <vector>

/// Plots of numbers over numbers, as SVG.
namespace tally::draw {

struct point {
  double x, y;
};

/// A curve with its name at its end, and the band that it must keep to.
struct curve {
  std::string name;
  std::vector<point> points;  ///< from left to right
  struct bounds {
    double x, least, most;
  };
  std::vector<bounds> band = {};
};

/// A point that is worth a word.
struct mark {
  point at;
  std::string text;
};

/// Both axes are logarithmic: powers of two to the right, of ten upwards. Requires coordinates of 1 or more, and at
/// most `most_curves` curves.
struct log_log_plot {
  static constexpr std::size_t most_curves = 8;
  std::string title;
  std::string x_name, y_name;
  std::vector<curve> curves;
  std::vector<mark> marks = {};
  std::string note = {};  ///< below
};

/// A file of its own: legible on light and dark, with nothing from elsewhere.
std::string svg(log_log_plot const& plot);

}  // namespace tally::draw
