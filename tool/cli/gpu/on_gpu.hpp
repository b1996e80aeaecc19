#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "gpu/gpu.hpp"
#include "io/element_type.hpp"
#include "io/output.hpp"
#include "source.hpp"
#include "values.hpp"

/// `tally reduce --on gpu` and `tally scan --on gpu`.
namespace tally::cli {

/// The GPU, if one was asked for and is of use. If it was and is not, a line on standard error says why, and the CPU
/// does the work.
std::unique_ptr<gpu> gpu_for(command_settings const& settings, std::optional<io::element_type> type);

/// The result of each operation: the GPU's, or of `all`, which are fresh, where the CPU does it.
std::vector<result> reduce_on_gpu(command_settings const& settings, source& from, accumulators const& all, gpu& device);

/// Gathers all input, scans it, and only then writes.
void scan_on_gpu(command_settings const& settings, source& from, gpu& device, io::output to);

}  // namespace tally::cli
