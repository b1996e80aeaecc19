#pragma once

#include <string>
#include <vector>

/// Plots of curves, as SVG.
namespace tally::draw {

struct point {
  double x, y;
};

/// A curve with its name at its end, and the band that it must stay within.
struct curve {
  std::string name;
  std::vector<point> points;  ///< from left to right
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

/// A plot with two logarithmic axes: powers of two to the right, of ten upwards. Requires coordinates of 1 or more, and
/// at most `most_curves` curves.
struct log_log_plot {
  static constexpr std::size_t most_curves = 8;
  std::string title;
  std::string x_name, y_name;
  std::vector<curve> curves;
  std::vector<mark> marks = {};
  std::string note = {};  ///< below
};

/// The plot as an SVG file that stands alone and is legible on light and dark backgrounds.
std::string svg(log_log_plot const& plot);

}  // namespace tally::draw
