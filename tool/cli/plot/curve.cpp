#include "plot/curve.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/plot.hpp"

namespace tally::cli {

void curve::add(double value)
{
  std::uint64_t const place = size_++;
  if (!std::isfinite(value)) {
    ++not_finite_;
    return;
  }
  while (place / length_ >= most_stretches) halve();
  if (!begins_.empty() && place < begins_.back() + length_) {
    stretch& here = stretches_.back();
    here = {here.first, std::min(here.least, value), std::max(here.greatest, value), value};
    return;
  }
  stretches_.push_back({value, value, value, value});
  begins_.push_back(place / length_ * length_);
}

/// Doubles the length of the stretches.
void curve::halve()
{
  length_ *= 2;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < begins_.size(); ++k) {
    std::uint64_t const begin = begins_[k] / length_ * length_;
    stretch const& next = stretches_[k];
    if (kept > 0 && begins_[kept - 1] == begin) {
      stretch& here = stretches_[kept - 1];
      here = {here.first, std::min(here.least, next.least), std::max(here.greatest, next.greatest), next.last};
    } else {
      stretches_[kept] = next;
      begins_[kept++] = begin;
    }
  }
  stretches_.resize(kept);
  begins_.resize(kept);
}

namespace {

/// Calls use(place, value) for the points of the curve, from left to right.
template <class Use>
void for_points(curve const& of, Use use)
{
  for (std::size_t k = 0; k < of.begins().size(); ++k) {
    auto const [first, least, greatest, last] = of.stretches()[k];
    double const middle = static_cast<double>(of.begins()[k]) + static_cast<double>(of.length() - 1) / 2;
    double const place = std::min(middle, static_cast<double>(of.size() - 1));
    use(place, first);
    if (least != first && least != last) use(place, least);
    if (greatest != first && greatest != last) use(place, greatest);
    if (last != first) use(place, last);
  }
}

/// Dots, of which 2 by 4 are a character.
class canvas {
public:
  canvas(std::size_t columns, std::size_t rows) : columns_(columns), cells_(columns * rows, 0) {}

  void set(std::size_t x, std::size_t y)
  {
    static constexpr unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cells_[y / 4 * columns_ + x / 2] |= bits[y % 4][x % 2];
  }

  void line(double x0, double y0, double x1, double y1)
  {
    double const steps = std::max({1.0, std::ceil(std::abs(x1 - x0)), std::ceil(std::abs(y1 - y0))});
    for (double k = 0; k <= steps; ++k) {
      set(static_cast<std::size_t>(std::lround(x0 + (x1 - x0) * k / steps)),
          static_cast<std::size_t>(std::lround(y0 + (y1 - y0) * k / steps)));
    }
  }

  /// A row of characters, without blanks at its end.
  std::string row(std::size_t r) const
  {
    std::size_t end = columns_;
    while (end > 0 && cells_[r * columns_ + end - 1] == 0) --end;
    std::string out;
    for (std::size_t c = 0; c < end; ++c) {
      unsigned const dots = cells_[r * columns_ + c];
      if (dots == 0)
        out += ' ';
      else
        out += {'\xe2', static_cast<char>(0xa0 | dots >> 6), static_cast<char>(0x80 | (dots & 0x3f))};
    }
    return out;
  }

private:
  std::size_t columns_;
  std::vector<unsigned char> cells_;
};

std::string shown(double value)
{
  return fmt::format("{:.6g}", value == 0 ? 0.0 : value);
}

std::string note_on(curve const& of)
{
  return of.not_finite() == 0 ? "" : fmt::format("{} of {} not finite", of.not_finite(), of.size());
}

}  // namespace

std::string text_of(curve const& of, std::string const& title, std::size_t columns, std::size_t rows)
{
  if (of.stretches().empty()) return title + ": no values to draw\n";
  double least = of.stretches()[0].least, greatest = least;
  for (curve::stretch const& each : of.stretches()) {
    least = std::min(least, each.least);
    greatest = std::max(greatest, each.greatest);
  }
  std::string const top = shown(greatest), bottom = shown(least);
  std::size_t const label = std::max(top.size(), bottom.size());
  std::size_t const width = columns > label + 12 ? columns - label - 2 : 10;

  canvas drawing(width, rows);
  double const last = static_cast<double>(std::max<std::uint64_t>(2, of.size()) - 1);
  double const right = static_cast<double>(2 * width - 1), down = static_cast<double>(4 * rows - 1);
  double before_x = 0, before_y = 0;
  bool first = true;
  for_points(of, [&](double place, double value) {
    double const x = place / last * right;
    // Halves, since the difference of two finite numbers may not be finite.
    double const range = greatest / 2 - least / 2;
    double const y = range > 0 ? (greatest / 2 - value / 2) / range * down : down;
    drawing.line(first ? x : before_x, first ? y : before_y, x, y);
    before_x = x;
    before_y = y;
    first = false;
  });

  std::string out = title + '\n';
  for (std::size_t r = 0; r < rows; ++r) {
    bool const lowest = r + 1 == rows, named = lowest || (r == 0 && top != bottom);
    out += fmt::format("{:>{}} {}", !named ? "" : lowest ? bottom : top, label, named ? "┤" : "│");
    out += drawing.row(r) + '\n';
  }
  std::string axis = fmt::format("{:>{}} └", "", label);
  for (std::size_t c = 0; c < width; ++c) axis += "─";
  out += axis + '\n' + fmt::format("{:>{}}  1", "", label);
  if (of.size() > 1) out += fmt::format("{:>{}}", of.size(), width - 1);
  out += '\n';
  if (of.not_finite() > 0) out += note_on(of) + '\n';
  return out;
}

std::string svg_of(curve const& of, std::string const& title)
{
  draw::chart chart{
      .scaling = draw::axes::linear, .title = title, .x_name = "value", .y_name = title, .note = note_on(of)};
  draw::curve line{.name = title, .points = {}};
  for_points(of, [&](double place, double value) { line.points.push_back({place + 1, value}); });
  if (!line.points.empty()) chart.curves.push_back(std::move(line));
  return draw::svg(chart);
}

}  // namespace tally::cli
