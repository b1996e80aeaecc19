#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "gpu/gpu.hpp"
#include "input/source.hpp"
#include "io/element_type.hpp"
#include "io/files/output.hpp"
#include "values.hpp"

/// `tally reduce --on gpu` and `tally scan --on gpu`.
namespace tally::cli {

/// The GPU, if --on asks for one and it is of use. If it is of no use, a line on standard error says why, and the CPU
/// does the work.
std::unique_ptr<gpu> gpu_for(command_settings const& settings, std::optional<io::element_type> type);

/// Prints a line on standard error.
void note(std::string const& text);
/// The line that says that the CPU adds integers whose sums may need more than 64 bits.
void note_that_sums_may_be_wide(operation op);

/// The result of each operation, from the GPU, or from its accumulator of `all` (new ones) if the CPU does it.
std::vector<result> reduce_on_gpu(command_settings const& settings, source& from, accumulators const& all, gpu& device);

/// Gathers all input, scans it, and only then writes.
void scan_on_gpu(command_settings const& settings, source& from, gpu& device, io::output to);

}  // namespace tally::cli
