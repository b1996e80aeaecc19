#include <algorithm>

#include <fmt/format.h>

#include "brent/times.hpp"
#include "draw/plot.hpp"
#include "kernels/words.hpp"
#include "output/json.hpp"

namespace tally::cli {

namespace {

/// Sentences on the crossovers: how much more work the shallow scan does, and where it is ahead.
std::string reading(brent_report const& report)
{
  if (report.crossovers.empty()) return {};
  auto const work_of = [&](crossover const& each, bool shallow) {
    std::string_view const name = shallow ? each.shallow->name : each.lean->name;
    auto const found = std::find_if(report.all.begin(), report.all.end(),
                                    [&](brent_times const& times) { return times.name == name; });
    return static_cast<double>(found->work);
  };
  crossover const& least =
      *std::min_element(report.crossovers.begin(), report.crossovers.end(),
                        [&](crossover const& a, crossover const& b) { return work_of(a, false) < work_of(b, false); });
  return wrapped(fmt::format(
      "{} does {:.1f} times the work of {}, and on fewer than {} processors it is the slower one. It is ahead of {}.",
      least.shallow->name, work_of(least, true) / work_of(least, false), least.lean->name, least.from,
      list(report.crossovers)));
}

std::string verdict(brent_report const& report)
{
  std::size_t places = 0;
  for (brent_times const& each : report.all) places += each.times.size();
  std::string out =
      fmt::format("T_1/p <= T_p <= T_1/p + T_inf: holds for each of {} times.\n", places) + reading(report);
  return report.left_out.empty() ? out : out + '\n' + list(report.left_out);
}

/// A heading and a number for each kernel.
struct column {
  std::vector<std::string> cells;
  std::size_t width() const
  {
    std::size_t most = 0;
    for (std::string const& each : cells) most = std::max(most, each.size());
    return most;
  }
};

column column_of(brent_report const& report, std::size_t k, bool first)
{
  column made;
  made.cells.push_back(fmt::format("{}{}", first ? "p = " : "", std::size_t{1} << k));
  for (brent_times const& each : report.all) made.cells.push_back(std::to_string(each.times[k]));
  return made;
}

column depths_of(brent_report const& report)
{
  column made;
  made.cells.emplace_back("T_inf");
  for (brent_times const& each : report.all) made.cells.push_back(std::to_string(each.depth));
  return made;
}

}  // namespace

std::string table(brent_report const& report)
{
  std::string out = fmt::format("T_p: the time of p processors for the operations of a kernel on {} element{}, by a "
                                "greedy schedule, each taking 1.\n\n",
                                report.n, report.n == 1 ? "" : "s");
  std::size_t const last = report.all.front().times.size() - 1;
  std::size_t longest = 6;
  for (brent_times const& each : report.all) longest = std::max(longest, each.name.size());
  std::vector<column> columns;
  for (std::size_t every = 1;; ++every) {  // as many as fit, the last p among them
    columns.clear();
    std::size_t width = longest;
    for (std::size_t k = last % every; k <= last; k += every) columns.push_back(column_of(report, k, columns.empty()));
    columns.insert(columns.begin(), depths_of(report));
    for (column const& each : columns) width += 2 + each.width();
    if (width <= line_width) break;
  }
  for (std::size_t row = 0; row <= report.all.size(); ++row) {
    out += fmt::format("{:<{}}", row == 0 ? "kernel" : report.all[row - 1].name, longest);
    for (column const& each : columns) out += fmt::format("  {:>{}}", each.cells[row], each.width());
    out += '\n';
  }
  return out + '\n' + verdict(report);
}

std::string tables(brent_report const& report)
{
  std::string out;
  for (brent_times const& each : report.all) {
    out += fmt::format("{} on {} element{}: T_1 = {}, T_inf = {}", each.name, report.n, report.n == 1 ? "" : "s",
                       each.work, each.depth);
    if (each.depth > 0)
      out += fmt::format("; at once {:.1f} on average, {} at most",
                         static_cast<double>(each.work) / static_cast<double>(each.depth), each.widest);
    out += "\n\n";
    out += "      p       T_1/p      T_p  T_1/p + T_inf  faster  busy\n";
    double p = 1;
    for (std::size_t const time : each.times) {
      auto const work = static_cast<double>(each.work), taken = static_cast<double>(std::max<std::size_t>(time, 1));
      out += fmt::format("{:>7} {:>11.1f} {:>8} {:>14.1f} {:>6.1f}x {:>4.0f}%\n", p, work / p, time,
                         work / p + static_cast<double>(each.depth), work / taken, 100 * work / taken / p);
      p *= 2;
    }
    out += '\n';
  }
  return out + verdict(report);
}

std::string json_text(brent_report const& report)
{
  json kernels = json::array();
  for (brent_times const& each : report.all) {
    json times = json::array();
    for (std::size_t k = 0; k < each.times.size(); ++k)
      times.append({{"p", std::size_t{1} << k}, {"T_p", each.times[k]}});
    kernels.append(
        {{"kernel", each.name}, {"T_1", each.work}, {"T_inf", each.depth}, {"widest", each.widest}, {"times", times}});
  }
  return json{{"n", report.n},
              {"kernels", kernels},
              {"left_out", json_of(report.left_out)},
              {"crossovers", json_of(report.crossovers)}}
      .line();
}

std::string plot(brent_report const& report)
{
  draw::chart chart;
  chart.title = fmt::format("Time of p processors on {} elements", report.n);
  chart.y_name = "time T_p, an operation taking 1";
  chart.x_name = "processors p";
  chart.note =
      "Each curve has the band that Brent's theorem leaves to it: at least T_1/p and T_inf, at most T_1/p + T_inf.";
  for (brent_times const& each : report.all) {
    draw::curve& curve = chart.curves.emplace_back();
    curve.name = each.name;
    double p = 1;
    for (std::size_t const time : each.times) {
      auto const work = static_cast<double>(each.work), depth = static_cast<double>(each.depth);
      curve.points.push_back({p, std::max(1.0, static_cast<double>(time))});
      curve.band.push_back({p, std::max({work / p, depth, 1.0}), std::max(1.0, work / p + depth)});
      p *= 2;
    }
  }
  for (crossover const& each : report.crossovers)
    chart.marks.push_back(
        {{static_cast<double>(each.from), static_cast<double>(each.time)}, fmt::format("p = {}", each.from)});
  return draw::svg(chart);
}

}  // namespace tally::cli
