#include "settings/tables.hpp"

#include "io/errors.hpp"
#include "io/numbers/number.hpp"
#include "io/tables/column_choice.hpp"
#include "settings/output.hpp"

namespace tally::cli {

namespace {

std::vector<std::string> list_of(std::string const& option, std::string const& text)
{
  try {
    return io::column_list(text);
  } catch (usage_error const& problem) {
    throw command_line_error(option + ": " + problem.what());
  }
}

void append(std::vector<std::string>& to, std::vector<std::string> const& more)
{
  to.insert(to.end(), more.begin(), more.end());
}

void read_missing(std::string const& text, io::missing_cells& missing)
{
  missing.rule = io::missing_rule::fill;
  if (text == "error") {
    missing.rule = io::missing_rule::error;
  } else if (text == "skip") {
    missing.rule = io::missing_rule::skip;
  } else if (text == "zero") {
    missing.value = "0";
  } else {
    missing.value = text;
  }
}

}  // namespace

void bind_table(parser& options, table_settings& table)
{
  options.values("--column", [&](std::string const& text) { append(table.columns, list_of("--column", text)); });
  options.value("--delimiter", [&](std::string const& text) { table.delimiter = delimiter_of("--delimiter", text); });
  options.flag("--header", table.header);
  options.flag("--no-header", table.no_header);
  options.value("--widths", [&](std::string const& text) {
    for (std::string const& width : list_elements(text))
      table.widths.push_back(static_cast<std::size_t>(whole_number("--widths", width, 1)));
  });
  options.value("--missing", [&](std::string const& text) {
    table.missing_said = true;
    read_missing(text, table.missing);
  });
  options.values("--na-strings",
                 [&](std::string const& text) { append(table.missing.names, list_of("--na-strings", text)); });
  options.flag("--count-missing", table.count_missing);
  options.value("--comment", [&](std::string const& text) {
    if (text.empty() || text.find_first_of("\r\n") != text.npos)
      throw command_line_error("--comment: found '" + text + "', expected the beginning of a line, such as '#'");
    table.comment = text;
  });
}

void bind_all_columns(parser& options, table_settings& table)
{
  options.flag("--all", table.all_columns);
}

void bind_keys(parser& options, table_settings& table)
{
  options.values("--by", [&](std::string const& text) { append(table.keys, list_of("--by", text)); });
}

void bind_weights(parser& options, table_settings& table)
{
  options.value("--weights", [&](std::string const& text) {
    table.weights = list_of("--weights", text);
    if (table.weights.size() > 1) throw command_line_error("--weights: found '" + text + "', expected one column");
  });
}

void check_table(table_settings const& table, bool has_table, bool has_text)
{
  auto const refuse = [](std::string const& option, std::string const& input) {
    throw command_line_error(option + " is for " + input);
  };
  std::string const tables = "tables (--input-format csv, tsv or blanks)";
  if (table.header && table.no_header) throw command_line_error("--header and --no-header exclude each other");
  if (table.all_columns && !table.columns.empty()) throw command_line_error("--all and --column exclude each other");
  if (!table.columns.empty() && !has_table) refuse("--column", tables);
  if (table.all_columns && !has_table) refuse("--all", tables);
  if (!table.keys.empty() && !has_table) refuse("--by", tables);
  if (!table.weights.empty() && !has_table) refuse("--weights", tables);
  if (table.delimiter && !has_table) refuse("--delimiter", tables);
  if (table.delimiter && !table.widths.empty()) throw command_line_error("--delimiter and --widths exclude each other");
  if (table.header && !has_table) refuse("--header", tables);
  if (table.no_header && !has_table) refuse("--no-header", tables);
  if (has_table || has_text) return;
  if (table.missing_said) refuse("--missing", "tables and text");
  if (!table.missing.names.empty()) refuse("--na-strings", "tables and text");
  if (!table.comment.empty()) refuse("--comment", "tables and text");
  if (table.count_missing) refuse("--count-missing", "tables and text");
}

void check_missing(io::missing_cells const& missing, io::number_reading const& numbers)
{
  if (missing.rule != io::missing_rule::fill) return;
  try {
    io::parse_number(missing.value, "--missing", numbers);
  } catch (io::data_error const& problem) {
    std::string const wrong = "--missing: '" + missing.value + "' is ";
    if (numbers.plain()) throw command_line_error(wrong + "none of error, skip, zero, nan, and no number");
    throw command_line_error(wrong + "neither error nor skip, nor " + problem.expected());
  }
}

io::table_options reader_options(table_settings const& table)
{
  io::table_options options;
  if (table.delimiter) options.delimiter = *table.delimiter;
  if (table.header) options.first = io::first_row::names;
  if (table.no_header) options.first = io::first_row::values;
  options.columns = table.columns;
  options.all = table.all_columns;
  if (!table.several_columns) options.most_columns = 1;
  options.rows = table.count_rows;
  options.keys = table.keys;
  options.distinct_keys = table.distinct_keys;
  options.behind = table.weights;
  options.widths = table.widths;
  options.missing = table.missing;
  options.comment = table.comment;
  return options;
}

}  // namespace tally::cli
