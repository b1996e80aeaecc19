#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A histogram as text, JSON and a picture.
namespace tally::cli {

struct histogram_report {
  std::vector<double> edges;          ///< one more than bins
  std::vector<std::uint64_t> counts;  ///< of the bins, then below, above, nan
};

/// A line for each bin, with a bar; then lines for values outside, if there are any.
std::string table(histogram_report const& report);
std::string json_text(histogram_report const& report);
/// An SVG chart: bars as wide as their bins, whose areas are the counts.
std::string svg(histogram_report const& report);

}  // namespace tally::cli
