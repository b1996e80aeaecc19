#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/chunk.hpp"
#include "io/csv_reader.hpp"

namespace tally::io {

/// The layout of a table, from its first row.
struct csv_layout {
  std::size_t columns = 0;          ///< in every row
  std::vector<std::size_t> wanted;  ///< the indices of the columns to be read, ascending and distinct
  std::vector<std::size_t> values;  ///< the places in `wanted` of the columns of numbers
  std::vector<std::size_t> keys;    ///< those of the columns of group keys
  std::size_t values_at = 0;        ///< the byte behind the header
  table_head head;
};

/// Reads the first row. Throws data_error and usage_error, as read_csv does.
csv_layout read_layout(chunk const& first, csv_options const& options, std::string const& source);

}  // namespace tally::io
