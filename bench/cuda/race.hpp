#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "tally/detail/cuda/check.cuh"
#include "tool/cli/bench/timing.hpp"

/// Races of contenders on a GPU.
namespace tally::bench {

using cuda_backend::check_cuda;

/// One call of a contender, on a stream. `buffer` counts up, so that a call can take another input than the call
/// before.
using gpu_call = std::function<void(cudaStream_t, int buffer)>;

struct contender {
  std::string name;
  double bytes;  ///< that one call must move
  gpu_call call;
  gpu_call prepare = nullptr;  ///< runs before each call, outside the time taken; only where calls are timed one by one
};

struct result {
  std::string name;
  double bytes = 0;
  double microseconds = 0;  ///< of one call, in the median round
  double noise = 0;         ///< the median distance of the rounds from it, as a share of it
  double gigabytes_a_second() const { return bytes / microseconds * 1e-3; }
};

/// How calls are made while they are timed.
enum class manner {
  graph,     ///< replayed from a graph: the time of the GPU alone
  stream,    ///< one after the other on a stream: the time of the GPU and of the host
  cold,      ///< one at a time, the cache swept before each
  prepared,  ///< one at a time, each after `contender::prepare`
};

/// Sweeps the GPU's level-2 cache: writes more memory than fits in it.
class sweep {
public:
  sweep() { check_cuda(cudaMalloc(&memory_, bytes)); }
  ~sweep() { cudaFree(memory_); }
  sweep(sweep const&) = delete;
  sweep& operator=(sweep const&) = delete;
  void operator()(cudaStream_t stream) { check_cuda(cudaMemsetAsync(memory_, ++value_ & 0xff, bytes, stream)); }

private:
  static constexpr std::size_t bytes = std::size_t(256) << 20;
  void* memory_ = nullptr;
  int value_ = 0;
};

/// The memory that a call of CUB asks for when it is called with none.
class cub_room {
public:
  template <class F>
  explicit cub_room(F const& call)
  {
    check_cuda(call(nullptr, bytes_));
    check_cuda(cudaMalloc(&memory_, bytes_));
  }
  ~cub_room() { cudaFree(memory_); }
  cub_room(cub_room const&) = delete;
  cub_room& operator=(cub_room const&) = delete;
  void* memory() const { return memory_; }
  std::size_t& bytes() { return bytes_; }

private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Times the contenders in interleaved rounds (tool/cli/bench/timing.hpp) of `calls` calls each.
inline std::vector<result> race(std::vector<contender> const& contenders, manner how, int calls, int rounds)
{
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check_cuda(cudaEventCreate(&begin));
  check_cuda(cudaEventCreate(&end));
  sweep sweep_cache;
  std::vector<cudaGraphExec_t> graphs(contenders.size());
  for (std::size_t k = 0; k < contenders.size(); ++k) {
    for (int warm = 0; warm < 2; ++warm) {
      if (contenders[k].prepare) contenders[k].prepare(stream, warm);
      contenders[k].call(stream, warm);
    }
    check_cuda(cudaStreamSynchronize(stream));
    if (how != manner::graph) continue;
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int call = 0; call < calls; ++call) contenders[k].call(stream, call);
    check_cuda(cudaStreamEndCapture(stream, &graph));
    check_cuda(cudaGraphInstantiate(&graphs[k], graph, 0));
    check_cuda(cudaGraphDestroy(graph));
    check_cuda(cudaGraphLaunch(graphs[k], stream));
    check_cuda(cudaStreamSynchronize(stream));
  }
  timing::interleaved_rounds all(contenders.size());
  for (int round = 0; round < rounds; ++round) {
    all.run_round([&](std::size_t k) {
      if (how == manner::cold) sweep_cache(stream);
      if (contenders[k].prepare) contenders[k].prepare(stream, round);
      check_cuda(cudaEventRecord(begin, stream));
      if (how == manner::graph)
        check_cuda(cudaGraphLaunch(graphs[k], stream));
      else
        for (int call = 0; call < calls; ++call) contenders[k].call(stream, call + round);
      check_cuda(cudaEventRecord(end, stream));
      check_cuda(cudaEventSynchronize(end));
      float milliseconds = 0;
      check_cuda(cudaEventElapsedTime(&milliseconds, begin, end));
      return milliseconds * 1e-3 / calls;
    });
  }
  for (cudaGraphExec_t const graph : graphs)
    if (graph != nullptr) check_cuda(cudaGraphExecDestroy(graph));
  check_cuda(cudaEventDestroy(begin));
  check_cuda(cudaEventDestroy(end));
  check_cuda(cudaStreamDestroy(stream));
  std::vector<result> results;
  for (std::size_t k = 0; k < contenders.size(); ++k)
    results.push_back({contenders[k].name, contenders[k].bytes, all.median(k) * 1e6, all.noise(k)});
  return results;
}

}  // namespace tally::bench
