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
.band { fill: currentColor; opacity: .14 } .bar { fill: currentColor; fill-opacity: .6; stroke: currentColor; stroke-width: .5 } .dot { fill: currentColor }
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
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" class=\"" + classes + "\" text-anchor=\"" +
         anchor + "\" font-size=\"" + std::to_string(size) + "\">" + svg_escaped(text) + "</text>\n";
}

std::string line_from(double x1, double y1, double x2, double y2, std::string const& classes)
{
  return "<line x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) + "\" x2=\"" + svg_number(x2) + "\" y2=\"" +
         svg_number(y2) + "\" class=\"" + classes + "\"/>\n";
}

/// 1, 2 or 5 times a power of ten: about six of them in the range.
double step_of(double range)
{
  double const rough = range / 6, power = std::pow(10, std::floor(std::log10(rough))), parts = rough / power;
  return power * (parts <= 1 ? 1 : parts <= 2 ? 2 : parts <= 5 ? 5 : 10);
}

/// Converts the chart's coordinates to places on the page.
class scale {
public:
  explicit scale(chart const& of) : kind_(of.scaling)
  {
    bool first = true;
    auto const include = [&](double x, double y) {
      x_least_ = first ? x : std::min(x_least_, x);
      x_most_ = first ? x : std::max(x_most_, x);
      y_most_ = first ? y : std::max(y_most_, y);
      y_least_ = std::min(y_least_, y);
      first = false;
    };
    for (curve const& each : of.curves)
      for (point const& p : each.points) include(p.x, p.y);
    for (bar const& each : of.bars) {
      include(each.left, each.height);
      include(each.right, each.height);
    }
    if (kind_ == axes::logarithmic) {
      x_least_ = y_least_ = 0;
      x_most_ = std::max(1.0, std::log2(x_most_));
      y_most_ = std::max(1.0, std::ceil(std::log10(y_most_) * 4 - 1e-9) / 4);
      return;
    }
    if (!(x_least_ < x_most_)) {
      x_least_ -= 0.5;
      x_most_ += 0.5;
    }
    y_most_ = std::max(y_most_, 0.0);
    if (!(y_least_ < y_most_)) y_most_ = 1;
  }

  axes kind() const { return kind_; }
  double x(double value) const
  {
    return left + (right - left) * ((is_log() ? std::log2(value) : value) - x_least_) / (x_most_ - x_least_);
  }
  double y(double value) const
  {
    return bottom - (bottom - top) * ((is_log() ? std::log10(value) : value) - y_least_) / (y_most_ - y_least_);
  }
  double x_begin() const { return is_log() ? 1 : x_least_; }
  double x_end() const { return is_log() ? std::exp2(x_most_) : x_most_; }
  double y_begin() const { return is_log() ? 1 : y_least_; }
  double y_end() const { return is_log() ? std::pow(10, y_most_) : y_most_; }

private:
  bool is_log() const { return kind_ == axes::logarithmic; }

  axes kind_;
  double x_least_ = 0, x_most_ = 1, y_least_ = 0, y_most_ = 1;
};

std::string y_tick(scale const& on, double y, std::string const& label)
{
  bool const is_axis = y == 0 || on.y(y) > bottom - 0.5;
  return line_from(left, on.y(y), right, on.y(y), is_axis ? "axis" : "grid") +
         text_at(left - 10, on.y(y) + 4, "soft", "end", label, 12);
}

/// A tick without a label is shorter.
std::string x_tick(scale const& on, double x, std::string const& label)
{
  std::string const line = line_from(on.x(x), bottom, on.x(x), bottom + (label.empty() ? 3 : 6), "axis");
  return label.empty() ? line : line + text_at(on.x(x), bottom + 21, "soft", "middle", label, 12);
}

std::string logarithmic_grid(scale const& on)
{
  std::string out;
  for (double y = 1; y <= on.y_end() * 1.0001; y *= 10) out += y_tick(on, y, with_commas(y));
  int const ticks = static_cast<int>(std::lround(std::log2(on.x_end())));
  int const every = ticks > 12 ? 4 : ticks > 11 ? 2 : 1;
  for (int k = 0; k <= ticks; ++k)
    out += x_tick(on, std::exp2(k), k % every == 0 ? with_commas(std::exp2(k)) : std::string());
  return out;
}

std::string linear_label(double value)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string linear_grid(scale const& on, bool y_has_numbers, bool x_has_numbers)
{
  std::string out;
  double const y_step = step_of(on.y_end() - on.y_begin()), x_step = step_of(on.x_end() - on.x_begin());
  if (!y_has_numbers) out += line_from(left, on.y(0), right, on.y(0), "axis");
  for (double k = std::ceil(on.y_begin() / y_step * 1.0001);
       y_has_numbers && k * y_step <= on.y_end() + std::abs(on.y_end()) * 0.0001; ++k)
    out += y_tick(on, k * y_step, linear_label(k == 0 ? 0.0 : k * y_step));
  if (!x_has_numbers) return out;
  for (double k = std::ceil(on.x_begin() / x_step); k * x_step <= on.x_end() + x_step * 1e-9; ++k)
    out += x_tick(on, k * x_step, linear_label(k == 0 ? 0.0 : k * x_step));
  return out;
}

/// A path through the points. A point less than half a pixel from the one before is left out: of a million points some
/// hundreds remain.
std::string path(scale const& on, std::vector<point> const& points)
{
  std::string out;
  double last_x = 0, last_y = 0;
  for (point const& p : points) {
    double const x = on.x(p.x), y = on.y(p.y);
    bool const is_near = std::abs(x - last_x) < 0.5 && std::abs(y - last_y) < 0.5;
    if (!out.empty() && is_near && &p != &points.back()) continue;
    if (!out.empty()) out += ' ';
    out += path_to(out.empty() ? 'M' : 'L', x, y);
    last_x = x;
    last_y = y;
  }
  return out;
}

std::string bars(scale const& on, std::vector<bar> const& all)
{
  std::string out;
  for (bar const& each : all) {
    double const x = on.x(each.left), zero = on.y(0), y = std::min(on.y(each.height), zero);
    out += "<rect class=\"bar c0\" x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
           svg_number(on.x(each.right) - x) + "\" height=\"" + svg_number(std::abs(on.y(each.height) - zero)) +
           "\"><title>" + svg_escaped(each.text) + "</title></rect>\n";
  }
  return out;
}

/// The names of bars below the chart: level, or slanting where they would touch; none where even that is too dense.
std::string bar_names(scale const& on, std::vector<bar> const& all)
{
  constexpr double letter = 7, line = 12;
  constexpr std::size_t most = 14;
  double room = width, longest = 0;
  for (bar const& each : all) {
    room = std::min(room, (on.x(each.right) - on.x(each.left)) * 1.2);
    longest = std::max(longest, static_cast<double>(std::min(each.name.size(), most)) * letter);
  }
  if (room < line) return {};
  std::string out;
  for (bar const& each : all) {
    double const x = (on.x(each.left) + on.x(each.right)) / 2;
    std::size_t end = std::min(each.name.size(), most);
    while (end > 0 && end < each.name.size() && (each.name[end] & 0xc0) == 0x80) --end;  // within a character
    std::string const name = each.name.substr(0, end) + (end < each.name.size() ? "…" : "");
    bool const level = longest < room;
    std::string const text =
        text_at(level ? x : 0, level ? bottom + 21 : 0, "soft", level ? "middle" : "end", name, 12);
    out += level ? text
                 : "<g transform=\"translate(" + svg_number(x + 4) + " " + svg_number(bottom + 15) +
                       ") rotate(-35)\">" + text + "</g>\n";
  }
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
  // Names stay between the top of the chart and its axis, where there is room for all.
  for (std::size_t k = 0; k < at.size(); ++k) at[k] = std::max(at[k], k == 0 ? top : at[k - 1] + apart);
  double room = bottom + 12;
  for (std::size_t k = at.size(); k-- > 0; room = at[k] - apart) at[k] = std::min(at[k], room);
  std::string out;
  for (std::size_t k = 0; k < order.size(); ++k) {
    double const from = end(order[k]);
    std::string const filled = "dot " + colour(order[k]);
    if (std::abs(from - at[k]) > 3) out += line_from(right + 6, from, right + 20, at[k], "leader");
    out +=
        "<circle class=\"" + filled + "\" cx=\"" + svg_number(right) + "\" cy=\"" + svg_number(from) + "\" r=\"4\"/>\n";
    out += "<rect class=\"" + filled + "\" x=\"" + svg_number(right + 22) + "\" y=\"" + svg_number(at[k] - 4) +
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
    out += "<circle class=\"ring\" cx=\"" + svg_number(x) + "\" cy=\"" + svg_number(y) + "\" r=\"4.5\"/>\n";
    bool const free = x - last_x > text_width || std::abs(y - 8 - last_y) > text_height;
    last_x = x;
    last_y = free ? y - 8 : y + 20;
    out += text_at(x + (free ? 9 : 0), last_y, "ink halo", free ? "start" : "end", each.text, 12);
  }
  return out;
}

}  // namespace

std::string svg(chart const& chart)
{
  scale const on(chart);
  std::string const size = "width=\"" + svg_number(width) + "\" height=\"" + svg_number(height) + "\"";
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + svg_number(width) + " " +
                    svg_number(height) + "\" " + size +
                    " font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>" + svg_escaped(chart.title) +
                    "</title>\n<style>" + style + "</style>\n<rect class=\"page\" " + size + "/>\n";
  out += text_at(20, 30, "ink", "start", chart.title, 16);
  out += text_at(left - 10, top - 10, "soft", "start", chart.y_name, 12);
  out += text_at((left + right) / 2, bottom + 44, "soft", "middle", chart.x_name, 12);
  bool const has_names = std::ranges::any_of(chart.bars, [](bar const& each) { return !each.name.empty(); });
  out += chart.scaling == axes::logarithmic ? logarithmic_grid(on) : linear_grid(on, !chart.y_name.empty(), !has_names);
  out += bars(on, chart.bars);
  if (has_names) out += bar_names(on, chart.bars);
  for (std::size_t k = 0; k < chart.curves.size(); ++k) out += band(on, chart.curves[k], k);
  for (std::size_t k = 0; k < chart.curves.size(); ++k)
    out += "<path class=\"line " + colour(k) + "\" d=\"" + path(on, chart.curves[k].points) + "\"/>\n";
  out += names(on, chart.curves) + marks(on, chart.marks);
  if (!chart.note.empty()) out += text_at(20, height - 16, "soft", "start", chart.note, 12);
  return out + "</svg>\n";
}

}  // namespace tally::draw
