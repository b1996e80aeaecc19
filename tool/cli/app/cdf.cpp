#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tally/algorithms/distribution.hpp>
#include <tally/algorithms/radix_sort.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/real_numbers.hpp"
#include "draw/plot.hpp"
#include "help/pages/pages.hpp"
#include "input/source.hpp"
#include "io/errors.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

struct cdf_settings {
  input_settings input;
  std::optional<double> mean, deviation;
  std::optional<int> points;
  std::vector<double> quantiles;
  std::string output = "-", picture;
  bool normal = false, summary = false;
};

void write_chart(std::string title, std::vector<draw::curve> curves, std::string const& file)
{
  write_text(file, draw::svg({.scaling = draw::axes::linear,
                              .title = std::move(title),
                              .x_name = "x",
                              .y_name = "part",
                              .curves = std::move(curves)}));
}

void run_normal(cdf_settings const& settings)
{
  double const mean = settings.mean.value_or(0), deviation = settings.deviation.value_or(1);
  std::vector<distribution_point<double>> table(static_cast<std::size_t>(settings.points.value_or(1024)));
  tabulate_normal(cpu{}, mean, deviation, table.size(), table.begin());
  if (!settings.picture.empty()) {
    draw::curve cumulative{"cumulative", {}}, density{"density times the deviation", {}};
    for (auto const& each : table) {
      cumulative.points.push_back({each.x, each.cumulative});
      density.points.push_back({each.x, each.density * deviation});
    }
    write_chart("Normal distribution, mean " + io::to_text(mean) + ", deviation " + io::to_text(deviation),
                {cumulative, density}, settings.picture);
  }
  std::string text;
  if (settings.summary) {
    double worst = 0, where = table[0].x;
    for (auto const& each : table) {
      double const error = each.cumulative - normal_cumulative(each.x, mean, deviation);
      if (std::abs(error) <= std::abs(worst)) continue;
      worst = error;
      where = each.x;
    }
    text = "points\t" + std::to_string(table.size()) + "\nlast value\t" + with_digits(table.back().cumulative, 9) +
           "\nlargest error\t" + as_error(worst) + "\nat x near\t" + with_digits(where, 2) + '\n';
  } else {
    text = "x,pdf,cdf\n";
    for (auto const& each : table) {
      text += io::to_text(each.x) + ',' + io::to_text(each.density) + ',';
      text += io::to_text(each.cumulative) + '\n';
    }
  }
  write_text(settings.output, text);
}

void run_empirical(cdf_settings const& settings)
{
  keep_standard_input(settings.input);
  std::vector<double> data = read_doubles(settings.input);
  std::string const name = name_of(settings.input.files[0]);
  if (data.empty()) throw io::data_error({name}, "no values", "at least one");
  auto const nan = std::find_if(data.begin(), data.end(), [](double x) { return std::isnan(x); });
  if (nan != data.end())
    throw io::data_error(location_in(settings.input, 0, static_cast<std::uint64_t>(nan - data.begin())), "nan",
                         "numbers, which have an order");
  radix_sort(cpu{}, data.begin(), data.end());
  std::vector<distribution_step<double>> steps(data.size());
  steps.erase(empirical_distribution(cpu{}, data.begin(), data.end(), steps.begin()), steps.end());
  auto const part = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(data.size()); };
  if (!settings.picture.empty()) {
    draw::curve cumulative{"the values not above x", {}};
    double before = 0;
    for (auto const& each : steps) {
      cumulative.points.push_back({each.value, before});
      cumulative.points.push_back({each.value, before = part(each.count)});
    }
    if (std::isinf(data.front()) || std::isinf(data.back()))
      throw io::data_error({name}, "an infinity", "finite numbers for a picture");
    write_chart("Distribution of " + std::to_string(data.size()) + " values", {cumulative}, settings.picture);
  }
  std::string text;
  if (!settings.quantiles.empty()) {
    for (double const p : settings.quantiles)
      text += io::to_text(p) + '\t' + io::to_text(quantile(data.begin(), data.end(), p)) + '\n';
  } else {
    text = "value,count,cdf\n";
    for (auto const& each : steps) {
      text += io::to_text(each.value) + ',' + std::to_string(each.count) + ',';
      text += io::to_text(part(each.count)) + '\n';
    }
  }
  write_text(settings.output, text);
}

command_page const& cdf_page()
{
  static command_page const page = {
      .name = "app cdf",
      .summary = "cumulative distributions: the normal one, or that of data",
      .usage = "tally app cdf [OPTION...] [FILE...]",
      .description =
          {"Prints the empirical distribution of the input as a table: each value, the number of data not above it, "
           "and their share.",
           "With --normal, or any other option of the normal distribution, it reads nothing and prints the normal "
           "distribution up to five deviations from its mean: x, density and cumulative distribution. The density is "
           "integrated by the trapezoidal rule, a scan of areas."},
      .options = {{"Normal distribution",
                   {{"--normal", "", "The normal distribution instead of that of data."},
                    {"--mean", "MEAN", "Its mean; 0 if not given."},
                    {"--deviation", "DEVIATION", "Its standard deviation; 1 if not given."},
                    {"--points", "N", "The number of points; 1024 if not given."},
                    {"--summary", "",
                     "Instead of the table print the last value, and the largest error against the error function."}}},
                  {"Data",
                   {{"--quantiles", "P[,P...]",
                     "Instead of the table print the quantile of each part P from 0 to 1, interpolated between two "
                     "values."}}},
                  column_options(),
                  {"Output",
                   {output_option(),
                    {"--svg", "FILE", "Draw the distribution too, as an SVG file.", completes::files},
                    help_option()}}},
      .sections = {exit_section()},
      .examples = {
          {"The standard normal distribution:", "tally app cdf --normal -o normal.csv --svg normal.svg"},
          {"Its distance from the error function:", "tally app cdf --summary"},
          {"Median and quartiles of a column:", "tally app cdf --quantiles 0.25,0.5,0.75 --column age people.csv"}}};
  return page;
}

void run_cdf(std::vector<std::string> const& words)
{
  cdf_settings settings;
  parser options(cdf_page());
  options.value("--mean", [&](std::string const& text) { settings.mean = real_number("--mean", text); });
  options.value("--deviation", [&](std::string const& text) {
    settings.deviation = real_number("--deviation", text);
    if (!(*settings.deviation > 0)) throw command_line_error("--deviation: '" + text + "' is not above 0");
  });
  options.number("--points", settings.points, 1);
  options.flag("--normal", settings.normal);
  options.flag("--summary", settings.summary);
  options.value("--quantiles", [&](std::string const& text) {
    settings.quantiles = real_numbers("--quantiles", text);
    for (double const p : settings.quantiles)
      if (!(p >= 0 && p <= 1)) throw command_line_error("--quantiles: " + io::to_text(p) + " is no part from 0 to 1");
  });
  bind_output(options, settings.output);
  options.value("--svg", settings.picture);
  bind_input(options, settings.input);
  options.parse(words);
  if (settings.picture == "-" && settings.output == "-")
    throw command_line_error("--svg: standard output has the table; name a file for one of them");
  bool const normal = settings.normal || settings.mean || settings.deviation || settings.points || settings.summary;
  if (!normal) {
    complete_input(settings.input);
    return run_empirical(settings);
  }
  input_settings const& input = settings.input;
  if (!input.files.empty() || input.gives_options() || input.format || input.type || !settings.quantiles.empty())
    throw command_line_error(
        "--normal, --mean, --deviation, --points and --summary are for the normal distribution, without data");
  run_normal(settings);
}

}  // namespace

command cdf_application()
{
  return {cdf_page(), run_cdf};
}

}  // namespace tally::cli
