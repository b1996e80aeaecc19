#pragma once

#include <optional>

#include "bench/speeds.hpp"

namespace tally::cli {

/// Times scans and sums of numbers in the memory of the GPU, of sizes that fit there. Returns nothing where no GPU
/// answers. Throws `error` if the GPU fails.
std::optional<gpu_speeds> measure_gpu();

}  // namespace tally::cli
