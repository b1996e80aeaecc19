#include "draw/diagram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "draw/diagram_layout.hpp"
#include "draw/diagram_style.hpp"
#include "draw/levels.hpp"
#include "draw/svg_text.hpp"

namespace tally::draw {

namespace {

using kind = circuit::kind;

/// Draws a circuit from `top` on.
class painter {
public:
  painter(circuit const& of, captions const& around, double top = 0)
      : of_(of),
        around_(around),
        above_(top),
        at_(of, around)
  {
    cells_.resize(of.rows.size(), std::vector<int>(static_cast<std::size_t>(of.columns), -1));
    for (std::size_t k = 0; k < of.nodes.size(); ++k) cell(of.nodes[k].row, of.nodes[k].column) = static_cast<int>(k);
    find_legend();
    place_rows();
  }

  double width() const { return at_.width; }
  double bottom() const { return at_.height; }

  /// Everything, on a ground of that width.
  std::string paint(double width)
  {
    at_.width = width;
    bands();
    text(24, above_ + 34, "ink", "start", 18, around_.title, true);
    if (!around_.note.empty()) text(24, above_ + 56, "soft", "start", 13, around_.note);
    blocks();
    rests();
    arrows();
    labels();
    names_of_blocks();
    nodes();
    legend();
    return std::move(out_);
  }

private:
  int& cell(int row, int column) { return cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]; }

  /// The distance of a row from the one above, large enough that its longest arrow is not too flat.
  void place_rows()
  {
    std::vector<int> reach(of_.rows.size() + 1);
    for (circuit::arrow const& each : of_.arrows) {
      circuit::node const &from = node(each.from), &to = node(each.to);
      int& most = reach[static_cast<std::size_t>(to.row)];
      most = std::max(most, std::abs(to.column - from.column));
    }
    double y = above_ + 56 + (around_.note.empty() ? 0 : 22) + 20;
    for (std::size_t r = 0; r <= of_.rows.size(); ++r) {
      if (r == of_.rows.size() && of_.result.empty()) break;
      if (r > 0) {
        at_.start.push_back(y + at_.node_height / 2);
        double const gap = std::clamp(0.16 * reach[r] * at_.pitch, 26.0, 150.0);
        y += at_.node_height + (r == of_.rows.size() ? 18 : gap);
      } else {
        at_.start.push_back(y);
      }
      at_.y.push_back(y);
    }
    at_.height = y + at_.node_height / 2 + 62 + legend_line * (lines_of_legend() - 1);
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

  /// A darker background for every second step.
  void bands()
  {
    for (std::size_t r = 1; r < of_.rows.size(); r += 2)
      out_ += "<rect class=\"band\" x=\"12\" y=\"" + svg_number(at_.start[r] + 3) + "\" width=\"" +
              svg_number(at_.width - 24) + "\" height=\"" + svg_number(bottom(static_cast<int>(r)) - at_.start[r]) +
              "\"/>\n";
  }

  /// A frame around the nodes of each block in a launch.
  void blocks()
  {
    for (circuit::area const& each : of_.blocks) {
      double const left = at_.x(each.first_column) - at_.pitch / 2 + 2, width = at_.pitch - 4;
      double const begin = at_.start[static_cast<std::size_t>(each.first_row)] + 2, end = bottom(each.last_row) + 5;
      out_ += "<rect class=\"block\" x=\"" + svg_number(left) + "\" y=\"" + svg_number(begin) + "\" width=\"" +
              svg_number((each.last_column - each.first_column) * at_.pitch + width) + "\" height=\"" +
              svg_number(end - begin) + "\" rx=\"8\"/>\n";
    }
  }

  /// Lines from values that stay in their column to the end.
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

  /// The path of a value through rows in which its column is free.
  void remind(circuit::node const& of, int from, int to)
  {
    if (of_.columns > 16) return;
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
      bool const dashed = each.as == circuit::role::moved || each.as == circuit::role::index;
      std::string const what = dashed ? "move" : stays ? "wire" : "take";
      std::string const head = what == "wire" ? "head" : what == "take" ? "take-head" : "move-head";
      double const x1 = at_.x(from.column), gap = at_.start[static_cast<std::size_t>(to.row)];
      double const side = stays ? 0 : (from.column < to.column ? -1 : 1) * at_.node_width / 4;
      double const x2 = at_.x(to.column) + side, y2 = top(to.row);
      double from_x = x1;
      std::string waits = path_to('M', x1, bottom(from.row));
      if (free(from.column, from.row + 1, to.row - 1)) {
        remind(from, from.row + 1, to.row - 1);
      } else {  // its column is taken: the path is between the columns
        from_x = x1 + (to.column >= from.column ? 1 : -1) * at_.pitch / 2;
        waits += path_to('L', from_x, at_.start[static_cast<std::size_t>(from.row) + 1] + 12);
      }
      if (to.row > from.row + 1) line("wire", waits + path_to('L', from_x, gap));
      double const length = std::hypot(x2 - from_x, y2 - gap), size = 6, half = size * 0.45;
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
    for (int c = 0; c < of_.columns; ++c) text(at_.x(c), top(0) - 7, "faint", "middle", 10, std::to_string(c));
  }

  /// The names of blocks, on the upper edges of their areas.
  void names_of_blocks()
  {
    for (circuit::area const& each : of_.blocks) {
      double const width = (each.last_column - each.first_column + 1) * at_.pitch;
      std::string name = "block " + std::to_string(each.block);
      if (static_cast<double>(name.size()) * 10 * letter + 18 > width) name = std::to_string(each.block);
      double const x = at_.x(each.first_column) - at_.pitch / 2 + 12;
      double const edge = at_.start[static_cast<std::size_t>(each.first_row)];
      out_ += std::string("<rect class=\"") + (each.first_row % 2 == 1 ? "band" : "page") + "\" x=\"" +
              svg_number(x - 3) + "\" y=\"" + svg_number(edge + 4) + "\" width=\"" +
              svg_number(static_cast<double>(name.size()) * 10 * letter + 5) + "\" height=\"11\"/>\n";
      text(x, edge + 13, "faint", "start", 10, name);
    }
  }

  void nodes()
  {
    for (auto const& [where, of] : reminders_) {
      if (cell(where.first, where.second) >= 0) continue;
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
            svg_number(at_.node_height) + "\" rx=\"" + svg_number(5) + "\"/>\n";
    text(at_.x(column), y(row) + at_.font * 0.36, "ink", "middle", at_.font, what);
  }

  void legend()
  {
    double const size = 12, first = at_.height - 24 - legend_line * (lines_of_legend() - 1);
    for (key const& each : legend_) {
      double const x = each.x, y = first + each.line * legend_line;
      out_ += "<rect class=\"" + each.classes + "\" x=\"" + svg_number(x) + "\" y=\"" + svg_number(y - 11) +
              "\" width=\"20\" height=\"14\" rx=\"3\"/>\n";
      text(x + 27, y, "soft", "start", size, each.meaning);
    }
  }
  int lines_of_legend() const { return legend_.empty() ? 1 : legend_.back().line + 1; }

  /// The boxes and frames that this drawing has, from left to right in as many lines as they need.
  void find_legend()
  {
    double x = 24;
    int line = 0;
    auto const add = [&](std::string classes, std::string meaning) {
      double const width = 27 + static_cast<double>(meaning.size()) * 12 * letter;
      if (x > 24 && x + width > at_.width - 12) {
        x = 24;
        ++line;
      }
      legend_.push_back({x, line, std::move(classes), std::move(meaning)});
      x += width + 24;
    };
    auto const any = [&](auto const& is) { return std::any_of(of_.nodes.begin(), of_.nodes.end(), is); };
    struct entry {
      kind what;
      char const *classes, *meaning;
    };
    for (entry const& each : {entry{kind::input, "node input", "input"},
                              {kind::combined, "node combined", "combined"},
                              {kind::moved, "node moved", "copied"},
                              {kind::constant, "node constant", "identity"}})
      if (any([&](circuit::node const& n) { return n.what == each.what; })) add(each.classes, each.meaning);
    if (any([](circuit::node const& n) { return n.is_result; })) add("node combined result", "bold: goes to out");
    if (!of_.result.empty()) add("node out", "in out at the end");
    if (!of_.blocks.empty()) add("block key", "the work of a block");
  }

  static constexpr double legend_line = 21;
  struct key {
    double x;
    int line;
    std::string classes, meaning;
  };

  circuit const& of_;
  captions const& around_;
  double above_;
  layout at_;
  std::vector<std::vector<int>> cells_;  // the node in each row and column, or -1
  std::map<std::pair<int, int>, circuit::node const*> reminders_;
  std::vector<key> legend_;
  std::string out_;
};

std::string page(captions const& around, double width, double height, bool has_blocks, std::string const& drawn)
{
  std::string const w = svg_number(width), h = svg_number(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + w + " " + h + "\" width=\"" + w + "\" height=\"" +
         h + "\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" role=\"img\">\n<title>" +
         svg_escaped(around.title) + "</title>\n<style>" + diagram_style + (has_blocks ? block_style : "") +
         "</style>\n<rect class=\"page\" width=\"" + w + "\" height=\"" + h + "\"/>\n" + drawn + "</svg>\n";
}

}  // namespace

std::string svg(circuit const& of, captions const& around)
{
  if (of.columns <= most_columns_with_text) {
    painter whole(of, around);
    return page(around, whole.width(), whole.bottom(), !of.blocks.empty(), whole.paint(whole.width()));
  }
  int width = 1, height = 1;
  while (of.columns > width * most_columns_with_text) width *= 2;
  while (static_cast<int>(of.rows.size()) > height * most_rows) height *= 2;
  constexpr int in_detail = 32;
  circuit const all = coarse(of, width, height), some = first_columns(of, in_detail);
  std::string const box = "each box is " + std::to_string(width) + " elements, its number how many values they receive";
  captions const about_all = {around.title, around.note.empty() ? box : around.note + "; " + box};
  captions const about_some = {"Elements 0 to " + std::to_string(in_detail - 1),
                               "the rows in which they receive a value"};
  painter above(all, about_all), below(some, about_some, above.bottom());
  double const wide = std::max(above.width(), below.width());
  std::string const drawn = above.paint(wide) + below.paint(wide);
  return page(around, wide, below.bottom(), !all.blocks.empty(), drawn);
}

}  // namespace tally::draw
