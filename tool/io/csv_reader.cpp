#include "io/csv_reader.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "io/byte_mask.hpp"
#include "io/column_reader.hpp"
#include "io/csv_header.hpp"
#include "io/csv_row.hpp"

namespace tally::io {

namespace {

bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

class csv_table final : public text_format {
public:
  explicit csv_table(csv_options options) : options_(std::move(options)) {}

  /// Cuts behind the last line feed that is not within quotes. Every chunk begins outside of quotes.
  std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) override
  {
    if (seen == 0) odd_quotes_ = false;
    odd_quotes_ ^= count_bytes(bytes + seen, bytes + size, '"') % 2 != 0;
    bool inside = odd_quotes_;
    for (std::size_t end = size; end > seen; --end) {
      char const byte = bytes[end - 1];
      if (byte == '"') inside = !inside;
      if (byte == '\n' && !inside) return end;
    }
    return 0;
  }

  std::size_t begin(chunk const& first, std::string const& source) override
  {
    layout_ = read_layout(first, options_, source);
    return layout_.values_at;
  }

  void empty(std::string const& source) override
  {
    if (options_.first != first_row::values) throw data_error({source, 1}, "nothing", "a header");
  }

  std::size_t columns() const override { return options_.columns.size(); }
  table_head const* head() const override { return &layout_.head; }

  void parse(parsed_chunk& into, std::span<number_reading const> numbers) const override
  {
    // A row has a byte behind each cell, and one in each cell with a number; the last row may lack its end.
    for (std::size_t c = 0; c < numbers.size(); ++c)
      into.columns[c].begin(into.text.size() / (layout_.columns + 1) + 1, numbers[c]);
    into.rows = 0;
    into.keys.clear();
    into.lines.clear();
    into.wrong = for_each_row(into, [&](cells const& row) -> std::optional<offence> {
      for (std::size_t c = 0; c < numbers.size(); ++c)
        if (auto wrong = take(row[layout_.values[c]], into.columns[c], into.rows, into.text.begin())) return wrong;
      take_key(row, into.keys);
      if (options_.lines) into.lines.push_back(row.line());
      ++into.rows;
      return std::nullopt;
    });
    for (parsed_column& column : into.columns) column.values.end();
  }

  std::size_t locate(parsed_chunk const& in, std::size_t row, std::size_t column) const override
  {
    std::size_t at = 0;
    for_each_row(in, [&](cells const& found) -> std::optional<offence> {
      at = static_cast<std::size_t>(without_blanks(found[layout_.values[column]]).begin - in.text.begin());
      return row-- > 0 ? std::nullopt : std::optional(offence{});
    });
    return at;
  }

private:
  /// The wanted cells of a row.
  struct cells {
    std::vector<csv_field> fields;
    char const* begin = nullptr;  // of the row
    char const* end = nullptr;

    csv_field const& operator[](std::size_t place) const { return fields[place]; }
    std::string_view line() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  };

  static csv_field without_blanks(csv_field field)
  {
    while (field.begin < field.end && is_blank(*field.begin)) ++field.begin;
    while (field.begin < field.end && is_blank(field.end[-1])) --field.end;
    return field;
  }

  std::optional<offence> take(csv_field const& cell, parsed_column& into, std::size_t row, char const* origin) const
  {
    csv_field const number = without_blanks(cell);
    auto const at = static_cast<std::size_t>(number.begin - origin);
    if (number.begin == number.end) return offence{at, "an empty field", "a number"};
    if (!into.add(row, number.begin, number.end)) return into.values.refusal(at, number.begin, number.end);
    return std::nullopt;
  }

  void take_key(cells const& row, key_table& keys) const
  {
    if (layout_.keys.empty()) return;
    csv_field const& first = row[layout_.keys[0]];
    if (layout_.keys.size() == 1 && !first.doubled) return keys.add(first.view());
    std::string key = first.text();
    for (std::size_t k = 1; k < layout_.keys.size(); ++k) (key += '\0') += row[layout_.keys[k]].text();
    keys.add_copy(std::move(key));
  }

  /// Calls f(cells) with each row until it returns an offence. Returns that offence, or one of the rows themselves.
  template <class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    auto const size = in.text.size();
    return std::memchr(in.text.begin(), '"', size) ? for_each_row<true>(in, f) : for_each_row<false>(in, f);
  }

  template <bool Quotes, class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    char const* const origin = in.text.begin();
    char const* const limit = in.text.end();
    char const* begin = origin + in.start;  // of the field
    auto const* const nul = static_cast<char const*>(std::memchr(begin, '\0', static_cast<std::size_t>(limit - begin)));
    std::size_t column = 0;
    // The wanted columns, and one that no row reaches.
    std::vector<std::size_t> wanted = layout_.wanted;
    wanted.push_back(~std::size_t(0));
    std::size_t place = 0;  // of the next wanted column
    cells row;
    row.fields.resize(wanted.size());
    row.begin = begin;
    csv_field field;
    field_ends ends(begin, limit, options_.delimiter, Quotes);
    while (begin < limit || column > 0) {
      char const* const found = ends.next();
      char const* const stop = found ? found : limit;
      bool const row_ends = stop == limit || *stop == '\n';
      char const* const end = row_ends && stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
      if (!found && in.text.overlong) return overlong_row(row.begin, begin, limit, origin, options_.delimiter);
      if constexpr (Quotes) {
        if (auto wrong = unquote(begin, end, origin, options_.delimiter, field)) return wrong;
        if (column == wanted[place]) row.fields[place++] = field;
      } else {
        if (column == wanted[place]) row.fields[place++] = {begin, end, false};
      }
      ++column;
      begin = stop + 1;
      if (!row_ends) continue;
      if (nul && nul < stop) return offence{static_cast<std::size_t>(nul - origin), "a NUL byte", "text"};
      if (column != layout_.columns) return ragged(row.begin, end, column, origin);
      row.end = end;
      if (auto wrong = f(row)) return wrong;
      column = 0;
      place = 0;
      row.begin = begin;
    }
    return std::nullopt;
  }

  offence ragged(char const* row, char const* end, std::size_t columns, char const* origin) const
  {
    auto const fields = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " field" : " fields"); };
    return {static_cast<std::size_t>(row - origin), row == end ? "an empty line" : "a row of " + fields(columns),
            fields(layout_.columns)};
  }

  csv_options options_;
  csv_layout layout_;
  bool odd_quotes_ = false;  // in the bytes that `cut` has seen
};

}  // namespace

std::unique_ptr<reader> read_csv(input source, csv_options const& options, chunk_sizes sizes)
{
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r' || options.delimiter == '\0')
    throw usage_error("found a quote, line end or NUL as the delimiter of fields, expected another character");
  return std::make_unique<column_reader>(std::move(source), std::make_unique<csv_table>(options), options.numbers,
                                         options.floating, options.threads, sizes);
}

std::unique_ptr<reader> read_csv(input source, csv_options const& options)
{
  return read_csv(std::move(source), options, {});
}

}  // namespace tally::io
