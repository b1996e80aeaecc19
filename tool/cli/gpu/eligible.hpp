#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/element_type.hpp"
#include "io/numbers/number.hpp"
#include "operations/operation.hpp"

namespace tally::cli {

/// The reason why the GPU does not do an operation on values of `type` (nothing: text); nothing if it does.
std::optional<std::string> gpu_refuses(operation op, std::optional<io::element_type> type,
                                       std::optional<io::number> const& init);

/// The message about operations that the CPU does: "the CPU does argmin and count: the GPU has ...", once for each
/// reason.
std::vector<std::string> refusals(std::vector<operation> const& operations, std::optional<io::element_type> type,
                                  std::optional<io::number> const& init);

}  // namespace tally::cli
