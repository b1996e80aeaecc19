#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/tables/options.hpp"

/// The columns of a table, as users name them. An item of a list is, in this order:
///
/// - the name of a column in the header,
/// - the number of a column, the first being 1,
/// - a range of numbers `2-4`, or of names or numbers `from:to`; an end that is left out is that of the table,
/// - a pattern of names with * ? [...], as in a shell.
///
/// A range or a pattern leaves out the columns of keys, the one of `behind`, and those chosen before it. Without a
/// header there are numbers only.
namespace tally::io {

/// The items of a list, which is a row of a CSV table: an item with a comma stands in quotes. Throws usage_error.
std::vector<std::string> column_list(std::string_view list);

/// Whether the item chooses by numbers alone.
bool is_of_numbers(std::string_view item);

/// The greatest number in an item of numbers; 0 for others.
std::size_t greatest_number(std::string_view item);

/// 'a', 'b' and 37 more
std::string list_of(std::vector<std::string> const& names);

/// The columns of a table and the header's line number for messages.
struct table_columns {
  std::vector<std::string> const& cells;  ///< of the first row
  bool named;                             ///< whether they are names
  bool guessed;                           ///< table_options::guessed
  std::string const& source;
};

/// Behind a message about the columns of a table that may be one with blanks.
inline constexpr char const* option_for_blanks = " (--input-format blanks takes cells between blanks)";

/// Whether a column is chosen by a name or a pattern.
bool chosen_by_name(table_options const& options);

/// The indices of the columns of keys, and of those of numbers. Throws data_error and usage_error.
std::vector<std::size_t> key_columns(table_options const& options, table_columns const& table);
std::vector<std::size_t> number_columns(table_options const& options, table_columns const& table,
                                        std::vector<std::size_t> const& keys);

}  // namespace tally::io
