#pragma once

#include <memory>

#include "io/files/output.hpp"
#include "io/writer.hpp"
#include "operations/operation.hpp"

namespace tally::cli {

/// Writes {"op":"sum","values":[1,3,6]}, each value as it arrives.
std::unique_ptr<io::writer> write_json_values(io::output to, operation op, io::number_style const& style);

}  // namespace tally::cli
