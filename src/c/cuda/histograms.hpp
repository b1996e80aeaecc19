#pragma once

#include <cstdint>

#include "src/c/gpu.hpp"

namespace tally::c {

/// Histograms that count, on a GPU. The function of gpu_functions. With edges it waits for the GPU, which copies them.
std::int32_t run_histograms(histograms_call const& call, char* message);

}  // namespace tally::c
