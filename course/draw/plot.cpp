#include "draw/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "draw/svg_text.hpp"

namespace tally::draw {

namespace {

constexpr double width = 860, height = 500, left = 76, right = 600, top = 58, bottom = 416;

constexpr char const* style = R"(
.page { fill: #fcfcfb } .ink { fill: #0b0b0b } .soft { fill: #52514e }
.grid { stroke: #e1e0d9 } .axis { stroke: #898781 } .leader { stroke: #b5b3ac }
.halo { stroke: #fcfcfb; stroke-width: 3; paint-order: stroke }
.c0 { color: #2a78d6 } .c1 { color: #eb6834 } .c2 { color: #1baf7a } .c3 { color: #4a3aa7 }
.c4 { color: #e87ba4 } .c5 { color: #008300 } .c6 { color: #eda100 } .c7 { color: #e34948 }
.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round }
.band { fill: currentColor; opacity: .14 } .dot { fill: currentColor }
.ring { fill: #fcfcfb; stroke: #0b0b0b; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  .page { fill: #1a1a19 } .ink { fill: #fff } .soft { fill: #c3c2b7 }
  .grid { stroke: #2c2c2a } .axis { stroke: #898781 } .leader { stroke: #5d5c57 }
  .halo { stroke: #1a1a19 }
  .c0 { color: #3987e5 } .c1 { color: #d95926 } .c2 { color: #199e70 } .c3 { color: #9085e9 }
  .c4 { color: #d55181 } .c5 { color: #31a031 } .c6 { color: #c98500 } .c7 { color: #e66767 }
  .band { opacity: .22 } .ring { fill: #1a1a19; stroke: #fff }
}
)";

std::string number(double value)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// 10000 as "10,000".
std::string with_commas(double value)
{
  std::string const digits = std::to_string(std::llround(value));
  std::string out;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) out += ',';
    out += digits[k];
  }
  return out;
}

/// The class of the k-th curve.
std::string colour(std::size_t k)
{
  std::string out = "c";
  return out += std::to_string(k);
}

std::string text_at(double x, double y, std::string const& classes, std::string const& anchor, std::string const& text,
                    int size = 13)
{
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + classes + "\" text-anchor=\"" + anchor +
         "\" font-size=\"" + std::to_string(size) + "\">" + svg_escaped(text) + "</text>\n";
}

std::string line_from(double x1, double y1, double x2, double y2, std::string const& classes)
{
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" class=\"" + classes + "\"/>\n";
}

/// Converts the plot's coordinates to places on the page.
class scale {
public:
  explicit scale(log_log_plot const& plot)
  {
    for (curve const& each : plot.curves) {
      for (point const& p : each.points) {
        x_most_ = std::max(x_most_, p.x);
        y_most_ = std::max(y_most_, p.y);
      }
    }
    decades_ = std::max(1.0, std::ceil(std::log10(y_most_) * 4 - 1e-9) / 4);
    doublings_ = std::max(1.0, std::log2(x_most_));
  }

  double x(double value) const { return left + (right - left) * std::log2(value) / doublings_; }
  double y(double value) const { return bottom - (bottom - top) * std::log10(value) / decades_; }
  double x_end() const { return std::exp2(doublings_); }
  double y_end() const { return std::pow(10, decades_); }

private:
  double x_most_ = 1, y_most_ = 1, decades_ = 1, doublings_ = 1;
};

std::string grid(scale const& on)
{
  std::string out;
  for (double y = 1; y <= on.y_end() * 1.0001; y *= 10) {
    out += line_from(left, on.y(y), right, on.y(y), y == 1 ? "axis" : "grid");
    out += text_at(left - 10, on.y(y) + 4, "soft", "end", with_commas(y), 12);
  }
  int const ticks = static_cast<int>(std::lround(std::log2(on.x_end())));
  int const every = ticks > 12 ? 4 : ticks > 11 ? 2 : 1;
  for (int k = 0; k <= ticks; ++k) {
    double const x = on.x(std::exp2(k));
    out += line_from(x, bottom, x, bottom + (k % every == 0 ? 6 : 3), "axis");
    if (k % every == 0) out += text_at(x, bottom + 21, "soft", "middle", with_commas(std::exp2(k)), 12);
  }
  return out;
}

std::string path(scale const& on, std::vector<point> const& points)
{
  std::string out;
  for (point const& p : points) out += (out.empty() ? "M" : " L") + number(on.x(p.x)) + " " + number(on.y(p.y));
  return out;
}

std::string band(scale const& on, curve const& of, std::size_t number)
{
  if (of.band.empty()) return {};
  std::vector<point> around;
  for (auto const& b : of.band) around.push_back({b.x, std::min(b.most, on.y_end())});
  for (auto b = of.band.rbegin(); b != of.band.rend(); ++b) around.push_back({b->x, b->least});
  return "<path class=\"band " + colour(number) + "\" d=\"" + path(on, around) + "Z\"/>\n";
}

/// Writes names beside the ends of curves, moved apart where they would touch.
std::string names(scale const& on, std::vector<curve> const& curves)
{
  constexpr double apart = 19;
  std::vector<std::size_t> order(curves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const end = [&](std::size_t k) { return on.y(curves[k].points.back().y); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return end(a) < end(b); });
  std::vector<double> at;
  for (std::size_t const k : order) at.push_back(end(k));
  for (int round = 0; round < 100; ++round) {
    for (std::size_t k = 0; k + 1 < at.size(); ++k) {
      double const lacks = apart - (at[k + 1] - at[k]);
      if (lacks <= 0) continue;
      at[k] -= lacks / 2;
      at[k + 1] += lacks / 2;
    }
  }
  // Names stay between the top of the plot and its axis, where there is room for all.
  for (std::size_t k = 0; k < at.size(); ++k) at[k] = std::max(at[k], k == 0 ? top : at[k - 1] + apart);
  double room = bottom + 12;
  for (std::size_t k = at.size(); k-- > 0; room = at[k] - apart) at[k] = std::min(at[k], room);
  std::string out;
  for (std::size_t k = 0; k < order.size(); ++k) {
    double const from = end(order[k]);
    std::string const filled = "dot " + colour(order[k]);
    if (std::abs(from - at[k]) > 3) out += line_from(right + 6, from, right + 20, at[k], "leader");
    out += "<circle class=\"" + filled + "\" cx=\"" + number(right) + "\" cy=\"" + number(from) + "\" r=\"4\"/>\n";
    out += "<rect class=\"" + filled + "\" x=\"" + number(right + 22) + "\" y=\"" + number(at[k] - 4) +
           "\" width=\"8\" height=\"8\" rx=\"2\"/>\n";
    out += text_at(right + 36, at[k] + 4.5, "ink", "start", curves[order[k]].name);
  }
  return out;
}

/// Writes each text above its point and to the right; below, if the text before is too near.
std::string marks(scale const& on, std::vector<mark> all)
{
  constexpr double text_width = 62, text_height = 15;
  std::stable_sort(all.begin(), all.end(), [](mark const& a, mark const& b) { return a.at.x < b.at.x; });
  std::string out;
  double last_x = -width, last_y = 0;
  for (mark const& each : all) {
    double const x = on.x(each.at.x), y = on.y(each.at.y);
    out += "<circle class=\"ring\" cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"4.5\"/>\n";
    bool const free = x - last_x > text_width || std::abs(y - 8 - last_y) > text_height;
    last_x = x;
    last_y = free ? y - 8 : y + 20;
    out += text_at(x + (free ? 9 : 0), last_y, "ink halo", free ? "start" : "end", each.text, 12);
  }
  return out;
}

}  // namespace

std::string svg(log_log_plot const& plot)
{
  scale const on(plot);
  std::string const size = "width=\"" + number(width) + "\" height=\"" + number(height) + "\"";
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " + number(height) +
                    "\" " + size + " font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>" +
                    svg_escaped(plot.title) + "</title>\n<style>" + style + "</style>\n<rect class=\"page\" " + size +
                    "/>\n";
  out += text_at(20, 30, "ink", "start", plot.title, 16);
  out += text_at(left - 10, top - 10, "soft", "start", plot.y_name, 12);
  out += text_at((left + right) / 2, bottom + 44, "soft", "middle", plot.x_name, 12);
  out += grid(on);
  for (std::size_t k = 0; k < plot.curves.size(); ++k) out += band(on, plot.curves[k], k);
  for (std::size_t k = 0; k < plot.curves.size(); ++k)
    out += "<path class=\"line " + colour(k) + "\" d=\"" + path(on, plot.curves[k].points) + "\"/>\n";
  out += names(on, plot.curves) + marks(on, plot.marks);
  if (!plot.note.empty()) out += text_at(20, height - 16, "soft", "start", plot.note, 12);
  return out + "</svg>\n";
}

}  // namespace tally::draw
