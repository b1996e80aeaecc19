#include <utility>

#include "table/row_format.hpp"

namespace tally::cli {

namespace {

class markdown_rows final : public row_format {
public:
  explicit markdown_rows(std::vector<table_column> columns) : columns_(std::move(columns)) {}

  std::string head() const override
  {
    std::string out;
    for (table_column const& each : columns_) append_cell(out, each.name);
    out += "|\n";
    for (table_column const& each : columns_) out += each.holds_results ? "| ---: " : "| --- ";
    return out += "|\n";
  }

  void row(std::string& to, std::span<cell const> cells) const override
  {
    for (std::size_t k = 0; k < cells.size(); ++k) append_cell(to, text_of(cells[k], columns_[k]));
    to += "|\n";
  }

private:
  static void append_cell(std::string& to, std::string_view text)
  {
    to += "| ";
    for (char const c : text) {
      if (c == '\r') continue;
      if (c == '|') to += '\\';
      if (c == '\n')
        to += "<br>";
      else
        to += c;
    }
    if (!text.empty()) to += ' ';
  }

  std::vector<table_column> columns_;
};

}  // namespace

std::unique_ptr<row_format> make_markdown(std::vector<table_column> columns)
{
  return std::make_unique<markdown_rows>(std::move(columns));
}

}  // namespace tally::cli
