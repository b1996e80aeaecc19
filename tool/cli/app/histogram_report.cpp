#include "app/histogram_report.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "draw/plot.hpp"
#include "io/numbers/number.hpp"
#include "output/json.hpp"
#include "plot/bars.hpp"

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

/// A count above zero has a bar.
std::string bar_of(std::uint64_t count, std::uint64_t most)
{
  return bar(static_cast<double>(count) / static_cast<double>(most), 40);
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

/// An edge with at most six digits: enough to tell it from its neighbours, and too few to show rounding noise.
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
  for (std::size_t k = 0; k < bins; ++k) line(names[k], report.counts[k], bar_of(report.counts[k], most));
  for (outside const& each : outsides(report))
    if (each.count != 0) line(each.name, each.count, "");
  return text;
}

std::string json_text(histogram_report const& report)
{
  json edges = json::array(), counts = json::array();
  for (double const edge : report.edges) edges.append(json::verbatim(io::to_text(edge)));
  for (std::size_t k = 0; k < bins_of(report); ++k) counts.append(report.counts[k]);
  json record = {{"edges", edges}, {"counts", counts}};
  for (outside const& each : outsides(report)) record.add(each.name, each.count);
  return record.line();
}

std::string svg(histogram_report const& report)
{
  std::size_t const bins = bins_of(report);
  draw::chart chart{.scaling = draw::axes::linear, .title = fmt::format("A histogram of {} bins", bins)};
  double const range = std::max(report.edges.back() - report.edges.front(), 1e-300);
  // Bars of one width have the counts as heights, and an axis. Of others the areas are the counts: no axis says that.
  double widest = 0, narrowest = range;
  for (std::size_t k = 0; k < bins; ++k) {
    widest = std::max(widest, report.edges[k + 1] - report.edges[k]);
    narrowest = std::min(narrowest, report.edges[k + 1] - report.edges[k]);
  }
  bool const even = widest - narrowest <= 1e-9 * range;
  if (even) chart.y_name = "count";
  double highest = 1e-300;
  for (std::size_t k = 0; k < bins; ++k) {
    double const share = even ? 1 : (report.edges[k + 1] - report.edges[k]) / range;
    double const height = share > 0 ? static_cast<double>(report.counts[k]) / share : 0;
    highest = std::max(highest, height);
    if (report.counts[k] == 0 && k != 0 && k + 1 != bins) continue;  // the outermost bins say where the axis ends
    chart.bars.push_back(
        {report.edges[k], report.edges[k + 1], height,
         fmt::format("{} to {}: {}", shown(report.edges[k]), shown(report.edges[k + 1]), report.counts[k])});
  }
  for (draw::bar& each : chart.bars)
    if (!even) each.height /= highest;
  for (outside const& each : outsides(report))
    if (each.count != 0) chart.note += fmt::format("{}{} {}", chart.note.empty() ? "" : ", ", each.name, each.count);
  return draw::svg(chart);
}

}  // namespace tally::cli
