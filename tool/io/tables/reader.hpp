#pragma once

#include <memory>

#include "io/files/input.hpp"
#include "io/reader.hpp"
#include "io/tables/options.hpp"
#include "io/text/column_reader.hpp"

/// The readers of tables. All lines end in \n or \r\n, a byte-order mark is skipped, and blanks around a number are. A
/// row of more than 2^20 bytes, not counting the line feed that ends it, is an error, in whatever pieces it arrives.
/// Memory: at most 96 MiB, whatever the input.
///
/// Lines that begin with `comment` are no rows, and quotes in them have no meaning. The lines before the first row and
/// that row together have at most 2^20 bytes.
///
/// A cell is missing if it is empty, blank, or one of `missing.names`.
///
/// All throw data_error: no such column (the message lists the columns), two columns of that name, a missing cell
/// unless `missing` says otherwise, garbage, a NUL byte; an empty source, and a column whose name is a number although
/// `first` is `unsaid`, where the first row holds names.
namespace tally::io {

enum class table_kind {
  /// As in RFC 4180: fields may be quoted, a quote in a quoted field is doubled, quoted fields may hold delimiters and
  /// line ends. Every row must have as many fields as the first one, which holds names unless it is said to hold
  /// values. Empty lines outside of quotes are no rows.
  csv,

  /// The cells have blanks and tabs between them, as many as there are, and perhaps around them, as `ls -l`, `df` and
  /// `ps` print. A quote is a character like others. Lines without any cell are no rows. A row may have fewer cells
  /// than others: those that it lacks are missing, and a key that it lacks is empty.
  ///
  /// The first line holds names if `first` says so, or if a column is chosen by a name or a pattern. Otherwise it is a
  /// heading, which is skipped, if in some chosen column of numbers it has no cell, or one that is neither a number nor
  /// missing; if rows are counted, if it lacks the cell of a key. With first_row::values it is a row like others.
  blanks,

  /// The cells have `widths` bytes, blanks around their content included; a short line ends in blanks, and lines that
  /// are blank are no rows. The first row holds names unless it is said to hold values.
  fixed_width,

  /// One of the above, which the first line decides: with a comma it is CSV, with a tab CSV with tabs, else `blanks`.
  unsaid,
};

std::unique_ptr<reader> read_table(input source, table_kind kind, table_options const& options);

/// The same with chunks of these sizes, which never change what is read.
std::unique_ptr<reader> read_table(input source, table_kind kind, table_options const& options, chunk_sizes sizes);

/// The formats of the kinds.
std::unique_ptr<text_format> csv_format(table_options const& options);
std::unique_ptr<text_format> blank_format(table_options const& options);
std::unique_ptr<text_format> fixed_width_format(table_options const& options);

}  // namespace tally::io
