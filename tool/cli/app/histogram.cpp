#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <tally/algorithms/histogram.hpp>
#include <tally/reduce.hpp>

#include "app/application.hpp"
#include "app/histogram_report.hpp"
#include "app/input.hpp"
#include "app/real_numbers.hpp"
#include "help/pages/pages.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

/// More bins than this cannot be read.
constexpr int most_bins = 1'000'000;

command_page const& histogram_page()
{
  static command_page const page = {
      .name = "app histogram",
      .summary = "count how many numbers fall into each bin",
      .usage = "tally app histogram [OPTION...] [FILE...]",
      .description =
          {"Reads numbers and prints a line for each bin: its edges, the number of its values, and a bar. A bin "
           "includes its lower edge and not its upper one; the last bin includes both. Values outside and nan are "
           "counted in lines of their own.",
           "All threads count parts of the input at once, and then their counts are added up."},
      .options = {column_options(),
                  {"Bins",
                   {{"--bins", "N", "The number of bins, all of one width; 10 if not given."},
                    {"--range", "LOWER,UPPER",
                     "The beginning of the first bin and the end of the last one; the least and the greatest finite "
                     "value if not given."},
                    {"--edges", "EDGE,EDGE,...", "The edges of the bins, in ascending order, instead."}}},
                  {"Output",
                   {output_option(),
                    {"--svg", "FILE", "Draw the histogram as well.", completes::files},
                    {"--json", "", "Print JSON for scripts instead of a table."},
                    help_option()}}},
      .sections = {exit_section()},
      .examples = {
          {"The lengths of the lines of a file:", "awk '{ print length }' notes.txt | tally app histogram"},
          {"By size classes:", "tally app histogram --column bytes --edges 0,1000,1000000,1000000000 files.csv"},
          {"With a picture:", "tally app histogram --bins 40 --svg waits.svg waits.npy"}}};
  return page;
}

struct histogram_settings {
  input_settings input;
  int bins = 10;
  std::optional<std::pair<double, double>> range;
  std::vector<double> edges;
  std::string output = "-";
  std::optional<std::string> svg;
  bool json = false;
};

histogram_settings parse_histogram(std::vector<std::string> const& words)
{
  histogram_settings settings;
  std::optional<int> bins;
  parser options(histogram_page());
  bind_input(options, settings.input);
  options.number("--bins", bins, 1, most_bins);
  options.value("--range", [&](std::string const& text) {
    std::vector<double> const ends = real_numbers("--range", text);
    if (ends.size() != 2 || !(ends[0] < ends[1]) || !std::isfinite(ends[1] - ends[0]))
      throw command_line_error("--range: '" + text + "' is not two numbers LOWER,UPPER with LOWER less than UPPER");
    settings.range = {ends[0], ends[1]};
  });
  options.value("--edges", [&](std::string const& text) {
    settings.edges = real_numbers("--edges", text);
    if (settings.edges.size() < 2) throw command_line_error("--edges: a bin needs two edges");
    if (!std::is_sorted(settings.edges.begin(), settings.edges.end()))
      throw command_line_error("--edges: '" + text + "' is not in ascending order");
  });
  bind_output(options, settings.output);
  options.value("--svg", settings.svg);
  options.flag("--json", settings.json);
  options.parse(words);
  settings.bins = bins.value_or(settings.bins);
  if (!settings.edges.empty() && (bins || settings.range))
    throw command_line_error("--edges says what the bins are; --bins and --range are for bins of one width");
  if (settings.svg == "-" && settings.output == "-")
    throw command_line_error("--svg: standard output has the table; name a file for one of them");
  complete_input(settings.input);
  return settings;
}

/// From the least to the greatest finite value, or a range around them if they are equal; from 0 to 1 if there is none.
template <class T>
std::pair<double, double> range_of(std::vector<T> const& values)
{
  double const infinity = std::numeric_limits<double>::infinity();
  auto const [least, greatest] = tally::transform_reduce(
      tally::cpu{}, values.begin(), values.end(), std::pair{infinity, -infinity},
      [](auto const& a, auto const& b) { return std::pair{std::min(a.first, b.first), std::max(a.second, b.second)}; },
      [infinity](T value) {
        auto const x = static_cast<double>(value);
        return std::isfinite(x) ? std::pair{x, x} : std::pair{infinity, -infinity};
      });
  if (least > greatest) return {0, 1};
  if (least < greatest && std::isfinite(greatest - least)) return {least, greatest};
  if (least < greatest)
    throw error("the values reach from " + io::to_text(least) + " to " + io::to_text(greatest) +
                ", which is too wide for bins of one width; give a narrower --range, or --edges");
  double const around = std::max(0.5, std::abs(least) * 0x1p-40);
  return {least - around, least + around};
}

template <class T>
histogram_report count(std::vector<T> const& values, histogram_settings const& settings)
{
  histogram_report report;
  auto const fill = [&](auto const& all, auto const& bins) {
    report.counts.resize(bins.slots());
    tally::histogram(all, bins, report.counts.begin());
  };
  if (!settings.edges.empty()) {
    report.edges = settings.edges;
    tally::edge_bins const bins(settings.edges.data(), settings.edges.size());
    if constexpr (std::is_same_v<T, double>) {
      fill(values, bins);
    } else {
      fill(std::vector<double>(values.begin(), values.end()), bins);
    }
    return report;
  }
  auto const [lower, upper] = settings.range ? *settings.range : range_of(values);
  tally::even_bins const bins(lower, upper, static_cast<std::size_t>(settings.bins));
  for (std::size_t k = 0; k <= bins.count(); ++k) report.edges.push_back(bins.edge(k));
  fill(values, bins);
  return report;
}

void run_histogram(std::vector<std::string> const& words)
{
  histogram_settings const settings = parse_histogram(words);
  numbers const all = read_numbers(settings.input);
  histogram_report const report = std::visit([&](auto const& values) { return count(values, settings); }, all);
  if (settings.svg) write_text(*settings.svg, svg(report));
  write_text(settings.output, settings.json ? json_text(report) : table(report));
}

}  // namespace

command histogram_application()
{
  return {histogram_page(), run_histogram};
}

}  // namespace tally::cli
