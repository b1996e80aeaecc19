#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/numbers/reading.hpp"
#include "io/tables/missing.hpp"
#include "io/tables/options.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

/// The columns of tables that are read, and the way in which they are.
struct table_settings {
  std::vector<std::string> columns;  ///< of numbers, as io/column_choice.hpp says; none stands for the first one
  bool all_columns = false;          ///< those of numbers are all but the keys
  bool several_columns = false;      ///< the command takes several columns of numbers
  bool count_rows = false;           ///< rows are counted, and none of their cells is a number
  std::vector<std::string> keys;     ///< the columns of the groups' keys
  bool distinct_keys = true;         ///< see io::table_options
  std::vector<std::string> weights;  ///< the column of weights, if there is one
  std::optional<char> delimiter;
  bool header = false;              ///< the first row of a table holds names, even if they are numbers
  bool no_header = false;           ///< the first row holds values
  std::vector<std::size_t> widths;  ///< of the columns of a table of fixed width
  io::missing_cells missing;
  std::string comment;         ///< lines that begin with it are skipped; empty for none
  bool missing_said = false;   ///< --missing is given
  bool count_missing = false;  ///< the numbers of missing cells are printed

  /// Whether any option of tables is given.
  bool gives_options() const
  {
    return choose_columns() || delimiter || header || no_header || !widths.empty() || missing_said ||
           !missing.names.empty() || count_missing || !comment.empty();
  }
  /// Whether an option says that the input is a table, although nothing else does.
  bool choose_columns() const { return !columns.empty() || all_columns || !keys.empty() || !weights.empty(); }
};

/// Binds the options of `table_options` that every command with a column of numbers has.
void bind_table(parser& options, table_settings& table);
/// Binds --all, for commands that take several columns.
void bind_all_columns(parser& options, table_settings& table);
/// Binds --by.
void bind_keys(parser& options, table_settings& table);
/// Binds --weights.
void bind_weights(parser& options, table_settings& table);

/// Throws `command_line_error` if options are given that need a table, and there is none; or numbers in text, and there
/// are none.
void check_table(table_settings const& table, bool has_table, bool has_text);

/// Throws `command_line_error` if missing cells are taken as a text that is no number.
void check_missing(io::missing_cells const& missing, io::number_reading const& numbers);

/// The options of a reader. The delimiter is that for CSV.
io::table_options reader_options(table_settings const& table);

}  // namespace tally::cli
