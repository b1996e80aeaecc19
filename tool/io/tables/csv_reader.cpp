#include <algorithm>
#include <cstddef>
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
  explicit csv_table(table_options options) : table_format(std::move(options), skipped_lines::besides_comments::empty)
  {
  }

  /// Cuts behind the last line feed that is not within quotes. Every chunk begins outside of quotes.
  std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) override
  {
    if (skipped_.has_mark()) return behind_a_row(bytes, cut_between_comments(bytes, size, seen));
    if (seen == 0) odd_quotes_ = false;
    odd_quotes_ ^= count_bytes(bytes + seen, bytes + size, '"') % 2 != 0;
    bool inside = odd_quotes_;
    for (std::size_t end = size; end > seen; --end) {
      char const byte = bytes[end - 1];
      if (byte == '"') inside = !inside;
      if (byte == '\n' && !inside) return behind_a_row(bytes, end);
    }
    return 0;
  }

  std::size_t lay_out_first_row(chunk const& first, std::size_t at, std::string const& source)
  {
    first_cells const row = read_first_row(first, at, options_.delimiter, source);
    bool named = options_.first != first_row::values;
    if (options_.first == first_row::values_if_numbers) {
      layout_ = lay_out(row, false, first, options_, source);
      // Numbers like 4.0K are no names either: the error at the first one says how to read them.
      number_reading scaled = options_.numbers;
      scaled.notation = number_notation::iec;
      named = !has_numbers(row) && !has_numbers(row, scaled);
    }
    if (named || options_.first == first_row::values) layout_ = lay_out(row, named, first, options_, source);
    return layout_.values_at;
  }

  void empty(std::string const& source) override
  {
    bool const needs_header = options_.first == first_row::unsaid || options_.first == first_row::names;
    if (needs_header) throw data_error({source, 1}, "nothing", "a header");
    layout_ = lay_out_nothing(options_);
  }

  /// A row has a byte behind each cell, and one in each cell with a number; the last row may lack its end. A table of
  /// empty lines alone has no columns.
  std::size_t most_rows(std::size_t bytes) const
  {
    bool const may_be_empty = options_.rows || options_.missing.rule == missing_rule::fill;
    return bytes / std::max<std::size_t>(layout_.columns + (may_be_empty ? 0 : 1), 1) + 1;
  }

  template <class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    auto const size = in.text.size();
    bool const quotes = std::memchr(in.text.begin(), '"', size) != nullptr;
    char const* const limit = in.text.end();
    for (char const* from = in.text.begin() + in.start; from < limit;) {
      char const* const to = begin_of_comment(from, limit);
      auto wrong = quotes ? for_each_row<true>(in, from, to, f) : for_each_row<false>(in, from, to, f);
      if (wrong) return wrong;
      if (to < limit && in.text.overlong)
        return offence{static_cast<std::size_t>(to - in.text.begin()),
                       "a comment of more than " + std::to_string(limit - to - 1) + " bytes", "a shorter one"};
      from = to < limit ? skipped_.behind_line(to, limit) : limit;
    }
    return std::nullopt;
  }

private:
  /// Calls f with the rows of [begin, limit), a part of the chunk without comments.
  template <bool Quotes, class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, char const* begin, char const* limit, F f) const
  {
    char const* const origin = in.text.begin();
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
      if (!found && in.text.overlong && limit == in.text.end())
        return overlong_row(row.begin, begin, limit, origin, options_.delimiter);
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
      bool const is_empty = row.begin == end;
      if (!is_empty && column != layout_.columns) return ragged(row.begin, end, column, origin);
      row.end = end;
      if (!is_empty)
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
    bool const is_comment = !skipped_.has_mark() && row < end && *row == '#';
    return {static_cast<std::size_t>(row - origin), "a row of " + fields(columns),
            fields(layout_.columns) + (is_comment         ? option_for_comments
                                       : options_.guessed ? option_for_blanks
                                                          : "")};
  }

  /// The byte behind the line in which the row that begins there ends; null if that is not in the text.
  static char const* behind_row(char const* begin, char const* end)
  {
    bool inside = false;
    for (char const* at = begin; at < end;) {
      char const* const next = skipped_lines::behind_line(at, end);
      inside ^= count_bytes(at, next, '"') % 2 != 0;
      if (!inside && next[-1] == '\n') return next;
      at = next;
    }
    return nullptr;
  }

  /// The first comment in a text that begins with a row or a comment; the end of the text if there is none.
  char const* begin_of_comment(char const* begin, char const* end) const
  {
    if (!skipped_.has_mark()) return end;
    while (begin && begin < end && !skipped_.is_comment(begin, end)) begin = behind_row(begin, end);
    return begin ? begin : end;
  }

  /// Quotes in comments have no meaning: the lines are looked at one after the other.
  std::size_t cut_between_comments(char const* bytes, std::size_t size, std::size_t seen)
  {
    if (seen == 0) rows_end_ = 0;
    for (char const* const end = bytes + size;;) {
      char const* const at = bytes + rows_end_;
      bool const is_comment = skipped_.is_comment(at, end);
      char const* const next = is_comment ? skipped_.behind_line(at, end) : behind_row(at, end);
      if (!next || next == at || next[-1] != '\n') return rows_end_;
      rows_end_ = static_cast<std::size_t>(next - bytes);
    }
  }

  bool odd_quotes_ = false;   // in the bytes that `cut` has seen
  std::size_t rows_end_ = 0;  // where there may be comments, the end of the last row in these bytes
};

}  // namespace

std::unique_ptr<text_format> csv_format(table_options const& options)
{
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r' || options.delimiter == '\0')
    throw usage_error("found a quote, line end or NUL as the delimiter of fields, expected another character");
  return std::make_unique<csv_table>(options);
}

}  // namespace tally::io
