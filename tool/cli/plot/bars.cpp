#include "plot/bars.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "draw/plot.hpp"
#include "io/numbers/number.hpp"

namespace tally::cli {

std::string bar(double share, std::size_t width)
{
  static constexpr std::string_view eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  auto length = static_cast<std::size_t>(share * static_cast<double>(width) * 8);
  if (share > 0 && length == 0) length = 1;
  std::string text;
  for (std::size_t k = 0; k < length / 8; ++k) text += "█";
  return text.append(eighths[length % 8]);
}

namespace {

constexpr std::size_t bar_width = 40;

/// The number as a double, whatever its style.
double plain(result const& value)
{
  return std::visit([](auto x) { return static_cast<double>(x); }, value);
}

/// The rows of an aligned table with a bar behind each. If some results are negative, bars begin at a line for 0, and
/// those of negative results lie to its left, in steps of a half.
///
/// While rows wait they have one column more: the result as a plain number.
class bars_format final : public row_format {
public:
  bars_format(std::vector<table_column> columns, picture as)
      : title_(columns.back().name + " by " + columns.front().name),
        rows_(make_aligned(with_number(std::move(columns)))),
        as_(as)
  {
  }

  std::string head() const override { return rows_->head(); }
  void row(std::string& to, std::span<cell const> cells) const override
  {
    std::vector<cell> all(cells.begin(), cells.end());
    std::string const number = io::to_text(plain(std::get<result>(cells.back())));
    all.emplace_back(std::string_view(number));
    rows_->row(to, all);
  }
  bool needs_all() const override { return true; }

  std::string arranged(std::string text) const override
  {
    std::vector<std::string> lines;
    std::vector<double> values;
    std::string const whole = rows_->arranged(std::move(text));
    for (std::size_t begin = whole.find('\n') + 1; begin < whole.size();) {  // behind the names
      std::size_t const end = whole.find('\n', begin);
      std::string& line = lines.emplace_back(whole, begin, end - begin);
      std::size_t const number = line.rfind(' ') + 1;
      values.push_back(std::strtod(line.c_str() + number, nullptr));
      line.erase(line.find_last_not_of(' ', number - 1) + 1);
      begin = end + 1;
    }
    switch (as_) {
      case picture::text: return drawn(lines, values);
      case picture::svg: return svg(lines, values);
      case picture::png: return png_of(svg(lines, values));
    }
    std::abort();
  }

private:
  /// The columns without names, and that of the plain numbers.
  static std::vector<table_column> with_number(std::vector<table_column> columns)
  {
    for (table_column& each : columns) each.name.clear();
    columns.push_back({"", true});
    return columns;
  }

  static std::string drawn(std::vector<std::string> const& lines, std::vector<double> const& values)
  {
    double least = 0, greatest = 0;
    for (double const each : values) {
      if (!std::isfinite(each)) continue;
      least = std::min(least, each);
      greatest = std::max(greatest, each);
    }
    // Shares of halves, since the difference of two finite numbers may not be finite.
    double const range = greatest / 2 - least / 2;
    auto const left = least < 0 ? static_cast<std::size_t>(std::ceil(-least / 2 / range * bar_width)) : 0;
    std::string out;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      std::string text;
      double const share = range > 0 && std::isfinite(values[k]) ? std::abs(values[k]) / 2 / range : 0;
      if (left > 0) {
        auto const halves = values[k] < 0 ? static_cast<std::size_t>(std::lround(share * bar_width * 2)) : 0;
        std::size_t const length = values[k] < 0 ? std::max<std::size_t>(halves, 1) : 0;
        text.append(left - std::min(left, (length + 1) / 2), ' ');
        if (length % 2 == 1) text += "▐";
        for (std::size_t c = 0; c < length / 2; ++c) text += "█";
        text += "│";
      }
      if (values[k] > 0) text += bar(share, bar_width);
      out += lines[k] + (text.empty() ? "" : "  " + text) + '\n';
    }
    return out;
  }

  std::string svg(std::vector<std::string> const& lines, std::vector<double> const& values) const
  {
    draw::chart chart{.scaling = draw::axes::linear, .title = title_, .y_name = title_};
    std::size_t left_out = 0;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      std::string name = lines[k].substr(0, lines[k].rfind(' '));
      name.erase(name.find_last_not_of(' ') + 1);
      if (std::isfinite(values[k])) {
        auto const at = static_cast<double>(chart.bars.size());
        chart.bars.push_back({at + 0.1, at + 0.9, values[k], lines[k], name});
      } else {
        ++left_out;
      }
    }
    if (left_out > 0) chart.note = fmt::format("{} of {} not finite", left_out, lines.size());
    return draw::svg(chart);
  }

  std::string title_;
  std::unique_ptr<row_format> rows_;
  picture as_;
};

}  // namespace

std::unique_ptr<row_format> make_bars(std::vector<table_column> columns, picture as)
{
  return std::make_unique<bars_format>(std::move(columns), as);
}

}  // namespace tally::cli
