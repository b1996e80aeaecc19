#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/element_type.hpp"
#include "io/number.hpp"
#include "operation.hpp"

namespace tally::cli {

/// Why the CPU does an operation on values of `type` (nothing: text) though a GPU was asked for; nothing if the GPU
/// does it.
std::optional<std::string> gpu_refuses(operation op, std::optional<io::element_type> type,
                                       std::optional<io::number> const& init);

/// What is said of the operations that the CPU does: "the CPU does argmin and count: the GPU has ...", once for each
/// reason.
std::vector<std::string> refusals(std::vector<operation> const& operations, std::optional<io::element_type> type,
                                  std::optional<io::number> const& init);

}  // namespace tally::cli
