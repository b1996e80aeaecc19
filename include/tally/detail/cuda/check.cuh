#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include "tally/cuda_execution.hpp"

namespace tally::cuda_backend {

/// Throws cuda_error, with CUDA's own message, if `code` is not success. `attempt` says what was tried.
inline void check_cuda(cudaError_t code, char const* attempt = "calling CUDA")
{
  if (code == cudaSuccess) return;
  cudaGetLastError();  // clears an error of this call, or the next call would report it; an error of the device stays
  throw cuda_error(code, std::string("tally: ") + attempt + ": " + cudaGetErrorString(code) + " (" +
                             cudaGetErrorName(code) + ")");
}

}  // namespace tally::cuda_backend
