#pragma once

#include <optional>

#include "bench/speeds.hpp"

namespace tally::cli {

/// Scans and sums of numbers in the memory of the GPU that answers, as large as it has room for; nothing where none
/// answers. Throws `error` if the GPU fails.
std::optional<gpu_speeds> measure_gpu();

}  // namespace tally::cli
