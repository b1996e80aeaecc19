#include "io/tables/csv_row.hpp"

namespace tally::io {

std::string csv_field::text() const
{
  std::string result;
  for (char const* at = begin; at != end; ++at) {
    result += *at;
    if (doubled && *at == '"') ++at;
  }
  return result;
}

std::optional<offence> unquote(char const* begin, char const* end, char const* origin, char delimiter, csv_field& field)
{
  auto const offset = [&](char const* at) { return static_cast<std::size_t>(at - origin); };
  auto const find_quote = [end](char const* from) {
    return static_cast<char const*>(std::memchr(from, '"', static_cast<std::size_t>(end - from)));
  };
  field = {begin, end, false};
  if (begin == end) return std::nullopt;
  if (*begin != '"') {
    char const* const quote = find_quote(begin);
    if (!quote) return std::nullopt;
    return offence{offset(quote), "a quote within an unquoted field", "one before the field and one behind it"};
  }
  field.begin = begin + 1;
  for (char const* from = begin + 1;;) {
    char const* const quote = from < end ? find_quote(from) : nullptr;
    if (!quote) return offence{offset(begin), "a quote that is never closed", "a closing quote"};
    if (quote + 1 == end) {
      field.end = quote;
      return std::nullopt;
    }
    if (quote[1] != '"')
      return offence{offset(quote + 1),
                     describe({quote + 1, static_cast<std::size_t>(end - quote - 1)}) + " after a closing quote",
                     (delimiter == '\t' ? "a tab" : describe({&delimiter, 1})) + " or the end of the line"};
    field.doubled = true;
    from = quote + 2;
  }
}

offence overlong_row(char const* row, char const* field, char const* end, char const* origin, char delimiter)
{
  csv_field cut_off;
  char const* const field_end = end > field && end[-1] == '\r' ? end - 1 : end;  // \r may belong to the line end
  std::optional<offence> const wrong = unquote(field, field_end, origin, delimiter, cut_off);
  std::string const most = std::to_string(end - row - 1) + " bytes";
  if (!wrong) return {static_cast<std::size_t>(row - origin), "a row of more than " + most, "a shorter one"};
  // An unclosed quote is at the beginning of the field.
  if (wrong->at != static_cast<std::size_t>(field - origin)) return *wrong;
  return {wrong->at, "a quote that is not closed in the first " + most + " of its row", "a closing quote"};
}

}  // namespace tally::io
