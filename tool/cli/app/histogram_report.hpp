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

/// A line for each bin, with a bar; then lines for values outside, where there are any.
std::string table(histogram_report const& report);
std::string json_text(histogram_report const& report);
/// Bars whose areas are the counts, as wide as their bins. A file of its own, legible on light and dark.
std::string svg(histogram_report const& report);

}  // namespace tally::cli
