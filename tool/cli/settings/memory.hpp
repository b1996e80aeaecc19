#pragma once

#include <cstddef>
#include <string>

namespace tally::cli {

/// The bytes that `--memory` means: a whole number, and K, M, G or T behind it for 2^10, 2^20, 2^30 or 2^40 bytes.
/// Throws `command_line_error`.
std::size_t memory_of(std::string const& text);

/// A quarter of the machine's memory.
std::size_t default_memory();

}  // namespace tally::cli
