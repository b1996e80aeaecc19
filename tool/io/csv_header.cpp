#include "io/csv_header.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>

#include "io/column_reader.hpp"
#include "io/csv_row.hpp"
#include "io/errors.hpp"

namespace tally::io {

namespace {

struct header_row {
  std::vector<std::string> fields;
  std::vector<std::size_t> begins;  // of the fields
  std::size_t end = 0;
};

location place_of(std::size_t at, chunk const& first, std::string const& source)
{
  auto const* const newline = static_cast<char const*>(memrchr(first.begin(), '\n', at));
  auto const line = static_cast<std::uint64_t>(std::count(first.begin(), first.begin() + at, '\n')) + 1;
  auto const* const line_begin = newline ? newline + 1 : first.begin();
  return {source, line, static_cast<std::uint64_t>(first.begin() + at - line_begin) + 1};
}

header_row split(chunk const& first, char delimiter, std::string const& source)
{
  auto const refuse = [&](offence const& wrong) {
    throw data_error(place_of(wrong.at, first, source), wrong.found, wrong.expected);
  };
  header_row row;
  char const* begin = first.begin() + byte_order_mark(first);
  bool const quotes = std::memchr(begin, '"', static_cast<std::size_t>(first.end() - begin)) != nullptr;
  field_ends ends(begin, first.end(), delimiter, quotes);
  for (bool more = true; more;) {
    char const* const stop = ends.next();
    char const* field_end = stop ? stop : first.end();
    more = stop && *stop == delimiter;
    if (!more && field_end > begin && field_end[-1] == '\r') --field_end;
    if (first.overlong && !stop) refuse(overlong_row(first.begin(), begin, first.end(), first.begin(), delimiter));
    csv_field field;
    if (auto const wrong = unquote(begin, field_end, first.begin(), delimiter, field)) refuse(*wrong);
    row.begins.push_back(static_cast<std::size_t>(begin - first.begin()));
    row.fields.push_back(field.text());
    row.end = static_cast<std::size_t>((stop ? stop + 1 : first.end()) - first.begin());
    begin = stop ? stop + 1 : first.end();
  }
  if (auto const* const nul = static_cast<char const*>(std::memchr(first.begin(), '\0', row.end)))
    refuse({static_cast<std::size_t>(nul - first.begin()), "a NUL byte", "text"});
  return row;
}

/// 'a', 'b' and 37 more
std::string list(std::vector<std::string> const& names)
{
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i > 0 ? ", " : "") + describe(names[i]);
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::optional<std::size_t> as_number(std::string const& wanted)
{
  std::size_t number = 0;
  auto const [stop, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (error != std::errc() || stop != wanted.data() + wanted.size() || number == 0) return std::nullopt;
  return number;
}

/// Whether the text is a number, blanks around it aside, as in the column.
bool is_number(std::string_view name)
{
  auto const first = name.find_first_not_of(" \t");
  if (first == name.npos) return false;
  name = name.substr(first, name.find_last_not_of(" \t") - first + 1);
  return decode_rest(name.data(), name.data() + name.size()).kind != token_kind::garbage;
}

std::size_t find_column(std::vector<std::string> const& fields, std::string const& wanted, bool header,
                        std::string const& source)
{
  std::string const columns = fields.size() == 1 ? "1 column" : std::to_string(fields.size()) + " columns";
  if (header) {
    auto const found = std::find(fields.begin(), fields.end(), wanted);
    if (found != fields.end()) {
      if (std::find(found + 1, fields.end(), wanted) != fields.end())
        throw data_error({source, 1}, "several columns called " + describe(wanted), "only one, or a column's number");
      return static_cast<std::size_t>(found - fields.begin());
    }
  }
  auto const number = as_number(wanted);
  if (number && *number <= fields.size()) return *number - 1;
  if (number) throw data_error({source, 1}, columns, "a column number " + wanted);
  if (header) throw data_error({source, 1}, columns + ": " + list(fields), "one called " + describe(wanted));
  throw usage_error(source + ": found a column called " + describe(wanted) +
                    ", expected a number from 1: the table has no header");
}

}  // namespace

csv_layout read_layout(chunk const& first, csv_options const& options, std::string const& source)
{
  bool const names = options.first != first_row::values;
  header_row const row = split(first, options.delimiter, source);
  csv_layout layout;
  layout.columns = row.fields.size();
  for (std::string const& column : options.columns)
    layout.values.push_back(find_column(row.fields, column, names, source));
  for (std::string const& key : options.keys) layout.keys.push_back(find_column(row.fields, key, names, source));
  for (std::size_t const column : layout.values) {
    if (options.first == first_row::unsaid && is_number(row.fields[column]))
      throw data_error(place_of(row.begins[column], first, source),
                       describe(row.fields[column]) + " as the name of the column",
                       "a name that is no number (--no-header if the first line is data, --header if it is a header)");
  }
  layout.values_at = names ? row.end : byte_order_mark(first);
  layout.head.delimiter = options.delimiter;
  std::string line(first.begin() + byte_order_mark(first), first.begin() + row.end);
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) {
    line.pop_back();
    layout.head.line_end = "\r\n";
  }
  if (names) layout.head.line = std::move(line);
  auto const name = [&](std::size_t column) { return names ? row.fields[column] : std::to_string(column + 1); };
  std::ranges::transform(layout.values, std::back_inserter(layout.head.columns), name);
  std::ranges::transform(layout.keys, std::back_inserter(layout.head.keys), name);

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

}  // namespace tally::io
