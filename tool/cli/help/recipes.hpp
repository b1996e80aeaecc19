#pragma once

#include <string>

namespace tally::cli {

/// docs/recipes.md for a terminal: headings without their marks, code indented.
std::string recipes_text();
/// The same for man, as roff.
std::string recipes_manual();

}  // namespace tally::cli
