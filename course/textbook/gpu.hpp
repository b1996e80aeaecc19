#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "textbook/elements.hpp"

/// The kernels of the catalogue on a GPU.
namespace tally::textbook {

struct kernel_entry;

struct gpu_outcome {
  values result;
  double microseconds = 0;  ///< from the first launch's begin to the last one's end: the median of several runs
};

/// Why the kernels cannot run on a GPU: none answers, or the program was built without. Empty if they can.
std::string why_no_gpu();

/// The GPU's name. Requires: there is one.
std::string gpu_name();

/// Runs a kernel of the catalogue on the GPU: the same text as on the model machine, compiled by nvcc. Blocks until it
/// has ended.
///
/// Throws    usage_error where `run` of the catalogue would, std::runtime_error with CUDA's own words where CUDA fails.
gpu_outcome run_on_gpu(kernel_entry const& kernel, values const& in, std::optional<operation> op = {});

/// The kernels that can run on a GPU: all of the catalogue, in its order. Empty where the program was built without.
std::vector<std::string_view> kernels_on_gpu();

}  // namespace tally::textbook
