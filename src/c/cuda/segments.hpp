#pragma once

#include <cstddef>
#include <cstdint>

#include "src/c/gpu.hpp"
#include "tally/cuda_execution.hpp"

namespace tally::c {

/// Reductions and scans of segments on a GPU: of floats of 32 and 64 bits, and of integers of 64. The function of
/// gpu_functions.
std::int32_t run_segments(std::size_t op, tally_type type, segments_call const& call, char* message);
/// The same where the call runs, by another call's execution.
/// Throws    not_supported: no such operator or type.
void segments_on(cuda const& on, std::size_t op, tally_type type, segments_call const& call);

}  // namespace tally::c
