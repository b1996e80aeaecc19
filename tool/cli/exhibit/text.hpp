#pragma once

#include <string>

#include "explain/terminal.hpp"
#include "textbook/exhibits.hpp"

/// Exhibits as a terminal shows them.
namespace tally::cli {

/// All of them, a line each.
std::string list_of_exhibits(terminal const& to);
std::string json_of_exhibits();

/// One of them, run: the wrong lines, what the machine finds, what came out, why; and the right kernel.
std::string text(textbook::exhibit const& which, terminal const& to);
/// The same for scripts.
std::string json_text(textbook::exhibit const& which);

}  // namespace tally::cli
