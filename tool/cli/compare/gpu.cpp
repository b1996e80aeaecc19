#include <algorithm>

#include <fmt/format.h>

#include "compare/comparison.hpp"
#include "tally/error.hpp"
#include "textbook/gpu.hpp"

namespace tally::cli {

void add_gpu(comparison& all)
{
  all.gpu = textbook::gpu_name();
  for (compared_kernel& each : all.kernels) {
    textbook::kernel_entry const& kernel = *each.figures.kernel;
    kernel_operation const asked = kernel_operation_of(kernel, all.op);
    textbook::values const in = kernel_input(kernel, all.n, asked);
    textbook::operation const op = catalogue_operation(asked);
    textbook::gpu_outcome const left = textbook::run_on_gpu(kernel, in, op);
    if (left.result != expected_result(in, kernel.result, op))
      throw error(std::string(kernel.name) + ": on the GPU the result on " + std::to_string(all.n) +
                  " elements is wrong");
    each.microseconds = left.microseconds;
  }
}

double expected_microseconds(model::report const& counts)
{
  // Measured on an H200 at 1.7 GHz: about 60 cycles for a step, whose operands come from shared memory; 30 for a
  // barrier; one for a wavefront, each block on a multiprocessor of its own; 3.3 microseconds for a launch, and 3.2 for
  // the first loads and the last stores.
  model::shared_counts passes = counts.shared;
  passes += counts.shared_in_transfers;
  double const blocks = static_cast<double>(counts.blocks) / counts.launches;
  double const cycles = 60 * static_cast<double>(counts.steps) + 30 * static_cast<double>(counts.barriers) +
                        static_cast<double>(passes.wavefronts) / std::min(blocks, 132.0);
  return 3.2 + 3.3 * counts.launches + cycles / 1700;
}

std::string gpu_table(comparison const& all)
{
  std::string out = fmt::format(
      "On {}, every result checked; the time is the median of ten runs, with all launches. Expected is a rough rule: "
      "3.2 us, 3.3 for a\nlaunch, and 60 cycles of 1.7 GHz a step, 30 a barrier, one a wavefront, which up to 132 "
      "blocks share.\n\n",
      all.gpu);
  std::size_t width = 6;
  for (compared_kernel const& each : all.kernels) width = std::max(width, each.figures.kernel->name.size());
  out +=
      fmt::format("{:<{}}  launches   steps  barriers  wavefronts  expected us   time us     GB/s\n", "kernel", width);
  for (compared_kernel const& each : all.kernels) {
    model::report const& counts = each.figures.counts;
    double const bytes = 4.0 * all.n * (is_scan(each.figures.kernel->result) ? 2 : 1);
    out += fmt::format("{:<{}}  {:>8}  {:>6}  {:>8}  {:>10}  {:>11.1f}  {:>8.1f}  {:>7.1f}\n",
                       each.figures.kernel->name, width, counts.launches, counts.steps, counts.barriers,
                       counts.shared.wavefronts + counts.shared_in_transfers.wavefronts, expected_microseconds(counts),
                       *each.microseconds, bytes / *each.microseconds / 1e3);
  }
  return out;
}

}  // namespace tally::cli
