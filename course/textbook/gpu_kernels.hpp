#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "textbook/gpu.hpp"

namespace tally::textbook {

/// A kernel of the catalogue, compiled by nvcc.
struct gpu_kernel {
  std::string_view name;                                                    ///< as in the catalogue
  gpu_outcome (*run)(values const& in, operation op, std::size_t results);  ///< the number of results
};

/// The parts of the catalogue, each in a file of its own.
std::vector<gpu_kernel> reductions_on_gpu();
std::vector<gpu_kernel> array_reductions_on_gpu();
std::vector<gpu_kernel> block_scans_on_gpu();
std::vector<gpu_kernel> array_scans_on_gpu();

}  // namespace tally::textbook
