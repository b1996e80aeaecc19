#include <cstring>
#include <utility>

#include "io/numbers/number.hpp"
#include "table/row_format.hpp"

namespace tally::cli {

namespace {

class delimited_rows final : public row_format {
public:
  delimited_rows(delimited how, std::vector<table_column> columns) : how_(std::move(how)), columns_(std::move(columns))
  {
    special_ = {how_.delimiter, '"', '\n', '\r'};
    // Only such a delimiter can occur in the text of a result.
    splits_numbers_ = std::strchr("0123456789+-.,:einfaTPHMSZdhms_' ", how_.delimiter) != nullptr;
  }

  std::string head() const override
  {
    std::string out;
    if (!how_.has_header) return out;
    for (table_column const& each : columns_) {
      if (&each != &columns_.front()) out += how_.delimiter;
      append_field(out, each.name);
    }
    return out += how_.line_end;
  }

  void row(std::string& to, std::span<cell const> cells) const override
  {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (k > 0) to += how_.delimiter;
      if (auto const* value = std::get_if<result>(&cells[k]))
        append_result(to, *value, columns_[k].style);
      else if (auto const* text = std::get_if<std::string_view>(&cells[k]))
        append_field(to, *text);
      else if (auto const* rows = std::get_if<verbatim>(&cells[k]))
        to += rows->text;
    }
    to += how_.line_end;
  }

private:
  void append_field(std::string& to, std::string_view text) const
  {
    if (text.find_first_of(special_) == text.npos) {
      to += text;
      return;
    }
    to += '"';
    for (char const c : text) {
      if (c == '"') to += '"';
      to += c;
    }
    to += '"';
  }

  void append_result(std::string& to, result const& value, io::number_style const& style) const
  {
    if (splits_numbers_ || !style.plain())
      append_field(to, to_text(value, style));
    else
      append_text(to, value);
  }

  delimited how_;
  std::vector<table_column> columns_;
  std::string special_;
  bool splits_numbers_ = false;
};

}  // namespace

std::unique_ptr<row_format> make_delimited(delimited how, std::vector<table_column> columns)
{
  return std::make_unique<delimited_rows>(std::move(how), std::move(columns));
}

}  // namespace tally::cli
