#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tally::cli {

/// The command that a word is short for, with its first options: `sum` stands for `reduce --op sum`, `cumsum` for
/// `scan --op sum`. Any --op has both, but those for scans
/// alone, which are `scan` without `cum`; cumprod stands beside cumproduct.
std::optional<std::vector<std::string>> long_form(std::string const& word);

/// " (did you mean 'mean'?)" for `avg`, or nothing: the operation that a word may mean. Of a list it says which element
/// is none.
std::string suggested_operation(std::string const& word);

}  // namespace tally::cli
