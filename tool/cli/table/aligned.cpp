#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "table/row_format.hpp"

namespace tally::cli {

namespace {

/// The columns that a terminal needs for the text: most Chinese characters have two.
std::size_t width_of(std::string_view text)
{
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) return text.size();
  // Padded to as many columns as it has bytes, it grows by the bytes that make no column.
  return 2 * text.size() - std::min(2 * text.size(), fmt::formatted_size("{:<{}}", text, text.size()));
}

bool is_number_or_blank(std::string_view text)
{
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  return text.empty() || is_json_number(text);
}

/// Rows wait as their cells with a separator behind each, since their widths are known at the end. No cell has that
/// character: control characters are escaped.
class aligned_rows final : public row_format {
public:
  explicit aligned_rows(std::vector<table_column> columns) : columns_(std::move(columns)) {}

  std::string head() const override
  {
    std::string out;
    for (table_column const& each : columns_) append_cell(out, each.name);
    return out;
  }

  void row(std::string& to, std::span<cell const> cells) const override
  {
    for (std::size_t k = 0; k < cells.size(); ++k) append_cell(to, text_of(cells[k], columns_[k]));
  }

  bool needs_all() const override { return true; }

  std::string arranged(std::string text) const override
  {
    std::size_t const n = columns_.size();
    std::vector<std::size_t> widths(n, 0);
    std::vector<bool> right(n, true);  // columns of numbers, under whatever name
    for_cells(text, [&](std::size_t k, std::string_view cell) {
      widths[k % n] = std::max(widths[k % n], width_of(cell));
      if (k >= n && !columns_[k % n].holds_results && !is_number_or_blank(cell)) right[k % n] = false;
    });
    std::string out;
    for_cells(text, [&](std::size_t k, std::string_view cell) {
      std::size_t const c = k % n, pad = widths[c] - width_of(cell);
      if (c > 0) out += "  ";
      if (right[c]) out.append(pad, ' ');
      out += cell;
      if (!right[c]) out.append(pad, ' ');
      if (c + 1 < n) return;
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n';
    });
    return out;
  }

private:
  static constexpr char separator = '\x1f';

  static void append_cell(std::string& to, std::string_view text)
  {
    for (char const c : text) {
      if (c == '\n')
        to += "\\n";
      else if (c == '\t')
        to += "\\t";
      else if (c == '\r')
        to += "\\r";
      else if ((c >= 0 && c < ' ') || c == '\x7f')
        to += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
      else
        to += c;
    }
    to += separator;
  }

  template <class Use>
  static void for_cells(std::string_view text, Use use)
  {
    for (std::size_t k = 0; !text.empty(); ++k) {
      std::size_t const end = text.find(separator);
      use(k, text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  std::vector<table_column> columns_;
};

}  // namespace

std::unique_ptr<row_format> make_aligned(std::vector<table_column> columns)
{
  return std::make_unique<aligned_rows>(std::move(columns));
}

}  // namespace tally::cli
