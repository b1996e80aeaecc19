#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "settings/settings.hpp"
#include "values.hpp"

namespace tally::cli {

/// Text that stands in the output as it is, with its own delimiters and quotes.
struct verbatim {
  std::string_view text;
};

/// A cell of a table: nothing, the text of a field, fields as they stand in the input, or a result.
using cell = std::variant<std::monostate, std::string_view, verbatim, result>;

/// A column's name, and whether its cells are results, which markdown sets to the right.
struct table_column {
  std::string name;
  bool holds_results = true;
  io::number_style style = {};  ///< of the results
};

/// A format of tables. It has no state, so several threads may format rows at once; their texts follow each other in
/// the output.
class row_format {
public:
  virtual ~row_format() = default;
  row_format(row_format const&) = delete;
  row_format& operator=(row_format const&) = delete;

  /// The text before the first row.
  virtual std::string head() const { return {}; }
  /// Appends a row. Requires: as many cells as there are columns.
  virtual void row(std::string& to, std::span<cell const> cells) const = 0;
  /// The text behind the last row.
  virtual std::string tail() const { return {}; }

  /// The text between two rows; `row` does not write it.
  virtual std::string_view between() const { return {}; }
  /// Whether the output can only be written when all rows are known: then `arranged` makes it of their text.
  virtual bool needs_all() const { return false; }
  virtual std::string arranged(std::string text) const { return text; }

protected:
  row_format() = default;
};

/// The rows of a delimited table. A field is quoted as in RFC 4180 if it would not stay one field of one line.
struct delimited {
  char delimiter;
  bool has_header = true;
  std::string line_end = "\n";
};

/// The format of `output.format`: text, csv, tsv, jsonl, markdown or table. Text has a header if `named`; csv, tsv,
/// markdown and table always have one.
std::unique_ptr<row_format> make_row_format(output_settings const& output, std::vector<table_column> columns,
                                            bool named);

std::unique_ptr<row_format> make_delimited(delimited how, std::vector<table_column> columns);
/// An object a line. A field of the input that JSON reads as a number is one, any other a string.
std::unique_ptr<row_format> make_json_lines(std::vector<table_column> columns);
/// One object: {"by":"region","groups":[{"key":"north","sum":15},...]}. The first `keys` columns are the keys, which
/// are strings; several of them are an array.
std::unique_ptr<row_format> make_json_groups(std::vector<table_column> columns, std::size_t keys);
/// One object: {"columns":["sum","max"],"rows":[[1,1],[3,2]]}.
std::unique_ptr<row_format> make_json_rows(std::vector<table_column> columns);
/// GitHub's tables: pipes are escaped, line ends are <br>.
std::unique_ptr<row_format> make_markdown(std::vector<table_column> columns);
/// Columns of even width, two blanks apart, numbers to the right. Control characters are written as \n, \t, \x1b.
std::unique_ptr<row_format> make_aligned(std::vector<table_column> columns);

/// The text of a field or of a result; empty for nothing.
std::string text_of(cell const& from, table_column const& column);

/// Whether the text is a number in JSON.
bool is_json_number(std::string_view text);

}  // namespace tally::cli
