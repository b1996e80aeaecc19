#pragma once

#include <string>
#include <string_view>

#include "io/numbers/reading.hpp"

namespace tally::io {

/// The options that would read a token which `how` does not, for its message: " (--from si or --from iec reads it)".
/// Empty if there are none.
std::string options_to_read(std::string_view token, number_reading const& how);

/// The same for a word of text. Letters may be a cell of a table. A time of day among dates may be the rest of one:
/// "2026-11-23 10:30".
std::string options_to_read_word(std::string_view word, number_reading const& how);

}  // namespace tally::io
