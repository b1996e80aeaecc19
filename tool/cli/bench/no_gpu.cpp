#include "bench/gpu.hpp"

namespace tally::cli {

std::optional<gpu_speeds> measure_gpu()
{
  return std::nullopt;
}

}  // namespace tally::cli
