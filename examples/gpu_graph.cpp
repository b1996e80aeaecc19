/// A CUDA graph that is replayed with another number of elements each time. An earlier call leaves the number on the
/// GPU, and the host never knows it.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include <tally/cuda.hpp>

int main()
{
  std::size_t const hours = 8;  // at most, in a day
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float *rain = nullptr, *since_midnight = nullptr;
  int *measured = nullptr, *count = nullptr;
  cudaMalloc(&rain, hours * sizeof(float));
  cudaMalloc(&since_midnight, hours * sizeof(float));
  cudaMalloc(&measured, hours * sizeof(int));
  cudaMalloc(&count, sizeof(int));

  tally::cuda::workspace space;
  space.reserve(tally::cuda::workspace::bytes_for<float>(hours), stream);
  tally::cuda const gpu{stream, space};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t day = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  tally::reduce_into(gpu, measured, measured + hours, count);  // how many hours have been measured
  tally::inclusive_scan(gpu, tally::counted(rain, tally::count_at(count, hours)), since_midnight);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&day, graph, 0);

  std::vector<std::vector<float>> const days = {{0.25f, 0.0f, 1.5f, 3.25f, 0.5f}, {2.0f, 0.5f}};
  for (std::vector<float> const& of_day : days) {
    std::vector<int> ones(of_day.size(), 1);
    ones.resize(hours);
    cudaMemcpyAsync(rain, of_day.data(), of_day.size() * sizeof(float), cudaMemcpyDefault, stream);
    cudaMemcpyAsync(measured, ones.data(), hours * sizeof(int), cudaMemcpyDefault, stream);
    cudaMemsetAsync(since_midnight, 0, hours * sizeof(float), stream);
    cudaGraphLaunch(day, stream);
    std::vector<float> sums(hours);
    cudaMemcpyAsync(sums.data(), since_midnight, hours * sizeof(float), cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    for (float const sum : sums) std::printf("%.2f ", sum);
    std::printf("\n");
  }
  cudaGraphExecDestroy(day);
  cudaGraphDestroy(graph);
  cudaFree(rain);
  cudaFree(since_midnight);
  cudaFree(measured);
  cudaFree(count);
  cudaStreamDestroy(stream);
}
