#pragma once

#include <string>

#include "explain/terminal.hpp"
#include "textbook/exhibits.hpp"

/// Exhibits as a terminal shows them.
namespace tally::cli {

/// The list of all exhibits, one a line.
std::string list_of_exhibits(terminal const& to);
std::string json_of_exhibits();

/// A run of one exhibit: the wrong lines, the findings, the result and the reason; then the right kernel.
std::string text(textbook::exhibit const& which, terminal const& to);
/// The same for scripts.
std::string json_text(textbook::exhibit const& which);

}  // namespace tally::cli
