#include <stdexcept>

#include "textbook/gpu.hpp"

/// The message of a program that was built without CUDA.
namespace tally::textbook {

std::string why_no_gpu()
{
  return "this tally was built without CUDA";
}

std::string gpu_name()
{
  throw std::logic_error("gpu_name: " + why_no_gpu());
}

gpu_outcome run_on_gpu(kernel_entry const&, values const&, std::optional<operation>)
{
  throw std::logic_error("run_on_gpu: " + why_no_gpu());
}

std::vector<std::string_view> kernels_on_gpu()
{
  return {};
}

}  // namespace tally::textbook
