#pragma once

#include <vector>

#include "textbook/exhibits.hpp"

namespace tally::cli {

/// Runs both kernels of an exhibit. Throws `error` if the right one is wrong.
textbook::exhibit_run run_of(textbook::exhibit const& which);

/// The findings, each once: the first of those that differ only in threads and elements, with their number.
std::vector<model::finding> without_repeats(std::vector<model::finding> all);

}  // namespace tally::cli
