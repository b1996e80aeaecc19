#pragma once

#include <memory>
#include <string>

#include "plot/picture.hpp"
#include "table/row_format.hpp"

namespace tally::cli {

/// A bar of block characters in steps of an eighth, `share` of `width` long. A share above zero has at least one step.
std::string bar(double share, std::size_t width);

/// A table drawn: a bar for each row, which has keys and one result.
std::unique_ptr<row_format> make_bars(std::vector<table_column> columns, picture as);

}  // namespace tally::cli
