#pragma once

#include "output/json.hpp"
#include "tally/model/report.hpp"

namespace tally::cli {

/// A finding of the machine as JSON, in which `file` is that of the textbook.
json finding_of(model::finding const& of);

}  // namespace tally::cli
