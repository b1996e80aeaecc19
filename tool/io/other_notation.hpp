#pragma once

#include <string>
#include <string_view>

namespace tally::io {

/// The options that would read a token which is no plain number, for its message: " (--from si or iec reads it)".
/// Empty if there are none.
std::string options_to_read(std::string_view token);

}  // namespace tally::io
