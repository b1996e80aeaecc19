#pragma once

#include <vector>

#include "textbook/exhibits.hpp"

namespace tally::cli {

/// What an exhibit does. Throws `error` if its right kernel is wrong.
textbook::exhibit_run run_of(textbook::exhibit const& which);

/// The findings, those that differ only in threads and elements together, as the first of them.
std::vector<model::finding> grouped(std::vector<model::finding> all);

}  // namespace tally::cli
