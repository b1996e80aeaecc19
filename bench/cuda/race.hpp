#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

/// Times contenders on a GPU against each other, in turn, in one process.
namespace tally::bench {

inline void check(cudaError_t code)
{
  if (code != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code));
}

/// One call of a contender, on a stream; `buffer` counts up so that a call can take another input than the one before.
using gpu_call = std::function<void(cudaStream_t, int buffer)>;

struct contender {
  std::string name;
  double bytes;  ///< that one call must move at least
  gpu_call call;
  gpu_call prepare = nullptr;  ///< what comes before each call and is not timed; only if calls are timed one by one
};

struct timing {
  std::string name;
  double bytes = 0;
  double microseconds = 0;  ///< the median round's, for one call
  double noise = 0;         ///< the median deviation from it, as a share of it
  double gigabytes_a_second() const { return bytes / microseconds * 1e-3; }
};

enum class manner {
  graph,   ///< calls in a graph, which is replayed: what the GPU takes
  stream,  ///< calls one after the other on a stream: what the host and the GPU take
  cold,    ///< one call at a time, the cache swept in between
  alone,   ///< one call at a time, after what prepares it
};

inline double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Writes through more memory than the cache of level 2 has.
class sweep {
public:
  sweep() { check(cudaMalloc(&memory_, bytes)); }
  ~sweep() { cudaFree(memory_); }
  sweep(sweep const&) = delete;
  sweep& operator=(sweep const&) = delete;
  void operator()(cudaStream_t stream) { check(cudaMemsetAsync(memory_, ++value_ & 0xff, bytes, stream)); }

private:
  static constexpr std::size_t bytes = std::size_t(256) << 20;
  void* memory_ = nullptr;
  int value_ = 0;
};

/// Times all contenders, `calls` calls a round, the rounds of one between those of the others.
inline std::vector<timing> race(std::vector<contender> const& contenders, manner how, int calls, int rounds)
{
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  sweep sweep_cache;
  std::vector<cudaGraphExec_t> graphs(contenders.size());
  for (std::size_t k = 0; k < contenders.size(); ++k) {
    for (int warm = 0; warm < 2; ++warm) {
      if (contenders[k].prepare) contenders[k].prepare(stream, warm);
      contenders[k].call(stream, warm);
    }
    check(cudaStreamSynchronize(stream));
    if (how != manner::graph) continue;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int call = 0; call < calls; ++call) contenders[k].call(stream, call);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&graphs[k], graph, 0));
    check(cudaGraphDestroy(graph));
    check(cudaGraphLaunch(graphs[k], stream));
    check(cudaStreamSynchronize(stream));
  }
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      std::size_t const k = (turn + static_cast<std::size_t>(round)) % contenders.size();
      if (how == manner::cold) sweep_cache(stream);
      if (contenders[k].prepare) contenders[k].prepare(stream, round);
      check(cudaEventRecord(begin, stream));
      if (how == manner::graph)
        check(cudaGraphLaunch(graphs[k], stream));
      else
        for (int call = 0; call < calls; ++call) contenders[k].call(stream, call + round);
      check(cudaEventRecord(end, stream));
      check(cudaEventSynchronize(end));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin, end));
      times[k].push_back(milliseconds * 1e3 / calls);
    }
  }
  for (cudaGraphExec_t const graph : graphs)
    if (graph != nullptr) check(cudaGraphExecDestroy(graph));
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaStreamDestroy(stream));
  std::vector<timing> results;
  for (std::size_t k = 0; k < contenders.size(); ++k) {
    double const middle = median(times[k]);
    for (double& time : times[k]) time = time > middle ? time - middle : middle - time;
    results.push_back({contenders[k].name, contenders[k].bytes, middle, median(times[k]) / middle});
  }
  return results;
}

}  // namespace tally::bench
