#include "app/histogram_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "io/number.hpp"

namespace tally::cli {

namespace {

std::size_t bins_of(histogram_report const& report)
{
  return report.edges.size() - 1;
}

std::uint64_t most_of(histogram_report const& report)
{
  auto const end = report.counts.begin() + static_cast<std::ptrdiff_t>(bins_of(report));
  return std::max<std::uint64_t>(1, *std::max_element(report.counts.begin(), end));
}

/// A bar of blocks and, at its end, eighths of one. A count that is not zero shows.
std::string bar(std::uint64_t count, std::uint64_t most)
{
  static constexpr std::string_view eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  constexpr double width = 40;
  auto length = static_cast<std::size_t>(static_cast<double>(count) / static_cast<double>(most) * width * 8);
  if (count > 0 && length == 0) length = 1;
  std::string text;
  for (std::size_t k = 0; k < length / 8; ++k) text += "█";
  return text.append(eighths[length % 8]);
}

struct outside {
  std::string_view name;
  std::uint64_t count;
};
std::vector<outside> outsides(histogram_report const& report)
{
  std::size_t const bins = bins_of(report);
  return {{"below", report.counts[bins]}, {"above", report.counts[bins + 1]}, {"nan", report.counts[bins + 2]}};
}

/// An edge with six digits at most: what is between its neighbours needs no more, and rounding noise shows in none.
std::string shown(double edge)
{
  return fmt::format("{:.6g}", edge == 0 ? 0.0 : edge);
}

}  // namespace

std::string table(histogram_report const& report)
{
  std::size_t const bins = bins_of(report);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < bins; ++k)
    names.push_back(
        fmt::format("[{}, {}{}", shown(report.edges[k]), shown(report.edges[k + 1]), k + 1 == bins ? "]" : ")"));
  for (outside const& each : outsides(report))
    if (each.count != 0) names.emplace_back(each.name);
  std::size_t width = 0;
  for (std::string const& name : names) width = std::max(width, name.size());
  std::size_t digits = 1;
  for (std::uint64_t const count : report.counts) digits = std::max(digits, std::to_string(count).size());

  std::string text;
  auto const line = [&](std::string_view name, std::uint64_t count, std::string const& bar_of_it) {
    text += fmt::format("{:<{}}  {:>{}}", name, width, count, digits);
    if (!bar_of_it.empty()) text += "  " + bar_of_it;
    text += '\n';
  };
  std::uint64_t const most = most_of(report);
  for (std::size_t k = 0; k < bins; ++k) line(names[k], report.counts[k], bar(report.counts[k], most));
  for (outside const& each : outsides(report))
    if (each.count != 0) line(each.name, each.count, "");
  return text;
}

std::string json(histogram_report const& report)
{
  std::string text = R"({"edges":[)";
  for (std::size_t k = 0; k < report.edges.size(); ++k) (text += k == 0 ? "" : ",") += io::to_text(report.edges[k]);
  text += R"(],"counts":[)";
  for (std::size_t k = 0; k < bins_of(report); ++k) (text += k == 0 ? "" : ",") += std::to_string(report.counts[k]);
  text += ']';
  for (outside const& each : outsides(report)) text += fmt::format(R"(,"{}":{})", each.name, each.count);
  return text + "}\n";
}

std::string svg(histogram_report const& report)
{
  constexpr double left = 40, top = 20, width = 600, height = 240;
  std::size_t const bins = bins_of(report);
  double const lower = report.edges.front(), range = std::max(report.edges.back() - lower, 1e-300);
  std::vector<double> heights(bins);
  for (std::size_t k = 0; k < bins; ++k) {
    double const share = (report.edges[k + 1] - report.edges[k]) / range;
    heights[k] = share > 0 ? static_cast<double>(report.counts[k]) / share : 0;
  }
  double const highest = std::max(1e-300, *std::max_element(heights.begin(), heights.end()));
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="A histogram of {} bins">
<style>
:root {{ color-scheme: light dark; }}
text {{ fill: #1f2937; }} rect {{ fill: #3b82f6; fill-opacity: .6; stroke: #2563eb; stroke-width: .5; }} line {{ stroke: #6b7280; }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #e5e7eb; }} rect {{ stroke: #93c5fd; }} line {{ stroke: #9ca3af; }} }}
</style>
)",
      width + 2 * left, height + top + 45, bins);
  for (std::size_t k = 0; k < bins; ++k) {
    if (report.counts[k] == 0) continue;
    double const x = left + (report.edges[k] - lower) / range * width;
    double const wide = (report.edges[k + 1] - report.edges[k]) / range * width;
    double const high = heights[k] / highest * height;
    text += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"><title>{} to {}: {}</title></rect>\n", x,
        top + height - high, wide, high, shown(report.edges[k]), shown(report.edges[k + 1]), report.counts[k]);
  }
  text += fmt::format("<line x1=\"{0:.0f}\" y1=\"{2:.0f}\" x2=\"{1:.0f}\" y2=\"{2:.0f}\"/>\n", left, left + width,
                      top + height);
  // As many edges as have room for their numbers.
  std::size_t const step = (bins + 9) / 10;
  double free_from = -1e300;
  for (std::size_t k = 0; k <= bins; k += step) {
    double const x = left + (report.edges[k] - lower) / range * width;
    if (x < free_from) continue;
    free_from = x + 50;
    text += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>\n", x, top + height + 18,
                        shown(report.edges[k]));
  }
  std::string beyond;
  for (outside const& each : outsides(report))
    if (each.count != 0) beyond += fmt::format("{}{} {}", beyond.empty() ? "" : ", ", each.name, each.count);
  if (!beyond.empty())
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", left, top + height + 38, beyond);
  return text + "</svg>\n";
}

}  // namespace tally::cli
