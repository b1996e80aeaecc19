#pragma once

#include <string>

#include "io/tables/layout.hpp"
#include "io/text/chunk.hpp"

namespace tally::io {

/// The cells of the first row of a CSV table, which begins at byte `at` of its first chunk. Throws data_error, as the
/// reader does.
first_cells read_first_row(chunk const& first, std::size_t at, char delimiter, std::string const& source);

}  // namespace tally::io
