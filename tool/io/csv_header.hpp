#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/chunk.hpp"
#include "io/csv_reader.hpp"

namespace tally::io {

/// The layout of a table, from its first row.
struct csv_layout {
  std::size_t columns = 0;         ///< in every row
  std::size_t column = 0;          ///< the index of the column of numbers
  std::optional<std::size_t> key;  ///< that of the column of group keys
  std::size_t values_at = 0;       ///< the byte behind the header
};

/// Reads the first row. Throws data_error and usage_error, as read_csv does.
csv_layout read_layout(chunk const& first, csv_options const& options, std::string const& source);

}  // namespace tally::io
