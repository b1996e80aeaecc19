/// A running total and a total on a GPU, in plain C++: the library has compiled the calls of built-in operators.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include <tally/cuda.hpp>

int main()
{
  std::vector<float> const rain = {0.25f, 0.0f, 1.5f, 3.25f, 0.5f};  // millimetres in each hour
  std::vector<float> since_midnight(rain.size());
  std::size_t const bytes = rain.size() * sizeof(float);

  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpyAsync(in, rain.data(), bytes, cudaMemcpyDefault, stream);

  tally::cuda::workspace space;  // device memory that calls on this stream share
  tally::cuda const gpu{stream, space};
  tally::inclusive_scan(gpu, in, in + rain.size(), out);               // returns at once
  float const total = tally::reduce(gpu, in, in + rain.size(), 0.0f);  // waits for the value

  cudaMemcpyAsync(since_midnight.data(), out, bytes, cudaMemcpyDefault, stream);
  cudaStreamSynchronize(stream);
  for (std::size_t hour = 0; hour < rain.size(); ++hour)
    std::printf("hour %zu: %.2f mm, since midnight %.2f mm\n", hour, rain[hour], since_midnight[hour]);
  std::printf("in all %.2f mm\n", total);
  cudaFree(in);
  cudaFree(out);
  cudaStreamDestroy(stream);
}
