#pragma once

#include <string>

#include "explain/terminal.hpp"

namespace tally::cli {

/// The words of the textbook, by subject, for a reader and for scripts.
std::string glossary_text(terminal const& to);
std::string glossary_json();

}  // namespace tally::cli
