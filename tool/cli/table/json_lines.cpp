#include <algorithm>

#include "output/json.hpp"
#include "table/row_format.hpp"

namespace tally::cli {

bool is_json_number(std::string_view text)
{
  auto const digits = [&] {
    std::size_t const end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  bool const begins_with_zero = text.starts_with('0');
  std::size_t const whole = digits();
  if (whole == 0 || (begins_with_zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

namespace {

void append_json(std::string& to, result const& value, io::number_style const& style)
{
  if (style.plain() && is_finite(value) && !std::holds_alternative<io::quantity>(value))
    append_text(to, value);
  else
    to += json::number(value, style).text();
}

std::vector<io::number_style> styles_of(std::span<table_column const> columns)
{
  std::vector<io::number_style> styles;
  for (table_column const& each : columns) styles.push_back(each.style);
  return styles;
}

/// The JSON texts of names, a prefix before the first, a comma before the others, and a colon behind each.
std::vector<std::string> keys_of(std::span<table_column const> columns, std::string const& prefix)
{
  std::vector<std::string> keys;
  for (table_column const& each : columns) keys.push_back((keys.empty() ? prefix : ",") + json(each.name).text() + ":");
  return keys;
}

/// A field that JSON reads as a number is one, any other a string.
void append_json(std::string& to, cell const& from, io::number_style const& style)
{
  if (auto const* value = std::get_if<result>(&from))
    append_json(to, *value, style);
  else if (auto const* text = std::get_if<std::string_view>(&from))
    to += is_json_number(*text) ? std::string(*text) : json(*text).text();
  else
    to += "null";
}

class json_lines final : public row_format {
public:
  explicit json_lines(std::vector<table_column> const& columns)
      : keys_(keys_of(columns, "{")),
        styles_(styles_of(columns))
  {
  }

  void row(std::string& to, std::span<cell const> cells) const override
  {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      to += keys_[k];
      append_json(to, cells[k], styles_[k]);
    }
    to += "}\n";
  }

private:
  std::vector<std::string> keys_;
  std::vector<io::number_style> styles_;
};

class json_rows final : public row_format {
public:
  explicit json_rows(std::vector<table_column> const& columns) : styles_(styles_of(columns))
  {
    json names = json::array();
    for (table_column const& each : columns) names.append(each.name);
    head_ = "{\"columns\":" + names.text() + ",\"rows\":[";
  }

  std::string head() const override { return head_; }
  std::string_view between() const override { return ","; }
  std::string tail() const override { return "]}\n"; }

  void row(std::string& to, std::span<cell const> cells) const override
  {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      to += k == 0 ? '[' : ',';
      append_json(to, cells[k], styles_[k]);
    }
    to += ']';
  }

private:
  std::string head_;
  std::vector<io::number_style> styles_;
};

class json_groups final : public row_format {
public:
  json_groups(std::vector<table_column> const& columns, std::size_t keys)
      : keys_(keys),
        names_(keys_of(std::span(columns).subspan(keys), ",")),
        styles_(styles_of(columns))
  {
    json by = json::array();
    for (std::size_t k = 0; k < keys; ++k) by.append(columns[k].name);
    head_ = "{\"by\":" + (keys == 1 ? json(columns[0].name) : by).text() + ",\"groups\":[";
  }

  std::string head() const override { return head_; }
  std::string_view between() const override { return ","; }
  std::string tail() const override { return "]}\n"; }

  void row(std::string& to, std::span<cell const> cells) const override
  {
    to += keys_ == 1 ? "{\"key\":" : "{\"key\":[";
    for (std::size_t k = 0; k < keys_; ++k) {
      if (k > 0) to += ',';
      to += json(std::get<std::string_view>(cells[k])).text();
    }
    if (keys_ > 1) to += ']';
    for (std::size_t k = keys_; k < cells.size(); ++k) {
      to += names_[k - keys_];
      append_json(to, cells[k], styles_[k]);
    }
    to += '}';
  }

private:
  std::size_t keys_;
  std::vector<std::string> names_;
  std::vector<io::number_style> styles_;
  std::string head_;
};

}  // namespace

std::unique_ptr<row_format> make_json_lines(std::vector<table_column> columns)
{
  return std::make_unique<json_lines>(columns);
}

std::unique_ptr<row_format> make_json_rows(std::vector<table_column> columns)
{
  return std::make_unique<json_rows>(columns);
}

std::unique_ptr<row_format> make_json_groups(std::vector<table_column> columns, std::size_t keys)
{
  return std::make_unique<json_groups>(columns, keys);
}

}  // namespace tally::cli
