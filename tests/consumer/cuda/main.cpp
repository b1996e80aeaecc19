/// A program that calls the GPU without nvcc. Without a GPU, a call throws an error that says so.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include <tally/cuda.hpp>
#include <tally/detail/cuda/check.cuh>

int main()
{
  try {
    std::vector<float> const ones(100000, 1.0f);
    float* memory = nullptr;
    tally::cuda_backend::check_cuda(cudaMalloc(&memory, ones.size() * sizeof(float)), "taking memory");
    cudaMemcpy(memory, ones.data(), ones.size() * sizeof(float), cudaMemcpyDefault);
    tally::cuda::workspace space;
    tally::cuda const on{nullptr, space};
    tally::inclusive_scan(on, memory, memory + ones.size(), memory);
    float const last = tally::reduce(on, memory + ones.size() - 1, memory + ones.size());
    std::printf("the scan ends in %g\n", last);
    return last == 100000.0f ? 0 : 1;
  } catch (tally::cuda_error const& e) {
    std::printf("%s\n", e.what());
    int devices = 0;
    return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 ? 0 : 1;
  }
}
