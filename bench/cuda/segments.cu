// tally_bench_cuda_segments [POWER [KIND ...]]: reductions and scans of segments of many distributions of lengths, and
// by key, raced against CUB, the copy limit and the read limit in one process.
#include <cub/cub.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/cuda/data.hpp"
#include "bench/cuda/limits.cuh"
#include "bench/cuda/race.hpp"
#include "bench/cuda/segment_lengths.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/batches.hpp"
#include "tally/cuda.hpp"

namespace tally::bench {
namespace {

__global__ void keys_of(std::uint32_t const* offsets, std::size_t segments, std::uint32_t* keys)
{
  for (std::size_t s = blockIdx.x; s < segments; s += gridDim.x)
    for (std::uint32_t k = offsets[s] + threadIdx.x; k < offsets[s + 1]; k += blockDim.x)
      keys[k] = static_cast<std::uint32_t>(s);
}

void report(std::string const& what, int power, std::vector<contender> const& contenders)
{
  std::vector<result> const times = race(contenders, manner::stream, 2, 7);
  double limit = 0, peer = 0;
  for (result const& time : times) {
    if (time.name == "cudaMemcpy" || time.name.starts_with("read")) limit = std::max(limit, time.gigabytes_a_second());
    if (time.name.starts_with("CUB")) peer = peer == 0 ? time.microseconds : std::min(peer, time.microseconds);
  }
  std::printf("%-34s 2^%d", what.c_str(), power);
  for (result const& time : times) {
    std::printf("  %s %.0f us %.0f GB/s (%.3f", time.name.c_str(), time.microseconds, time.gigabytes_a_second(),
                time.gigabytes_a_second() / limit);
    if (time.name == "Tally" && peer > 0) std::printf(", %.2f x CUB", peer / time.microseconds);
    std::printf(")");
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// The memory that a call of CUB asks for when it is called with none.
class room {
public:
  template <class F>
  explicit room(F const& call)
  {
    check_cuda(call(nullptr, bytes_));
    check_cuda(cudaMalloc(&memory_, bytes_ + 1));
  }
  ~room() { cudaFree(memory_); }
  room(room const&) = delete;
  room& operator=(room const&) = delete;
  void* memory() const { return memory_; }
  std::size_t& bytes() { return bytes_; }

private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

void of_lengths(buffers<float> const& data, buffers<std::uint32_t> const& keys, std::string const& kind, int power)
{
  std::size_t const n = data.size();
  std::vector<std::uint32_t> const host = offsets_of(kind, n);
  std::size_t const count = host.size() - 1;
  std::uint32_t *offsets = nullptr, *found = nullptr;
  float* sums = nullptr;
  check_cuda(cudaMalloc(&offsets, host.size() * sizeof(std::uint32_t)));
  check_cuda(cudaMalloc(&found, sizeof(std::uint32_t)));
  check_cuda(cudaMalloc(&sums, host.size() * sizeof(float)));
  check_cuda(cudaMemcpy(offsets, host.data(), host.size() * sizeof(std::uint32_t), cudaMemcpyDefault));
  auto* const own_keys = const_cast<std::uint32_t*>(keys.in(0));
  keys_of<<<4224, 256>>>(offsets, count, own_keys);
  check_cuda(cudaDeviceSynchronize());
  cuda::workspace space;
  auto const elements = static_cast<double>(n), segments = static_cast<double>(count);
  auto const batch = [&](int call) {
    return tally::segments(data.in(call), static_cast<std::uint32_t const*>(offsets),
                           static_cast<std::uint32_t const*>(offsets) + count + 1);
  };
  {
    room own([&](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(memory, bytes, data.in(0), sums, count, offsets, offsets + 1);
    });
    double const bytes = 4 * elements + 8 * segments;
    report("reduce/float/" + kind, power,
           {read_limit(data, 4, 2112),
            read_limit(data, 4, 1056),
            {"CUB", bytes,
             [&](cudaStream_t stream, int call) {
               check_cuda(cub::DeviceSegmentedReduce::Sum(own.memory(), own.bytes(), data.in(call), sums, count,
                                                          offsets, offsets + 1, stream));
             }},
            {"Tally", bytes,
             [&](cudaStream_t stream, int call) { tally::reduce(cuda{stream, space}, batch(call), sums); }}});
  }
  {
    room own([&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSumByKey(memory, bytes, own_keys, data.in(0), data.out(0), n);
    });
    double const bytes = 8 * elements + 4 * segments;
    report("scan/float/" + kind, power,
           {copy_limit(data, 4),
            {"CUB by key", bytes,
             [&](cudaStream_t stream, int call) {
               check_cuda(cub::DeviceScan::InclusiveSumByKey(own.memory(), own.bytes(), own_keys, data.in(call),
                                                             data.out(call), n, {}, stream));
             }},
            {"Tally", bytes, [&](cudaStream_t stream, int call) {
               tally::inclusive_scan(cuda{stream, space}, batch(call), data.out(call));
             }}});
    double const keyed = 12 * elements;
    report("inclusive_scan_by_key/float/" + kind, power,
           {copy_limit(data, 4),
            {"CUB", keyed,
             [&](cudaStream_t stream, int call) {
               check_cuda(cub::DeviceScan::InclusiveSumByKey(own.memory(), own.bytes(), own_keys, data.in(call),
                                                             data.out(call), n, {}, stream));
             }},
            {"Tally", keyed, [&](cudaStream_t stream, int call) {
               inclusive_scan_by_key(cuda{stream, space}, own_keys, own_keys + n, data.in(call), data.out(call));
             }}});
  }
  {
    room own([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(memory, bytes, own_keys, keys.out(0), data.in(0), sums, found,
                                            ::cuda::std::plus<>{}, n);
    });
    double const bytes = 8 * elements + 8 * segments;
    report("reduce_by_key/float/" + kind, power,
           {copy_limit(data, 4),
            {"CUB", bytes,
             [&](cudaStream_t stream, int call) {
               check_cuda(cub::DeviceReduce::ReduceByKey(own.memory(), own.bytes(), own_keys, keys.out(0),
                                                         data.in(call), sums, found, ::cuda::std::plus<>{}, n, stream));
               std::uint32_t value = 0;
               check_cuda(cudaMemcpyAsync(&value, found, sizeof value, cudaMemcpyDeviceToHost, stream));
               check_cuda(cudaStreamSynchronize(stream));
             }},
            {"Tally", bytes, [&](cudaStream_t stream, int call) {
               reduce_by_key(cuda{stream, space}, own_keys, own_keys + n, data.in(call), keys.out(0), sums);
             }}});
  }
  check_cuda(cudaFree(offsets));
  check_cuda(cudaFree(found));
  check_cuda(cudaFree(sums));
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv)
{
  int const power = argc > 1 ? std::atoi(argv[1]) : 28;
  std::vector<std::string> kinds(argv + std::min(argc, 2), argv + argc);
  if (kinds.empty())
    kinds = {"all-1",    "mean-1",   "all-4",     "mean-4",     "all-16",  "mean-16",       "all-256",
             "mean-256", "all-1000", "all-65536", "mean-65536", "1..2000", "few-of-200000", "one"};
  std::size_t const n = std::size_t(1) << power;
  tally::bench::buffers<float> const data(n, 2);
  tally::bench::buffers<std::uint32_t> const keys(n, 1);
  for (std::string const& kind : kinds) tally::bench::of_lengths(data, keys, kind, power);
}
