#include "textbook/gpu.hpp"

#include <algorithm>
#include <stdexcept>

#include <cuda_runtime_api.h>

#include "textbook/catalogue.hpp"
#include "textbook/gpu_kernels.hpp"

namespace tally::textbook {

namespace {

std::vector<gpu_kernel> const& kernels()
{
  static std::vector<gpu_kernel> const all = [] {
    std::vector<gpu_kernel> joined;
    for (auto const part : {reductions_on_gpu, array_reductions_on_gpu, block_scans_on_gpu, array_scans_on_gpu}) {
      std::vector<gpu_kernel> const more = part();
      joined.insert(joined.end(), more.begin(), more.end());
    }
    return joined;
  }();
  return all;
}

}  // namespace

std::string why_no_gpu()
{
  int count = 0;
  cudaError_t const code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) return std::string("CUDA: ") + cudaGetErrorString(code);
  return count == 0 ? "there is no GPU" : "";
}

std::string gpu_name()
{
  cudaDeviceProp facts;
  if (cudaGetDeviceProperties(&facts, 0) != cudaSuccess) throw std::runtime_error("CUDA does not tell the GPU's name");
  return facts.name;
}

std::vector<std::string_view> kernels_on_gpu()
{
  std::vector<std::string_view> names;
  for (gpu_kernel const& each : kernels()) names.push_back(each.name);
  return names;
}

gpu_outcome run_on_gpu(kernel_entry const& kernel, values const& in, std::optional<operation> op)
{
  check(kernel, in, op);
  auto const found = std::find_if(kernels().begin(), kernels().end(),
                                  [&](gpu_kernel const& each) { return each.name == kernel.name; });
  if (found == kernels().end())
    throw std::logic_error(std::string(kernel.name) + " is missing among the kernels on a GPU");
  std::size_t const n = std::visit([](auto const& elements) { return elements.size(); }, in);
  return found->run(in, operation_of(kernel, op), results_of(kernel.result, n));
}

}  // namespace tally::textbook
