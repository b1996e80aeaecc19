#pragma once

#include <cstddef>
#include <cstdint>

#include "src/c/gpu.hpp"
#include "tally/cuda_execution.hpp"

namespace tally::c {

/// Functions of gpu_functions: selections, and calls on runs of equal keys. Both wait for the GPU: how many elements
/// they write is known then.
std::int32_t run_selection(selection_call const& call, std::size_t* selected, char* message);
std::int32_t run_runs(runs_call const& call, std::size_t* runs, char* message);
/// The second one where the call runs, by another call's execution. Returns the number of runs.
std::size_t find_runs_on(cuda const& on, runs_call const& call);

}  // namespace tally::c
