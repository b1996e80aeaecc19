#include <algorithm>

#include <fmt/format.h>

#include "compare/comparison.hpp"
#include "tally/error.hpp"
#include "textbook/gpu.hpp"

namespace tally::cli {

void add_gpu(comparison& all)
{
  all.gpu = textbook::gpu_name();
  textbook::values const in = kernel_input(all.n, all.op);
  textbook::operation const op = catalogue_operation(all.op);
  for (compared_kernel& each : all.kernels) {
    textbook::kernel_entry const& kernel = *each.figures.kernel;
    textbook::gpu_outcome const left = textbook::run_on_gpu(kernel, in, op);
    if (left.result != expected_result(in, kernel.result, op))
      throw error(std::string(kernel.name) + ": on the GPU the result on " + std::to_string(all.n) +
                  " elements is wrong");
    each.microseconds = left.microseconds;
  }
}

double expected_microseconds(model::report const& counts)
{
  // Cycles of an H200 at 1.7 GHz: some 60 for an application whose operands come from shared memory and whose result goes there, some 30 for a barrier, one for
  // a wavefront, and for each launch 2 microseconds with the loads and stores of global memory.
  model::shared_counts passes = counts.shared;
  passes += counts.shared_in_transfers;
  auto const cycles = 60 * static_cast<double>(counts.steps) + 30 * static_cast<double>(counts.barriers) +
                      static_cast<double>(passes.wavefronts);
  return 2 * counts.launches + cycles / 1700;
}

std::string gpu_table(comparison const& all)
{
  std::string out = fmt::format(
      "On {}, every result checked; the time is the median of ten runs, with all launches. Expected: 2 us a "
      "launch, and at 1.7 GHz\n60 cycles a step, 30 a barrier, one a wavefront, as if one block ran after the "
      "other.\n\n",
      all.gpu);
  std::size_t width = 6;
  for (compared_kernel const& each : all.kernels) width = std::max(width, each.figures.kernel->name.size());
  out +=
      fmt::format("{:<{}}  launches   steps  barriers  wavefronts  expected us   time us     GB/s\n", "kernel", width);
  for (compared_kernel const& each : all.kernels) {
    model::report const& counts = each.figures.counts;
    bool const reduces = each.figures.kernel->result == textbook::result_kind::reduction;
    double const bytes = 4.0 * all.n * (reduces ? 1 : 2);
    out += fmt::format("{:<{}}  {:>8}  {:>6}  {:>8}  {:>10}  {:>11.1f}  {:>8.1f}  {:>7.1f}\n",
                       each.figures.kernel->name, width, counts.launches, counts.steps, counts.barriers,
                       counts.shared.wavefronts + counts.shared_in_transfers.wavefronts, expected_microseconds(counts),
                       *each.microseconds, bytes / *each.microseconds / 1e3);
  }
  return out;
}

}  // namespace tally::cli
