#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "report.hpp"

/// Gnuplot draws these pictures, and not course/draw/plot, which draws the tool's charts. Here a picture has several
/// panels, curves have gaps where a contender lacks a size, and the sizes begin at 2^10.
namespace tally::bench {
namespace {

/// A curve: its legend, how it is drawn, and its value in a cell.
struct curve {
  std::string legend;
  std::string style;
  std::string contender;  // "limit", "tally", "best peer", or the name of a contender
  int threads;            // of the contender
};

struct panel {
  std::string title;
  operation what;
  element type;
  std::vector<curve> curves;
};

char const* const limit_style = "with lines lw 3 dt 2 lc rgb '#8c8c8c'";
char const* const tally_style = "with linespoints lw 3 pt 7 ps 0.6 lc rgb '#0b61a4'";

std::optional<double> value(cell const& c, curve const& wanted)
{
  standing const s = stand(c, wanted.threads);
  measurement const* found = nullptr;
  if (wanted.contender == "limit") {
    found = s.limit;
  } else if (wanted.contender == "tally") {
    found = s.tally;
  } else if (wanted.contender == "best peer") {
    found = s.peer;
  } else {
    for (measurement const& m : c.measured)
      if (m.name == wanted.contender && !m.seconds.empty() && !m.check.wrong) found = &m;
  }
  if (!found) return std::nullopt;
  return c.gigabytes_per_second(*found);
}

void write_panel(std::ostream& to, panel const& p, std::vector<cell> const& cells, int number)
{
  fmt::print(to, "$data{} << EOD\n", number);
  std::vector<bool> present(p.curves.size());
  for (cell const& c : cells) {
    if (c.what != p.what || c.type != p.type) continue;
    fmt::print(to, "{}", c.power);
    for (std::size_t k = 0; k < p.curves.size(); ++k) {
      std::optional<double> const v = value(c, p.curves[k]);
      present[k] = present[k] || v.has_value();
      fmt::print(to, " {}", v ? fmt::format("{:.4g}", *v) : "NaN");
    }
    fmt::print(to, "\n");
  }
  fmt::print(to, "EOD\nset title '{}'\n", p.title);
  bool first = true;
  for (std::size_t k = 0; k < p.curves.size(); ++k) {
    if (!present[k]) continue;
    fmt::print(to, "{} $data{} using 1:{} {} title '{}'", first ? "plot" : ",", number, k + 2, p.curves[k].style,
               p.curves[k].legend);
    first = false;
  }
  fmt::print(to, "\n");
}

/// Panels in rows of `columns`, as one picture `name`.svg.
void write_picture(std::filesystem::path const& folder, std::string const& name, std::string const& title,
                   std::vector<panel> const& panels, int columns, int width, int height, std::vector<cell> const& cells)
{
  int const rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  std::filesystem::path const file = folder / (name + ".gnuplot");
  std::ofstream to(file);
  fmt::print(to, "set terminal svg size {},{} dynamic enhanced font 'sans-serif,13' background 'white'\n",
             width * columns, height * rows + 40);
  fmt::print(to, "set output '{}.svg'\n", name);
  fmt::print(to, "set multiplot layout {},{} title '{}' noenhanced font ',15'\n", rows, columns, title);
  fmt::print(to,
             "set logscale y 2\nset yrange [1:*]\nset xlabel 'elements' offset 0,0.5\nset ylabel 'GB/s' offset 1,0\n");
  fmt::print(to, "set format x '2^{{%.0f}}'\nset xtics 10,4 nomirror\nset ytics nomirror\nset offsets 0.5,0.5,0,0\n");
  fmt::print(to, "set border 3\nset grid xtics ytics lt 1 lw 0.5 lc rgb '#d8d8d8'\nset title noenhanced\n");
  fmt::print(
      to, "set key outside bottom center horizontal Left reverse samplen 2 noenhanced\nset datafile missing 'NaN'\n");
  for (std::size_t k = 0; k < panels.size(); ++k) write_panel(to, panels[k], cells, static_cast<int>(k));
  fmt::print(to, "unset multiplot\n");
  if (!to.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::vector<curve> summary_curves(operation what, int threads)
{
  bool const scan = what == operation::inclusive_scan || what == operation::exclusive_scan;
  std::vector<curve> curves = {
      {scan ? "copy limit" : "read limit", limit_style, "limit", threads},
      {"Tally", tally_style, "tally", threads},
      {"best peer of each size", "with linespoints lw 2 pt 5 ps 0.5 lc rgb '#d95f02'", "best peer", threads},
  };
  char const* const standard_style = "with lines lw 2 lc rgb '#7570b3'";
  if (threads == 1)
    curves.push_back({scan ? "std scan" : "std::reduce", standard_style, "std", 1});
  else
    curves.push_back({"std par_unseq", standard_style, "std par_unseq", all_threads});
  return curves;
}

std::vector<curve> headline_curves(operation what)
{
  std::vector<curve> curves = summary_curves(what, all_threads);
  curves.erase(curves.begin() + 2);
  std::string const line = "with linespoints lw 2 ps 0.4 ";
  curves.push_back({"oneTBB, vectorised body", line + "pt 5 lc rgb '#d95f02'", "oneTBB, vectorised body", all_threads});
  curves.push_back({"omp simd (1 thread)", line + "pt 9 lc rgb '#1b9e77'", "omp simd", 1});
  curves.push_back({"std (1 thread)", line + "pt 11 lc rgb '#a6761d'", "std", 1});
  curves.push_back({"NumPy (1 thread)", line + "pt 13 lc rgb '#e7298a'", "numpy", 1});
  return curves;
}

char const* file_of(operation what)
{
  switch (what) {
    case operation::inclusive_scan: return "inclusive_scan";
    case operation::exclusive_scan: return "exclusive_scan";
    case operation::reduce_sum: return "reduce_sum";
    case operation::reduce_max: return "reduce_maximum";
  }
  return "";
}

}  // namespace

void write_plots(std::filesystem::path const& folder, run_context const& context, std::vector<cell> const& cells)
{
  std::filesystem::create_directories(folder);
  std::string const where = fmt::format("{}, {} threads", context.where.processor, context.where.threads);
  using enum operation;
  for (operation const what : {inclusive_scan, exclusive_scan, reduce_sum, reduce_max}) {
    std::vector<element> types;
    for (cell const& c : cells)
      if (c.what == what && std::find(types.begin(), types.end(), c.type) == types.end()) types.push_back(c.type);
    if (types.empty()) continue;
    std::vector<panel> panels;
    for (int const threads : {1, all_threads})
      for (element const type : types)
        panels.push_back({fmt::format("{}, {}", name_of(type), threads == 1 ? "one thread" : "all threads"), what, type,
                          summary_curves(what, threads)});
    write_picture(folder, file_of(what), fmt::format("{} - {}", title_of(what), where), panels,
                  static_cast<int>(types.size()), 420, 380, cells);
  }
  std::vector<panel> headline;
  for (operation const what : {inclusive_scan, reduce_sum})
    headline.push_back(
        {fmt::format("{}, f32, all threads", title_of(what)), what, element::f32, headline_curves(what)});
  write_picture(folder, "comparison", where, headline, 2, 620, 500, cells);
}

}  // namespace tally::bench
