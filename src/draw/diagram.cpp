#include "draw/diagram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "draw/svg_text.hpp"

namespace tally::draw {

namespace {

using kind = circuit::kind;

constexpr char const* style = R"(
.page { fill: #fcfcfb } .ink { fill: #0b0b0b } .soft { fill: #52514e } .faint { fill: #898781 }
.node { stroke: #898781; stroke-width: 1 } .input { fill: #f0efea } .combined { fill: #d3e5fa; stroke: #2a78d6 }
.moved { fill: #fcfcfb; stroke: #8a5cc9; stroke-dasharray: 3 2 } .constant { fill: #fdeecb; stroke: #c08000 }
.result { stroke-width: 2.2 } .out { fill: #d5f0e2; stroke: #178a5c }
.wire { fill: none; stroke: #b5b3ac; stroke-width: 1.2 } .take { fill: none; stroke: #2a78d6; stroke-width: 1.4 }
.move { fill: none; stroke: #8a5cc9; stroke-width: 1.2; stroke-dasharray: 4 3 }
.head { fill: #898781 } .take-head { fill: #2a78d6 } .move-head { fill: #8a5cc9 }
.band { fill: #f4f3ef }
@media (prefers-color-scheme: dark) {
  .page { fill: #1a1a19 } .ink { fill: #fff } .soft { fill: #c3c2b7 } .faint { fill: #8f8d86 }
  .node { stroke: #898781 } .input { fill: #32322f } .combined { fill: #16385f; stroke: #5a9ff0 }
  .moved { fill: #1a1a19; stroke: #b295e6 } .constant { fill: #4a3a10; stroke: #e0a526 }
  .out { fill: #12402c; stroke: #35b784 }
  .wire { stroke: #5d5c57 } .take { stroke: #5a9ff0 } .move { stroke: #b295e6 }
  .take-head { fill: #5a9ff0 } .move-head { fill: #b295e6 }
  .band { fill: #272725 }
}
)";

/// Widths in a monospaced font, of 1 point.
constexpr double letter = 0.62;

bool several_launches(circuit const& of)
{
  return std::any_of(of.rows.begin(), of.rows.end(), [&](circuit::row const& each) {
    return each.launch != of.rows.back().launch && &each != &of.rows.front();
  });
}

std::string launch_name(circuit::row const& of)
{
  return of.launch < 0 ? of.kernel : "launch " + std::to_string(of.launch + 1) + ": " + of.kernel;
}

/// Where everything is on the page.
struct layout {
  layout(circuit const& of, captions const& around)
  {
    std::size_t longest = 1, label = 5;
    for (circuit::node const& each : of.nodes) longest = std::max(longest, each.text.size());
    for (std::string const& each : of.result) longest = std::max(longest, each.size());
    for (circuit::row const& each : of.rows) {
      label = std::max({label, each.label.size() + 1, each.detail.size()});
      if (several_launches(of)) label = std::max(label, launch_name(each).size());
    }
    with_text = of.columns <= most_columns_with_text;
    font = of.columns <= 16 ? 14 : of.columns <= 32 ? 12 : 11;
    node_width = with_text ? std::max(26.0, static_cast<double>(longest) * font * letter + 10) : 6;
    node_height = with_text ? font + 12 : 6;
    pitch = node_width + (with_text ? (of.columns <= 16 ? 22 : of.columns <= 32 ? 12 : 6) : 6);
    left = 24 + static_cast<double>(label) * 13 * letter + 14;
    width = left + of.columns * pitch + 20;
    width = std::max({width, 48 + static_cast<double>(around.title.size()) * 18 * letter,
                      48 + static_cast<double>(around.note.size()) * 13 * letter, 420.0});
  }

  double x(int column) const { return left + (column + 0.5) * pitch; }

  bool with_text;
  double font, node_width, node_height, pitch, left, width;
  std::vector<double> y;      // the middles of the rows; behind them that of the results
  std::vector<double> start;  // where the lines to a row leave the row before
  double height = 0;
};

class painter {
public:
  painter(circuit const& of, captions const& around) : of_(of), around_(around), at_(of, around)
  {
    cells_.resize(of.rows.size(), std::vector<int>(static_cast<std::size_t>(of.columns), -1));
    for (std::size_t k = 0; k < of.nodes.size(); ++k) cell(of.nodes[k].row, of.nodes[k].column) = static_cast<int>(k);
    place_rows();
  }

  std::string paint()
  {
    std::string const w = svg_number(at_.width), h = svg_number(at_.height);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + w + " " + h + "\" width=\"" + w +
           "\" height=\"" + h +
           "\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" role=\"img\">\n<title>" +
           svg_escaped(around_.title) + "</title>\n<style>" + style + "</style>\n";
    out_ += "<rect class=\"page\" width=\"" + w + "\" height=\"" + h + "\"/>\n";
    bands();
    text(24, 34, "ink", "start", 18, around_.title, true);
    if (!around_.note.empty()) text(24, 56, "soft", "start", 13, around_.note);
    rests();
    arrows();
    labels();
    nodes();
    legend();
    return out_ + "</svg>\n";
  }

private:
  int& cell(int row, int column) { return cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]; }

  /// A row is as far below the one before as its longest arrow needs, not to lie flat.
  void place_rows()
  {
    std::vector<int> reach(of_.rows.size() + 1);
    for (circuit::arrow const& each : of_.arrows) {
      circuit::node const &from = node(each.from), &to = node(each.to);
      int& most = reach[static_cast<std::size_t>(to.row)];
      most = std::max(most, std::abs(to.column - from.column));
    }
    double y = 56 + (around_.note.empty() ? 0 : 22) + (at_.with_text ? 20 : 10);
    for (std::size_t r = 0; r <= of_.rows.size(); ++r) {
      if (r == of_.rows.size() && of_.result.empty()) break;
      if (r > 0) {
        at_.start.push_back(y + at_.node_height / 2);
        double const gap = std::clamp(0.16 * reach[r] * at_.pitch, at_.with_text ? 26.0 : 32.0, 150.0);
        y += at_.node_height + (r == of_.rows.size() ? 18 : gap);
      } else {
        at_.start.push_back(y);
      }
      at_.y.push_back(y);
    }
    at_.height = y + at_.node_height / 2 + 62;
  }

  circuit::node const& node(int k) const { return of_.nodes[static_cast<std::size_t>(k)]; }
  double y(int row) const { return at_.y[static_cast<std::size_t>(row)]; }
  double top(int row) const { return y(row) - at_.node_height / 2; }
  double bottom(int row) const { return y(row) + at_.node_height / 2; }

  void text(double x, double y, std::string const& classes, std::string const& anchor, double size,
            std::string const& what, bool bold = false)
  {
    out_ += "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" class=\"" + classes + "\" text-anchor=\"" +
            anchor + "\" font-size=\"" + svg_number(size) + "\"" + (bold ? " font-weight=\"600\"" : "") + ">" +
            svg_escaped(what) + "</text>\n";
  }

  /// Every second step on a darker ground.
  void bands()
  {
    for (std::size_t r = 1; r < of_.rows.size(); r += 2)
      out_ += "<rect class=\"band\" x=\"12\" y=\"" + svg_number(at_.start[r] + 3) + "\" width=\"" +
              svg_number(at_.width - 24) + "\" height=\"" + svg_number(bottom(static_cast<int>(r)) - at_.start[r]) +
              "\"/>\n";
  }

  /// Values that stay where they are to the end.
  void rests()
  {
    if (of_.result.empty()) return;
    auto const last = static_cast<int>(of_.rows.size());
    for (circuit::node const& each : of_.nodes) {
      if (!each.is_result) continue;
      double const x = at_.x(each.column);
      line("wire", path_to('M', x, bottom(each.row)) + path_to('L', x, top(last)));
      remind(each, each.row + 1, last - 1);
    }
  }

  /// A value on its way, in rows where nothing else stands in its column.
  void remind(circuit::node const& of, int from, int to)
  {
    if (!at_.with_text || of_.columns > 16) return;
    for (int r = from; r <= to; ++r) reminders_[{r, of.column}] = &of;
  }

  bool free(int column, int from, int to)
  {
    for (int r = from; r <= to; ++r)
      if (cell(r, column) >= 0) return false;
    return true;
  }

  void arrows()
  {
    for (circuit::arrow const& each : of_.arrows) {
      circuit::node const &from = node(each.from), &to = node(each.to);
      bool const stays = from.column == to.column;
      std::string const what = each.as == circuit::role::moved ? "move" : stays ? "wire" : "take";
      std::string const head = what == "wire" ? "head" : what == "take" ? "take-head" : "move-head";
      double const x1 = at_.x(from.column), gap = at_.start[static_cast<std::size_t>(to.row)];
      double const side = stays ? 0 : (from.column < to.column ? -1 : 1) * at_.node_width / 4;
      double const x2 = at_.x(to.column) + side, y2 = top(to.row);
      double from_x = x1;
      std::string waits = path_to('M', x1, bottom(from.row));
      if (free(from.column, from.row + 1, to.row - 1)) {
        remind(from, from.row + 1, to.row - 1);
      } else {  // its column is taken: between the columns
        from_x = x1 + (to.column >= from.column ? 1 : -1) * at_.pitch / 2;
        waits += path_to('L', from_x, at_.start[static_cast<std::size_t>(from.row) + 1] + 12);
      }
      if (to.row > from.row + 1) line("wire", waits + path_to('L', from_x, gap));
      double const length = std::hypot(x2 - from_x, y2 - gap), size = at_.with_text ? 6 : 3, half = size * 0.45;
      double const dx = (x2 - from_x) / length, dy = (y2 - gap) / length;
      line(what, path_to('M', from_x, gap) + path_to('L', x2 - dx * size * 0.8, y2 - dy * size * 0.8));
      double const bx = x2 - dx * size, by = y2 - dy * size;
      line(head, path_to('M', x2, y2) + path_to('L', bx - dy * half, by + dx * half) +
                     path_to('L', bx + dy * half, by - dx * half) + 'Z');
    }
  }

  void line(std::string const& classes, std::string const& path)
  {
    out_.append("<path class=\"").append(classes).append("\" d=\"").append(path).append("\"/>\n");
  }

  void labels()
  {
    bool const several = several_launches(of_);
    for (std::size_t r = 0; r < of_.rows.size(); ++r) {
      circuit::row const& row = of_.rows[r];
      double const middle = at_.y[r];
      bool const two = !row.detail.empty();
      text(24, middle + (two ? -2 : 5), "ink", "start", 13, row.label, true);
      if (two) text(24, middle + 13, "soft", "start", 12, row.detail);
      if (several && r > 0 && (r == 1 || row.launch != of_.rows[r - 1].launch))
        text(24, at_.start[r] + 15, "faint", "start", 11, launch_name(row));
    }
    if (!of_.result.empty()) text(24, at_.y.back() + 5, "ink", "start", 13, "out", true);
    if (!at_.with_text) return;
    for (int c = 0; c < of_.columns; ++c) text(at_.x(c), top(0) - 7, "faint", "middle", 10, std::to_string(c));
  }

  void nodes()
  {
    for (auto const& [where, of] : reminders_) {
      double const size = at_.font - 2, width = static_cast<double>(of->text.size()) * size * letter + 4;
      out_ += std::string("<rect class=\"") + (where.first % 2 == 1 ? "band" : "page") + "\" x=\"" +
              svg_number(at_.x(where.second) - width / 2) + "\" y=\"" + svg_number(y(where.first) - size * 0.6) +
              "\" width=\"" + svg_number(width) + "\" height=\"" + svg_number(size * 1.2) + "\"/>\n";
      text(at_.x(where.second), y(where.first) + size * 0.36, "faint", "middle", size, of->text);
    }
    for (circuit::node const& each : of_.nodes) {
      std::string const classes[] = {"input", "combined", "moved", "constant"};
      box(each.column, each.row, classes[static_cast<int>(each.what)] + (each.is_result ? " result" : ""), each.text);
    }
    auto const last = static_cast<int>(of_.rows.size());
    for (std::size_t c = 0; c < of_.result.size(); ++c)
      if (!of_.result[c].empty()) box(static_cast<int>(c), last, "out", of_.result[c]);
  }

  void box(int column, int row, std::string const& classes, std::string const& what)
  {
    out_ += "<rect class=\"node " + classes + "\" x=\"" + svg_number(at_.x(column) - at_.node_width / 2) + "\" y=\"" +
            svg_number(top(row)) + "\" width=\"" + svg_number(at_.node_width) + "\" height=\"" +
            svg_number(at_.node_height) + "\" rx=\"" + svg_number(at_.with_text ? 5 : 1) + "\"/>\n";
    if (at_.with_text) text(at_.x(column), y(row) + at_.font * 0.36, "ink", "middle", at_.font, what);
  }

  void legend()
  {
    struct entry {
      kind what;
      char const *classes, *meaning;
    };
    double x = 24;
    double const y = at_.height - 24;
    for (entry const& each : {entry{kind::input, "input", "input"},
                              {kind::combined, "combined", "combined"},
                              {kind::moved, "moved", "copied"},
                              {kind::constant, "constant", "identity"}}) {
      if (std::none_of(of_.nodes.begin(), of_.nodes.end(), [&](circuit::node const& n) { return n.what == each.what; }))
        continue;
      out_ += "<rect class=\"node " + std::string(each.classes) + "\" x=\"" + svg_number(x) + "\" y=\"" +
              svg_number(y - 11) + "\" width=\"20\" height=\"14\" rx=\"3\"/>\n";
      text(x + 27, y, "soft", "start", 12, each.meaning);
      x += 27 + static_cast<double>(std::string(each.meaning).size()) * 12 * letter + 24;
    }
  }

  circuit const& of_;
  captions const& around_;
  layout at_;
  std::vector<std::vector<int>> cells_;  // the node in each row and column, or -1
  std::map<std::pair<int, int>, circuit::node const*> reminders_;
  std::string out_;
};

}  // namespace

std::string svg(circuit const& of, captions const& around)
{
  return painter(of, around).paint();
}

}  // namespace tally::draw
