#include "app/distribution_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "draw/svg_text.hpp"
#include "io/number.hpp"

namespace tally::cli {

namespace {

using draw::path_to;
using draw::svg_escaped;
using draw::svg_number;

constexpr double width = 640, height = 360, left = 56, right = 616, top = 52, bottom = 316;

constexpr char const* style = R"(
.page { fill: #fcfcfb } .ink { fill: #0b0b0b } .soft { fill: #52514e }
.grid { stroke: #e1e0d9 } .axis { stroke: #898781 }
.c0 { color: #2a78d6 } .c1 { color: #eb6834 }
.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round } .name { fill: currentColor }
@media (prefers-color-scheme: dark) {
  .page { fill: #1a1a19 } .ink { fill: #fff } .soft { fill: #c3c2b7 }
  .grid { stroke: #2c2c2a } .axis { stroke: #898781 }
  .c0 { color: #3987e5 } .c1 { color: #d95926 }
}
)";

std::string text(double x, double y, std::string const& anchor, std::string const& kind, std::string const& words)
{
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" text-anchor=\"" + anchor + "\" class=\"" +
         kind + "\">" + svg_escaped(words) + "</text>\n";
}
std::string line(double x1, double y1, double x2, double y2, std::string const& kind)
{
  return "<line x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) + "\" x2=\"" + svg_number(x2) + "\" y2=\"" +
         svg_number(y2) + "\" class=\"" + kind + "\"/>\n";
}

/// 1, 2 or 5 times a power of ten: some six of them in the range.
double step_of(double range)
{
  double const rough = range / 6, power = std::pow(10, std::floor(std::log10(rough)));
  double const parts = rough / power;
  return power * (parts <= 1 ? 1 : parts <= 2 ? 2 : parts <= 5 ? 5 : 10);
}

}  // namespace

std::string distribution_svg(std::string const& title, std::vector<distribution_curve> const& curves)
{
  double least = curves[0].points.front().first, most = curves[0].points.back().first;
  for (auto const& each : curves) {
    least = std::min(least, each.points.front().first);
    most = std::max(most, each.points.back().first);
  }
  if (!(least < most)) {
    least -= 0.5;
    most += 0.5;
  }
  auto const x_of = [&](double x) { return left + (x - least) / (most - least) * (right - left); };
  auto const y_of = [](double y) { return bottom - y * (bottom - top); };

  std::string all = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + svg_number(width) + ' ' +
                    svg_number(height) + "\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>" +
                    svg_escaped(title) + "</title>\n<style>" + style +
                    "</style>\n<rect width=\"100%\" height=\"100%\" " + "class=\"page\"/>\n" +
                    text(left, 24, "start", "ink", title);
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    double const y = y_of(tenth / 10.0);
    all += line(left, y, right, y, tenth == 0 ? "axis" : "grid");
    all += text(left - 8, y + 4, "end", "soft", tenth == 10 ? "1" : tenth == 0 ? "0" : "0." + std::to_string(tenth));
  }
  double const step = step_of(most - least);
  for (double k = std::ceil(least / step); k * step <= most + step * 1e-9; ++k) {
    double const at = k == 0 ? 0 : k * step;
    all += line(x_of(at), bottom, x_of(at), bottom + 5, "axis");
    all += text(x_of(at), bottom + 20, "middle", "soft", io::to_text(std::round(at * 1e12) / 1e12));
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    double greatest = 1;
    for (auto const& point : curves[c].points) greatest = std::max(greatest, point.second);
    std::string path;
    double last_x = -1, last_y = -1;
    for (auto const& [x, y] : curves[c].points) {
      double const to_x = x_of(x), to_y = y_of(y / greatest);
      // What nobody sees is left out: of a million points a picture has some hundreds.
      if (!path.empty() && std::abs(to_x - last_x) < 0.5 && std::abs(to_y - last_y) < 0.5) continue;
      path += path_to(path.empty() ? 'M' : 'L', to_x, to_y);
      last_x = to_x;
      last_y = to_y;
    }
    std::string const colour = c == 0 ? "c0" : "c1";
    all += "<path d=\"" + path + "\" class=\"line " + colour + "\"/>\n";
    std::string const scaled = greatest > 1 ? ", 1 is " + io::to_text(greatest) : "";
    all += text(right, 18 + static_cast<double>(c) * 16, "end", "name " + colour, curves[c].name + scaled);
  }
  return all + "</svg>\n";
}

}  // namespace tally::cli
