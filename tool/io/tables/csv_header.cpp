#include "io/tables/csv_header.hpp"

#include <cstring>

#include "io/errors.hpp"
#include "io/tables/csv_row.hpp"
#include "io/text/column_reader.hpp"

namespace tally::io {

first_cells read_first_row(chunk const& first, std::size_t at, char delimiter, std::string const& source)
{
  auto const refuse = [&](offence const& wrong) {
    throw data_error(place_in(first, wrong.at, source), wrong.found, wrong.expected);
  };
  first_cells row;
  row.begin = at;
  char const* begin = first.begin() + at;
  bool const quotes = std::memchr(begin, '"', static_cast<std::size_t>(first.end() - begin)) != nullptr;
  field_ends ends(begin, first.end(), delimiter, quotes);
  for (bool more = true; more;) {
    char const* const stop = ends.next();
    char const* field_end = stop ? stop : first.end();
    more = stop && *stop == delimiter;
    if (!more && field_end > begin && field_end[-1] == '\r') --field_end;
    if (first.overlong && !stop) refuse(overlong_row(first.begin() + at, begin, first.end(), first.begin(), delimiter));
    csv_field field;
    if (auto const wrong = unquote(begin, field_end, first.begin(), delimiter, field)) refuse(*wrong);
    row.begins.push_back(static_cast<std::size_t>(begin - first.begin()));
    row.cells.push_back(field.text());
    row.end = static_cast<std::size_t>((stop ? stop + 1 : first.end()) - first.begin());
    begin = stop ? stop + 1 : first.end();
  }
  if (auto const* const nul = static_cast<char const*>(std::memchr(first.begin() + at, '\0', row.end - at)))
    refuse({static_cast<std::size_t>(nul - first.begin()), "a NUL byte", "text"});
  return row;
}

}  // namespace tally::io
