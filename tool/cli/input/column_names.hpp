#pragma once

#include <string>
#include <vector>

namespace tally::cli {

/// The names in the header of the first table among the words of a command line, for the completion of --column. A
/// table is a file whose ending says so. Nothing where there is none, or where it cannot be read.
std::vector<std::string> column_names(std::vector<std::string> const& words);

}  // namespace tally::cli
