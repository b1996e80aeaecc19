#pragma once

#include <cstdint>

#include "src/c/gpu.hpp"

namespace tally::c {

/// Sorts of sequences on a GPU, with the places of the keys or with values. The function of gpu_functions. It waits for
/// the GPU: the keys say how many passes there are.
std::int32_t run_sorts(sorts_call const& call, char* message);

}  // namespace tally::c
