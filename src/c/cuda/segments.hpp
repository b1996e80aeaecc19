#pragma once

#include <cstddef>
#include <cstdint>

#include "src/c/gpu.hpp"

namespace tally::c {

/// Sums and running sums of segments on a GPU: of floats of 32 and 64 bits, and of integers of 64. The function of
/// gpu_functions.
std::int32_t run_segments(std::size_t op, tally_type type, segments_call const& call, char* message);

}  // namespace tally::c
