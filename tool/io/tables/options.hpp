#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "io/reader.hpp"
#include "io/tables/missing.hpp"

namespace tally::io {

/// The content of the first row of a table.
enum class first_row {
  unsaid,  ///< names; an error if that of a column of numbers is a number, which may be data
  names,
  values,
  values_if_numbers,  ///< values if those of the columns of numbers are numbers or missing, else names
};

/// The columns to be read from a table, and how. Columns are chosen as column_choice.hpp says.
struct table_options {
  char delimiter = ',';
  first_row first = first_row::unsaid;
  std::vector<std::string> columns = {};                               ///< of numbers; none stands for the first one
  bool all = false;                                                    ///< all columns but those of keys
  std::size_t most_columns = std::numeric_limits<std::size_t>::max();  ///< that may be chosen
  bool rows = false;  ///< the rows are counted: the only column of numbers has a 1 for each, whatever its cells
  std::vector<std::string> keys = {};  ///< the columns of the group keys, if groups are wanted
  /// A key has one name in a batch. If not, it may have several where most rows have a key that is new in the batch:
  /// then the keys are not looked up.
  bool distinct_keys = true;
  std::vector<std::string> behind = {};  ///< a column of numbers behind the chosen ones, if one is wanted
  bool guessed = false;                  ///< a comma or a tab in the first line has said that the table is CSV
  std::vector<std::size_t> widths = {};  ///< of the columns of a table of fixed width, in bytes
  missing_cells missing = {};
  std::string comment = {};  ///< lines that begin with it are no rows; empty for none
  bool lines = false;        ///< whether batches have the text of their rows
  number_reading numbers = {};
  std::vector<bool> floating = {};  ///< the columns of numbers that are known to hold doubles, from an earlier file
  int threads = 0;
};

}  // namespace tally::io
