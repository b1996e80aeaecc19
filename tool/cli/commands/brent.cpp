#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "brent/times.hpp"
#include "commands/commands.hpp"
#include "draw/plot.hpp"
#include "help/pages/pages.hpp"
#include "io/files/output.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

struct brent_settings {
  int n = 1024;
  std::optional<std::string> svg;
  bool json = false;
  std::vector<std::string> kernels;  ///< of the catalogue, or `map`; all if empty
};

constexpr char map_name[] = "map";

/// The kernels that are plotted if none is named.
constexpr std::string_view plotted[] = {"map", "tree-reduction", "sequential-scan", "hillis-steele", "brent-kung"};

brent_settings parse_brent(std::vector<std::string> const& words)
{
  brent_settings settings;
  parser options(brent_page());
  options.arguments("KERNEL...", settings.kernels);
  options.number("--n", settings.n, 1, most_elements);
  options.value("--svg", settings.svg);
  options.flag("--json", settings.json);
  options.parse(words);
  if (settings.svg == "-" && settings.json)
    throw command_line_error("--svg - and --json: standard output takes one of them");
  if (settings.svg && settings.kernels.size() > draw::chart::most_curves)
    throw command_line_error("--svg: a plot of more than " + std::to_string(draw::chart::most_curves) +
                             " kernels cannot be read");
  return settings;
}

brent_report brent(brent_settings const& settings)
{
  brent_report report;
  report.n = settings.n;
  std::vector<std::string> names = settings.kernels;
  bool const all = names.empty();
  bool const with_map = std::erase(names, map_name) > 0 || all;
  if (with_map) report.all.push_back(times_of(map_name, map_of(settings.n), settings.n));
  std::vector<kernel_figures> scans;
  if (all || !names.empty()) {
    for (textbook::kernel_entry const* kernel : kernels_named(names)) {
      if (auto const reason = why_not(*kernel, settings.n, std::nullopt)) {
        report.left_out.push_back({kernel, *reason});
        continue;
      }
      kernel_figures figures = measure(*kernel, settings.n);
      report.all.push_back(times_of(std::string(kernel->name), figures.operations, settings.n));
      if (is_scan(kernel->result)) scans.push_back(std::move(figures));
    }
  }
  std::vector<kernel_figures const*> pointers;
  for (kernel_figures const& each : scans) pointers.push_back(&each);
  report.crossovers = crossovers(pointers);
  return report;
}

/// The part of the report that the plot shows.
brent_report part(brent_report const& whole, brent_settings const& settings)
{
  if (!settings.kernels.empty()) return whole;
  auto const shown = [](std::string_view name) { return std::ranges::find(plotted, name) != std::end(plotted); };
  brent_report some = whole;
  std::erase_if(some.all, [&](brent_times const& each) { return !shown(each.name); });
  std::erase_if(some.crossovers,
                [&](crossover const& each) { return !shown(each.lean->name) || !shown(each.shallow->name); });
  return some;
}

}  // namespace

void run_brent(std::vector<std::string> const& words)
{
  brent_settings const settings = parse_brent(words);
  brent_report const report = brent(settings);
  if (report.all.empty()) {
    std::string reasons;
    for (left_out_kernel const& each : report.left_out)
      reasons += (reasons.empty() ? "" : "; ") + std::string(each.kernel->name) + ": " + each.reason;
    throw command_line_error("no kernel is left to be timed: " + reasons);
  }
  if (settings.svg) io::write_whole(io::output::named(*settings.svg), plot(part(report, settings)));
  if (settings.svg == "-") return;
  std::string const text = settings.json              ? json_text(report)
                           : settings.kernels.empty() ? table(report)
                                                      : tables(report);
  io::write_whole(io::output::standard_output(), text);
}

}  // namespace tally::cli
