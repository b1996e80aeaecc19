#include "gpu/gpu.hpp"

namespace tally::cli {

gpu_search find_gpu()
{
  return {nullptr, "this tally was built without CUDA"};
}

}  // namespace tally::cli
