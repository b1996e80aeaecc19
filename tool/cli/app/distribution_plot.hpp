#pragma once

#include <string>
#include <utility>
#include <vector>

/// A picture of a distribution, as SVG.
namespace tally::cli {

struct distribution_curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< from left to right
};

/// Curves over one axis, each scaled to its greatest value unless that is at most 1. A file of its own, legible on
/// light and dark.
///
/// Requires  at least one curve with at least one point; at most two curves.
std::string distribution_svg(std::string const& title, std::vector<distribution_curve> const& curves);

}  // namespace tally::cli
