#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/errors.hpp"
#include "io/numbers/other_notation.hpp"
#include "io/numbers/padded_token.hpp"
#include "io/tables/column_choice.hpp"
#include "io/tables/csv_row.hpp"
#include "io/tables/layout.hpp"
#include "io/text/column_reader.hpp"
#include "io/text/skipped_lines.hpp"

namespace tally::io {

inline bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

inline csv_field without_blanks(csv_field field)
{
  while (field.begin < field.end && is_blank(*field.begin)) ++field.begin;
  while (field.begin < field.end && is_blank(field.end[-1])) --field.end;
  return field;
}

/// The wanted cells of a row, in the order of table_layout::wanted. A cell that a short row does not have begins at
/// null.
struct row_cells {
  std::vector<csv_field> fields;
  char const* begin = nullptr;  ///< of the row
  char const* end = nullptr;    ///< without the end of its line

  csv_field const& operator[](std::size_t place) const { return fields[place]; }
  std::string_view line() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

/// The part that the formats of tables share: it takes the cells of rows to their columns. The derived class `Rows` has
///
///     template <class F> std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
///     std::size_t most_rows(std::size_t bytes) const
///     std::size_t lay_out_first_row(chunk const& first, std::size_t at, std::string const& source)
///
/// which calls f(row_cells) with each row until that returns an offence, and returns that offence or one of the rows
/// themselves; and which says how many values a column can have in so many bytes;
/// and which makes the layout of the first row, at byte `at`, and returns where its values begin.
template <class Rows>
class table_format : public text_format {
public:
  std::size_t begin(chunk const& first, std::string const& source) final
  {
    begun_ = true;
    std::size_t const at = skipped_.before_data(first.begin(), first.end(), true);
    if (at < first.size()) return static_cast<Rows&>(*this).lay_out_first_row(first, at, source);
    if (first.overlong)
      throw data_error({source, 1}, "more than " + std::to_string(first.size() - 1) + " bytes without a row", "a row");
    empty(source);
    return at;
  }

  std::size_t columns() const final { return layout_.values.size(); }
  table_head const* head() const final { return &layout_.head; }

  void parse(parsed_chunk& into, std::span<number_reading const> numbers) const final
  {
    for (std::size_t c = 0; c < numbers.size(); ++c)
      into.columns[c].begin(rows().most_rows(into.text.size()), numbers[c]);
    into.rows = 0;
    into.keys.clear(options_.distinct_keys);
    into.lines.clear();
    into.wrong = rows().for_each_row(into, [&](row_cells const& row) -> std::optional<offence> {
      for (std::size_t c = 0; c < numbers.size(); ++c)
        if (auto wrong = take(row, c, into)) return wrong;
      take_key(row, into.keys);
      if (options_.lines) into.lines.push_back(row.line());
      ++into.rows;
      return std::nullopt;
    });
    for (parsed_column& column : into.columns) column.values.end();
  }

  std::size_t locate(parsed_chunk const& in, std::size_t row, std::size_t column) const final
  {
    std::size_t at = 0;
    rows().for_each_row(in, [&](row_cells const& found) -> std::optional<offence> {
      at = place_of(found, without_blanks(found[layout_.values[column]]), in);
      return row-- > 0 ? std::nullopt : std::optional(offence{});
    });
    return at;
  }

protected:
  table_format(table_options options, skipped_lines::besides_comments also)
      : options_(std::move(options)),
        skipped_(options_.comment, also),
        value_(options_.rows ? "1" : options_.missing.value)
  {
  }

  /// A place where the text may be cut, or 0 if there is no row before it, where the first one is still to come.
  std::size_t behind_a_row(char const* bytes, std::size_t place) const
  {
    return !begun_ && place > 0 && skipped_.before_data(bytes, bytes + place, false) == place ? 0 : place;
  }

  /// Whether the cells of the first row in the columns of numbers are numbers, or missing ones that have a name.
  bool has_numbers(first_cells const& row) const { return has_numbers(row, options_.numbers); }
  /// The same, where numbers are read as `how` says.
  bool has_numbers(first_cells const& row, number_reading const& how) const
  {
    return std::ranges::all_of(layout_.values, [&](std::size_t place) {
      std::string const& cell = row.cells[layout_.wanted[place]];
      return is_number(without_blanks({cell.data(), cell.data() + cell.size(), false}).view(), how) ||
             options_.missing.is_name(cell);
    });
  }

  table_options options_;
  skipped_lines skipped_;
  table_layout layout_;

private:
  Rows const& rows() const { return static_cast<Rows const&>(*this); }

  static std::size_t place_of(row_cells const& row, csv_field const& cell, parsed_chunk const& in)
  {
    return static_cast<std::size_t>((cell.begin ? cell.begin : row.end) - in.text.begin());
  }

  std::optional<offence> take(row_cells const& row, std::size_t c, parsed_chunk& into) const
  {
    if (options_.rows) {
      into.columns[c].add(into.rows, value_.begin(), value_.end());
      return std::nullopt;
    }
    csv_field const cell = without_blanks(row[layout_.values[c]]);
    if (cell.begin == cell.end || options_.missing.is_name(cell.view())) return take_missing(row, cell, c, into);
    parsed_column& column = into.columns[c];
    if (column.add(into.rows, cell.begin, cell.end)) return std::nullopt;
    offence wrong = column.values.refusal(place_of(row, cell, into), cell.begin, cell.end);
    wrong.expected += layout_.where[c];
    if (looks_missing(cell.view()))
      wrong.expected += " (--na-strings " + std::string(cell.view()) + " takes it as missing)";
    else
      wrong.expected += looks_commented(row) ? option_for_comments : options_to_read(cell.view(), options_.numbers);
    return wrong;
  }

  std::optional<offence> take_missing(row_cells const& row, csv_field const& cell, std::size_t c,
                                      parsed_chunk& into) const
  {
    parsed_column& column = into.columns[c];
    std::size_t const at = place_of(row, cell, into);
    switch (options_.missing.rule) {
      case missing_rule::skip: column.leave_out(into.rows); return std::nullopt;
      case missing_rule::fill:
        ++column.missing;
        if (column.add(into.rows, value_.begin(), value_.end())) return std::nullopt;
        return offence{at, "a missing cell, which --missing takes as " + describe(options_.missing.value),
                       column.values.refusal(at, value_.begin(), value_.end()).expected + layout_.where[c]};
      case missing_rule::error: break;
    }
    std::string const found = !cell.begin              ? "a row that ends before the cell"
                              : cell.begin == cell.end ? "an empty field"
                                                       : describe(cell.view()) + ", which is missing";
    return offence{at, found, expected_instead(options_.numbers, layout_.where[c])};
  }

  bool looks_commented(row_cells const& row) const { return !skipped_.has_mark() && row.line().starts_with('#'); }

  /// Whether other programs write this for a missing cell.
  static bool looks_missing(std::string_view cell)
  {
    for (std::string_view const name : {"NA", "N/A", "n/a", "na", "#N/A", "null", "NULL", "None", "NaT", "-", ".", "?"})
      if (cell == name) return true;
    return false;
  }

  void take_key(row_cells const& row, key_table& keys) const
  {
    if (layout_.keys.empty()) return;
    csv_field const& first = row[layout_.keys[0]];
    if (layout_.keys.size() == 1 && !first.doubled) return keys.add(first.view());
    std::string key = first.text();
    for (std::size_t k = 1; k < layout_.keys.size(); ++k) (key += '\0') += row[layout_.keys[k]].text();
    keys.add_copy(std::move(key));
  }

  bool begun_ = false;
  padded_token value_;  // of missing cells, or of every row
};

/// Finds the wanted columns among those of a row, which come one after the other.
class wanted_columns {
public:
  explicit wanted_columns(std::vector<std::size_t> const& wanted) : wanted_(wanted)
  {
    wanted_.push_back(~std::size_t(0));  // no row reaches it
  }
  /// The number of wanted columns.
  std::size_t size() const { return wanted_.size() - 1; }
  /// The number of them that the row has had.
  std::size_t found() const { return place_; }
  /// If the column is wanted, its place.
  std::optional<std::size_t> place_of(std::size_t column)
  {
    return column == wanted_[place_] ? std::optional(place_++) : std::nullopt;
  }
  void begin_row() { place_ = 0; }

private:
  std::vector<std::size_t> wanted_;
  std::size_t place_ = 0;
};

/// Calls f(begin, end) with each line of a chunk that is not skipped, without its end, until it returns an offence.
/// Returns that, or the offence of a NUL byte or of a line that is too long.
template <class F>
std::optional<offence> for_each_line(parsed_chunk const& in, skipped_lines const& skipped, F f)
{
  char const* const origin = in.text.begin();
  char const* const limit = in.text.end();
  char const* begin = origin + in.start;
  auto const find = [limit](char const* from, char byte) {
    return static_cast<char const*>(std::memchr(from, byte, static_cast<std::size_t>(limit - from)));
  };
  char const* const nul = begin < limit ? find(begin, '\0') : nullptr;
  while (begin < limit) {
    char const* const newline = find(begin, '\n');
    if (!newline && in.text.overlong)
      return offence{static_cast<std::size_t>(begin - origin),
                     "a row of more than " + std::to_string(limit - begin - 1) + " bytes", "a shorter one"};
    char const* end = newline ? newline : limit;
    if (nul && nul < end) return offence{static_cast<std::size_t>(nul - origin), "a NUL byte", "text"};
    if (end > begin && end[-1] == '\r') --end;
    if (!skipped.has(begin, end))
      if (auto wrong = f(begin, end)) return wrong;
    begin = newline ? newline + 1 : limit;
  }
  return std::nullopt;
}

/// The formats whose rows are lines, of which those without any cell are none.
template <class Rows>
class table_of_lines : public table_format<Rows> {
public:
  /// Behind the last line feed.
  std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) final
  {
    auto const* const last = static_cast<char const*>(memrchr(bytes + seen, '\n', size - seen));
    return last ? this->behind_a_row(bytes, static_cast<std::size_t>(last - bytes) + 1) : 0;
  }

  /// A row has at least a byte, and the end of its line; the last one may lack that.
  std::size_t most_rows(std::size_t bytes) const { return bytes / 2 + 1; }

protected:
  explicit table_of_lines(table_options options)
      : table_format<Rows>(std::move(options), skipped_lines::besides_comments::blank)
  {
    this->options_.delimiter = ' ';
  }

  /// The byte behind the end of the line whose text ends at `end`.
  static std::size_t behind_line(chunk const& text, char const* end)
  {
    auto const* const newline =
        static_cast<char const*>(std::memchr(end, '\n', static_cast<std::size_t>(text.end() - end)));
    return newline ? static_cast<std::size_t>(newline - text.begin()) + 1 : text.size();
  }
};

/// The first line of a table, which begins at byte `at` of the chunk, [begin, end) without its end; throws
/// data_error if it holds a NUL byte or is too long.
std::string_view first_line(chunk const& first, std::size_t at, std::string const& source);

}  // namespace tally::io
