#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "draw/diagram.hpp"

/// The places of a diagram's columns and rows.
namespace tally::draw {

/// Widths of characters in a monospaced font of 1 point.
inline constexpr double letter = 0.62;

inline bool several_launches(circuit const& of)
{
  return std::any_of(of.rows.begin(), of.rows.end(), [&](circuit::row const& each) {
    return each.launch != of.rows.back().launch && &each != &of.rows.front();
  });
}

inline std::string launch_name(circuit::row const& of)
{
  return of.launch < 0 ? of.kernel : "launch " + std::to_string(of.launch + 1) + ": " + of.kernel;
}

/// The places of columns and rows on the page.
struct layout {
  layout(circuit const& of, captions const& around)
  {
    std::size_t longest = 1, label = 5;
    for (circuit::node const& each : of.nodes) longest = std::max(longest, each.text.size());
    for (std::string const& each : of.result) longest = std::max(longest, each.size());
    for (circuit::row const& each : of.rows) {
      label = std::max({label, each.label.size() + 1, each.detail.size()});
      if (several_launches(of)) label = std::max(label, launch_name(each).size());
    }
    font = of.columns <= 16 ? 14 : of.columns <= 32 ? 12 : 11;
    node_width = std::max(26.0, static_cast<double>(longest) * font * letter + 10);
    node_height = font + 12;
    pitch = node_width + (of.columns <= 16 ? 22 : of.columns <= 32 ? 12 : 6);
    left = 24 + static_cast<double>(label) * 13 * letter + 14;
    width = left + of.columns * pitch + 20;
    width = std::max({width, 48 + static_cast<double>(around.title.size()) * 18 * letter,
                      48 + static_cast<double>(around.note.size()) * 13 * letter, 420.0});
  }

  double x(int column) const { return left + (column + 0.5) * pitch; }

  double font, node_width, node_height, pitch, left, width;
  std::vector<double> y;      // the middles of the rows, and after them that of the results
  std::vector<double> start;  // where the lines to a row leave the row before
  double height = 0;
};

}  // namespace tally::draw
