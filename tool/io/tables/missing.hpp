#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "io/numbers/reading.hpp"

namespace tally::io {

/// The fate of a row's missing cell.
enum class missing_rule {
  error,
  skip,  ///< the row has no value
  fill,  ///< the row has the value that `missing_cells::value` is the text of
};

/// The cells of a table that are missing, besides those that are empty or blank, and their fate. In a text of numbers,
/// the tokens.
struct missing_cells {
  missing_rule rule = missing_rule::error;
  std::string value = {};
  std::vector<std::string> names = {};

  bool is_name(std::string_view cell) const
  {
    return !names.empty() && std::find(names.begin(), names.end(), cell) != names.end();
  }
};

/// The words for what is expected in the place of a missing cell; `where` names its column.
inline std::string expected_instead(number_reading const& how, std::string const& where = {})
{
  if (how.plain()) return "a number" + where + " (or --missing skip, zero, nan or a number)";
  return expected_number(how) + where + " (or --missing skip, or such a value)";
}

}  // namespace tally::io
