#include "table/input_row.hpp"

#include <algorithm>

namespace tally::cli {

/// Removes a quoted field from the front of the row, and returns what is between the quotes.
std::string_view input_row::take_quoted(std::string_view& row)
{
  std::size_t end = 1;
  bool doubled = false;
  for (;; end += 2) {
    end = std::min(row.find('"', end), row.size());
    if (end + 1 >= row.size() || row[end + 1] != '"') break;
    doubled = true;
  }
  std::string_view field = row.substr(1, end - 1);
  row.remove_prefix(std::min(end + 1, row.size()));
  if (!doubled) return field;
  std::string& copy = copies_.emplace_back();
  for (std::size_t k = 0; k < field.size(); ++k) {
    copy += field[k];
    if (field[k] == '"') ++k;
  }
  return copy;
}

std::vector<std::string_view> const& input_row::split(std::string_view row, char delimiter)
{
  fields_.clear();
  copies_.clear();
  if (delimiter == ' ') {
    constexpr std::string_view blanks = " \t";
    for (;;) {
      row.remove_prefix(std::min(row.find_first_not_of(blanks), row.size()));
      if (row.empty()) return fields_;
      std::size_t const end = std::min(row.find_first_of(blanks), row.size());
      fields_.push_back(row.substr(0, end));
      row.remove_prefix(end);
    }
  }
  for (;;) {
    if (row.starts_with('"')) {
      fields_.push_back(take_quoted(row));
    } else {
      fields_.push_back(row.substr(0, row.find(delimiter)));
      row.remove_prefix(fields_.back().size());
    }
    if (row.empty()) return fields_;
    row.remove_prefix(1);  // the delimiter
  }
}

}  // namespace tally::cli
