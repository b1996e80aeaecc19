#pragma once

#include "src/c/operation.hpp"
#include "tally/cuda_execution.hpp"

/// Sums of exponentials of logarithms on a GPU, of floats of 32 and 64 bits. The kernels of segments serve rows too:
/// those of batches would take ten times as long to compile.
namespace tally::c {

void add_logarithms(cuda const& on, tally_type type, segments_call const& call);
/// Throws    not_supported: the sequences are not rows without gaps.
void add_logarithms(tally_type type, sequences_call const& call);

}  // namespace tally::c
