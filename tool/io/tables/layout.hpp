#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/tables/options.hpp"
#include "io/text/chunk.hpp"

namespace tally::io {

/// The cells of a table's first row.
struct first_cells {
  std::vector<std::string> cells;
  std::vector<std::size_t> begins;  ///< in the text
  std::size_t begin = 0;            ///< the first byte of the row
  std::size_t end = 0;              ///< the byte behind the row
};

/// The layout of a table, from its first row.
struct table_layout {
  std::size_t columns = 0;          ///< in every row
  std::vector<std::size_t> wanted;  ///< the indices of the columns to be read, ascending and distinct
  std::vector<std::size_t> values;  ///< the places in `wanted` of the columns of numbers
  std::vector<std::size_t> keys;    ///< those of the columns of group keys
  std::size_t values_at = 0;        ///< the byte behind the header
  std::vector<std::string> where;   ///< of each column of numbers, what messages say behind "expected a number"
  table_head head;
};

/// The layout of a table whose first row holds names, or values. Throws data_error and usage_error: no such column, two
/// columns of that name, a column whose name is a number if that may be data.
table_layout lay_out(first_cells const& row, bool named, chunk const& first, table_options const& options,
                     std::string const& source);

/// The layout of a table without any row.
table_layout lay_out_nothing(table_options const& options);

/// The place of a byte of the first chunk.
location place_in(chunk const& first, std::size_t at, std::string const& source);

}  // namespace tally::io
