#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tally::cli {

/// Takes the fields from the text of a table's row, which a reader has found in order: fields that may be quoted
/// (RFC 4180) with a delimiter between, or with any number of blanks and tabs if that is a blank.
class input_row {
public:
  /// The fields, valid as long as the row and until the next call.
  std::vector<std::string_view> const& split(std::string_view row, char delimiter);

private:
  std::string_view take_quoted(std::string_view& row);

  std::vector<std::string_view> fields_;
  std::deque<std::string> copies_;  // of fields with doubled quotes
};

}  // namespace tally::cli
