#pragma once

#include "tally/detail/ranks/refused.hpp"

/// Calls that several GPUs do not take, so that the compiler's first line says so.
namespace tally::nccl_backend {

using ranks_backend::backend_for_each_block;
using ranks_backend::backend_for_each_index;
using ranks_backend::backend_recur_segments;
using ranks_backend::backend_recur_sequences;
using ranks_backend::backend_reduce_segments;
using ranks_backend::backend_reduce_sequences;
using ranks_backend::backend_scan_segments;
using ranks_backend::backend_scan_sequences;

}  // namespace tally::nccl_backend
