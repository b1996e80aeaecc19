#include <cstring>
#include <optional>
#include <utility>

#include "io/errors.hpp"
#include "io/tables/csv_header.hpp"
#include "io/tables/format.hpp"
#include "io/tables/reader.hpp"
#include "io/text/byte_mask.hpp"

namespace tally::io {

namespace {

class csv_table final : public table_format<csv_table> {
public:
  explicit csv_table(table_options options) : table_format(std::move(options)) {}

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
    first_cells const row = read_first_row(first, options_.delimiter, source);
    layout_ = lay_out(row, options_.first != first_row::values, first, options_, source);
    return layout_.values_at;
  }

  void empty(std::string const& source) override
  {
    if (options_.first != first_row::values) throw data_error({source, 1}, "nothing", "a header");
    layout_ = lay_out_nothing(options_);
  }

  /// A row has a byte behind each cell, and one in each cell with a number; the last row may lack its end.
  std::size_t most_rows(std::size_t bytes) const
  {
    bool const may_be_empty = options_.rows || options_.missing.rule == missing_rule::fill;
    return bytes / (layout_.columns + (may_be_empty ? 0 : 1)) + 1;
  }

  template <class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    auto const size = in.text.size();
    return std::memchr(in.text.begin(), '"', size) ? for_each_row<true>(in, f) : for_each_row<false>(in, f);
  }

private:
  template <bool Quotes, class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    char const* const origin = in.text.begin();
    char const* const limit = in.text.end();
    char const* begin = origin + in.start;  // of the field
    auto const* const nul = static_cast<char const*>(std::memchr(begin, '\0', static_cast<std::size_t>(limit - begin)));
    std::size_t column = 0;
    wanted_columns wanted(layout_.wanted);
    row_cells row;
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
        if (auto const place = wanted.place_of(column)) row.fields[*place] = field;
      } else {
        if (auto const place = wanted.place_of(column)) row.fields[*place] = {begin, end, false};
      }
      ++column;
      begin = stop + 1;
      if (!row_ends) continue;
      if (nul && nul < stop) return offence{static_cast<std::size_t>(nul - origin), "a NUL byte", "text"};
      if (column != layout_.columns) return ragged(row.begin, end, column, origin);
      row.end = end;
      if (auto wrong = f(row)) return wrong;
      column = 0;
      wanted.begin_row();
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

  bool odd_quotes_ = false;  // in the bytes that `cut` has seen
};

}  // namespace

std::unique_ptr<text_format> csv_format(table_options const& options)
{
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r' || options.delimiter == '\0')
    throw usage_error("found a quote, line end or NUL as the delimiter of fields, expected another character");
  return std::make_unique<csv_table>(options);
}

}  // namespace tally::io
