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
  double microseconds = 0;  ///< from the begin of the first launch to the end of the last: the median of several runs
};

/// Why the kernels cannot run on a GPU: none answers, or the program was built without CUDA. Empty if they can.
std::string why_no_gpu();

/// The GPU's name. Requires: there is one.
std::string gpu_name();

/// Runs a kernel of the catalogue on the GPU: the same source as on the model machine, compiled by nvcc. Blocks until
/// the kernel has ended.
///
/// Throws    usage_error where `run` of the catalogue does; cuda_error, with CUDA's own words, if CUDA fails.
gpu_outcome run_on_gpu(kernel_entry const& kernel, values const& in, std::optional<operation> op = {});

/// The kernels that can run on a GPU: all of the catalogue, in its order. Empty if the program was built without CUDA.
std::vector<std::string_view> kernels_on_gpu();

}  // namespace tally::textbook
