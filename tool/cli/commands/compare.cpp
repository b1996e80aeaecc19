#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "commands/commands.hpp"
#include "compare/comparison.hpp"
#include "compare/over_n.hpp"
#include "draw/plot.hpp"
#include "help/pages/pages.hpp"
#include "io/files/output.hpp"
#include "settings/parser.hpp"
#include "textbook/gpu.hpp"

namespace tally::cli {

namespace {

struct compare_settings {
  int n = 1024;
  std::optional<kernel_operation> op;
  std::optional<std::size_t> sorted_by;
  std::optional<std::size_t> over;        ///< n is the only choice
  std::optional<std::size_t> column;      ///< the figure over n,
  std::optional<std::size_t> processors;  ///< or their time
  std::optional<std::string> svg;
  bool json = false, gpu = false;
  std::vector<std::string> kernels;
};

/// The options that belong to `--over n` alone, and those that do not go with it.
void check_over_n(compare_settings const& settings)
{
  if (settings.n < 2) throw command_line_error("--over n begins with two elements: --n 2 or more");
  if (settings.gpu) throw command_line_error("--over n: --gpu runs the kernels on one number of elements");
  if (settings.sorted_by) throw command_line_error("--over n: --sort sorts the table of one number of elements");
  if (settings.column && settings.processors)
    throw command_line_error("--column and --processors: the figure is one of them");
  if (settings.column && comparison_columns()[*settings.column].value == nullptr)
    throw command_line_error("--column: " + std::string(comparison_columns()[*settings.column].name) +
                             " is a word; name a figure, such as work, depth or wavefronts");
  if (settings.svg == "-" && settings.json)
    throw command_line_error("--svg - and --json: standard output takes one of them");
  if (settings.svg && settings.kernels.size() > draw::chart::most_curves)
    throw command_line_error("--svg: a plot of more than " + std::to_string(draw::chart::most_curves) +
                             " kernels cannot be read");
}
void check_one_size(compare_settings const& settings)
{
  if (settings.column || settings.processors || settings.svg)
    throw command_line_error(std::string(settings.column       ? "--column"
                                         : settings.processors ? "--processors"
                                                               : "--svg") +
                             " belongs to --over n");
}

compare_settings parse_compare(std::vector<std::string> const& words)
{
  compare_settings settings;
  parser options(compare_page());
  options.arguments("KERNEL...", settings.kernels);
  options.number("--n", settings.n, 1, most_elements);
  options.choice("--op", settings.op);
  options.choice("--sort", settings.sorted_by);
  options.choice("--over", settings.over);
  options.choice("--column", settings.column);
  options.number("--processors", settings.processors, 1);
  options.value("--svg", settings.svg);
  options.flag("--json", settings.json);
  options.flag("--gpu", settings.gpu);
  options.parse(words);
  check_letters(settings.n, settings.op.value_or(kernel_operation::sum));
  settings.over ? check_over_n(settings) : check_one_size(settings);
  return settings;
}

compared_figure figure_of(compare_settings const& settings)
{
  if (settings.column) {
    comparison_column const& column = comparison_columns()[*settings.column];
    return {std::string(column.name), std::string(column.meaning), column.value, 0};
  }
  std::size_t const p = settings.processors.value_or(32);
  return {fmt::format("T_{}", p), fmt::format("the time of {} processor{}", p, p == 1 ? "" : "s"), nullptr, p};
}

/// The kernels of a plot if none is named: scans of a block, and one of a whole array.
constexpr std::string_view plotted_over_n[] = {"sequential-scan", "hillis-steele",     "sklansky",     "brent-kung",
                                               "blelloch-padded", "warp-shuffle-scan", "scan-scan-add"};

void run_over_n(compare_settings const& settings)
{
  comparison_over_n const all = over_n(kernels_named(settings.kernels), settings.n, settings.op, figure_of(settings));
  if (settings.svg) {
    io::write_whole(io::output::named(*settings.svg), plot(settings.kernels.empty() ? part(all, plotted_over_n) : all));
    if (settings.svg == "-") return;
  }
  io::write_whole(io::output::standard_output(), settings.json ? json_text(all) : table(all));
}

comparison compare(compare_settings const& settings)
{
  comparison all;
  all.n = settings.n;
  all.op = settings.op;
  for (textbook::kernel_entry const* kernel : kernels_named(settings.kernels)) {
    if (auto const reason = why_not(*kernel, settings.n, settings.op)) {
      all.left_out.push_back({kernel, *reason});
      continue;
    }
    compared_kernel& one = all.kernels.emplace_back(compared_kernel{measure(*kernel, settings.n, settings.op), {}});
    for (std::size_t const p : processors) one.times.push_back(one.figures.operations.schedule(p));
  }
  if (settings.gpu) {
    if (std::string const reason = textbook::why_no_gpu(); reason.empty())
      add_gpu(all);
    else
      std::fputs(("tally: no GPU to compare on: " + reason + '\n').c_str(), stderr);
  }
  if (settings.sorted_by) sort(all, *settings.sorted_by);
  return all;
}

}  // namespace

void run_compare(std::vector<std::string> const& words)
{
  compare_settings const settings = parse_compare(words);
  if (settings.over) return run_over_n(settings);
  comparison const all = compare(settings);
  std::string const text = settings.json ? json_text(all) : table(all);
  io::write_whole(io::output::standard_output(), text);
}

}  // namespace tally::cli
