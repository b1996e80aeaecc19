#include "io/tables/layout.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "io/errors.hpp"
#include "io/numbers/padded_token.hpp"
#include "io/tables/column_choice.hpp"
#include "io/text/byte_mask.hpp"
#include "io/text/column_reader.hpp"

namespace tally::io {

namespace {

/// The text without blanks around it.
std::string_view trimmed(std::string_view name)
{
  auto const first = name.find_first_not_of(" \t");
  return first == name.npos ? std::string_view() : name.substr(first, name.find_last_not_of(" \t") - first + 1);
}

/// Sets the line and its end.
void describe_line(table_head& head, first_cells const& row, bool named, chunk const& first)
{
  std::string line(first.begin() + row.begin, first.begin() + row.end);
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) {
    line.pop_back();
    head.line_end = "\r\n";
  }
  if (named) head.line = std::move(line);
  head.marked = byte_order_mark(first) > 0;
}

}  // namespace

location place_in(chunk const& first, std::size_t at, std::string const& source)
{
  auto const* const newline = static_cast<char const*>(memrchr(first.begin(), '\n', at));
  auto const* const line_begin = newline ? newline + 1 : first.begin();
  return {source, count_bytes(first.begin(), first.begin() + at, '\n') + 1,
          static_cast<std::uint64_t>(first.begin() + at - line_begin) + 1};
}

table_layout lay_out(first_cells const& row, bool named, chunk const& first, table_options const& options,
                     std::string const& source)
{
  table_columns const table{row.cells, named, options.guessed, source};
  table_layout layout;
  layout.columns = row.cells.size();
  layout.keys = key_columns(options, table);
  layout.values = number_columns(options, table, layout.keys);
  // A key that is chosen by its name, and found, says that the line is a header.
  bool const header = options.rows && !std::ranges::all_of(options.keys, is_of_numbers);
  for (std::size_t const column : layout.values) {
    if (named && !header && options.first == first_row::unsaid &&
        is_number(trimmed(row.cells[column]), options.numbers))
      throw data_error(place_in(first, row.begins[column], source),
                       describe(row.cells[column]) + " as the name of the column",
                       "a name that is no number (--no-header if the first line is data, --header if it is a header)");
  }
  layout.values_at = named ? row.end : row.begin;
  layout.head.delimiter = options.delimiter;
  describe_line(layout.head, row, named, first);
  auto const name = [&](std::size_t column) { return named ? row.cells[column] : std::to_string(column + 1); };
  std::ranges::transform(layout.values, std::back_inserter(layout.head.columns), name);
  std::ranges::transform(layout.keys, std::back_inserter(layout.head.keys), name);

  bool const chosen = !options.columns.empty() || options.all;
  for (std::string const& each : layout.head.columns) {
    std::string where;
    if (layout.head.columns.size() > 1) where = " in column " + (named ? describe(each) : each);
    if (!chosen && named && layout.columns > 1)
      where = " in the first column, " + describe(each) + " (--column chooses among " + list_of(row.cells) + ")";
    layout.where.push_back(std::move(where));
  }

  layout.wanted = layout.values;
  layout.wanted.insert(layout.wanted.end(), layout.keys.begin(), layout.keys.end());
  std::ranges::sort(layout.wanted);
  layout.wanted.erase(std::unique(layout.wanted.begin(), layout.wanted.end()), layout.wanted.end());
  auto const place = [&](std::size_t& column) {
    column = static_cast<std::size_t>(std::ranges::lower_bound(layout.wanted, column) - layout.wanted.begin());
  };
  std::ranges::for_each(layout.values, place);
  std::ranges::for_each(layout.keys, place);
  return layout;
}

table_layout lay_out_nothing(table_options const& options)
{
  table_layout layout;
  layout.head.delimiter = options.delimiter;
  layout.head.columns = options.columns.empty() ? std::vector<std::string>{"1"} : options.columns;
  layout.head.columns.insert(layout.head.columns.end(), options.behind.begin(), options.behind.end());
  layout.head.keys = options.keys;
  layout.values.resize(layout.head.columns.size());
  layout.where.resize(layout.head.columns.size());
  return layout;
}

}  // namespace tally::io
