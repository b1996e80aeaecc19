#include "io/csv_header.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "io/column_reader.hpp"
#include "io/csv_row.hpp"
#include "io/errors.hpp"

namespace tally::io {

namespace {

struct first_row {
  std::vector<std::string> fields;
  std::size_t end = 0;
};

first_row split(chunk const& first, char delimiter, std::string const& source)
{
  first_row row;
  char const* begin = first.begin() + byte_order_mark(first);
  bool const quotes = std::memchr(begin, '"', static_cast<std::size_t>(first.end() - begin)) != nullptr;
  field_ends ends(begin, first.end(), delimiter, quotes);
  for (bool more = true; more;) {
    char const* const stop = ends.next();
    char const* field_end = stop ? stop : first.end();
    more = stop && *stop == delimiter;
    if (!more && field_end > begin && field_end[-1] == '\r') --field_end;
    csv_field field;
    if (auto const wrong = unquote(begin, field_end, first.begin(), delimiter, field)) {
      auto const* const at = first.begin() + wrong->at;
      auto const* const newline = static_cast<char const*>(memrchr(first.begin(), '\n', wrong->at));
      auto const line = static_cast<std::uint64_t>(std::count(first.begin(), at, '\n')) + 1;
      auto const column = newline ? at - newline : at - first.begin() + 1;
      throw data_error({source, line, static_cast<std::uint64_t>(column)}, wrong->found, wrong->expected);
    }
    if (first.overlong && !stop)
      throw data_error({source, 1}, "a row of more than " + std::to_string(first.size()) + " bytes", "a shorter one");
    row.fields.push_back(field.text());
    row.end = static_cast<std::size_t>((stop ? stop + 1 : first.end()) - first.begin());
    begin = stop ? stop + 1 : first.end();
  }
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
  first_row const row = split(first, options.delimiter, source);
  csv_layout layout;
  layout.columns = row.fields.size();
  layout.column = find_column(row.fields, options.column, options.header, source);
  if (options.key) layout.key = find_column(row.fields, *options.key, options.header, source);
  layout.values_at = options.header ? row.end : byte_order_mark(first);
  return layout;
}

}  // namespace tally::io
