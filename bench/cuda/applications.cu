// tally_bench_cuda_applications: compaction, histograms, sorting, reduction by key and recurrences, raced against CUB
// and the copy limit in one process.
#include <cub/cub.cuh>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cuda/data.hpp"
#include "bench/cuda/limits.cuh"
#include "bench/cuda/race.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/algorithms/radix_sort.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/cuda.hpp"

namespace tally::bench {
namespace {

/// Device memory for n values.
template <class T>
class device_memory {
public:
  explicit device_memory(std::size_t n) { check_cuda(cudaMalloc(&data_, n * sizeof(T) + 16)); }
  ~device_memory() { cudaFree(data_); }
  device_memory(device_memory const&) = delete;
  device_memory& operator=(device_memory const&) = delete;
  T* data() const { return static_cast<T*>(data_); }

private:
  void* data_ = nullptr;
};

/// A call of CUB with the memory that it asks for when it is called with none.
template <class Call>
gpu_call of_cub(Call call)
{
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes, nullptr));
  auto const room = std::make_shared<device_memory<char>>(bytes);
  return [=](cudaStream_t stream, int) {
    std::size_t size = bytes;
    check_cuda(call(room->data(), size, stream));
  };
}

/// The same call, after which the host fetches the count that CUB has left on the device: Tally's calls return one.
gpu_call then_fetched(gpu_call call, std::uint32_t const* count)
{
  return [=](cudaStream_t stream, int buffer) {
    call(stream, buffer);
    std::uint32_t value = 0;
    check_cuda(cudaMemcpyAsync(&value, count, sizeof value, cudaMemcpyDeviceToHost, stream));
    check_cuda(cudaStreamSynchronize(stream));
  };
}

void report(std::string const& what, int power, std::vector<contender> const& contenders, manner how = manner::stream)
{
  std::vector<result> const times = race(contenders, how, how == manner::prepared ? 1 : power < 24 ? 20 : 4, 11);
  double peer = 0;
  for (result const& time : times)
    if (time.name == "CUB") peer = time.microseconds;
  for (result const& time : times) {
    std::printf("%-42s 2^%d  %-12s %10.1f us %7.0f GB/s", what.c_str(), power, time.name.c_str(), time.microseconds,
                time.gigabytes_a_second());
    if (time.name == "Tally" && peer > 0) std::printf("  %.2f x CUB", peer / time.microseconds);
    std::printf("  noise %.1f%%\n", 100 * time.noise);
  }
  std::fflush(stdout);
}

struct above_half {
  TALLY_HD bool operator()(std::uint32_t x) const { return x > 0x80000000u; }
};

template <int Length>
__global__ void keys_in_runs(std::uint32_t* keys, std::size_t n)
{
  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < n;
       k += std::size_t(gridDim.x) * blockDim.x)
    keys[k] = static_cast<std::uint32_t>(random_element::bits(k / Length));
}

void compaction(int power)
{
  std::size_t const n = std::size_t(1) << power;
  buffers<std::uint32_t> const data(n, 1);
  device_memory<std::uint32_t> const count(1);
  cuda::workspace space;
  double const bytes = 6.0 * static_cast<double>(n);
  report("copy_if, uint32, half selected", power,
         {copy_limit(data, 4),
          {"CUB", bytes,
           then_fetched(of_cub([&](void* room, std::size_t& size, cudaStream_t stream) {
                          return cub::DeviceSelect::If(room, size, data.in(0), data.out(0), count.data(), n,
                                                       above_half{}, stream);
                        }),
                        count.data())},
          {"Tally", bytes, [&](cudaStream_t stream, int) {
             copy_if(cuda{stream, space}, data.in(0), data.in(0) + n, data.out(0), above_half{});
           }}});
}

template <int Length>
void by_key(int power)
{
  std::size_t const n = std::size_t(1) << power;
  buffers<std::uint32_t> const keys(n, 1), values(n, 1);
  auto* const in_runs = const_cast<std::uint32_t*>(keys.in(0));
  keys_in_runs<Length><<<1056, 256>>>(in_runs, n);
  check_cuda(cudaDeviceSynchronize());
  device_memory<std::uint32_t> const count(1);
  cuda::workspace space;
  double const bytes = (8.0 + 8.0 / Length) * static_cast<double>(n);
  report("reduce_by_key, uint32, runs of " + std::to_string(Length), power,
         {copy_limit(keys, 4),
          {"CUB", bytes,
           then_fetched(of_cub([&](void* room, std::size_t& size, cudaStream_t stream) {
                          return cub::DeviceReduce::ReduceByKey(room, size, in_runs, keys.out(0), values.in(0),
                                                                values.out(0), count.data(), ::cuda::std::plus<>{}, n,
                                                                stream);
                        }),
                        count.data())},
          {"Tally", bytes, [&](cudaStream_t stream, int) {
             reduce_by_key(cuda{stream, space}, in_runs, in_runs + n, values.in(0), keys.out(0), values.out(0));
           }}});
}

void histograms(int power, int bins)
{
  std::size_t const n = std::size_t(1) << power;
  buffers<float> const data(n, 1);
  device_memory<std::uint32_t> const counts(static_cast<std::size_t>(bins) + 3);
  cuda::workspace space;
  double const bytes = 4.0 * static_cast<double>(n);
  report("histogram, float, " + std::to_string(bins) + " even bins", power,
         {copy_limit(data, 4),
          {"CUB", bytes, of_cub([&](void* room, std::size_t& size, cudaStream_t stream) {
             return cub::DeviceHistogram::HistogramEven(room, size, data.in(0), counts.data(), bins + 1, 0.0f, 1.0f, n,
                                                        stream);
           })},
          {"Tally", bytes, [&](cudaStream_t stream, int) {
             histogram(cuda{stream, space}, data.in(0), data.in(0) + n, even_bins(0, 1, static_cast<std::size_t>(bins)),
                       counts.data());
           }}});
}

void sorting(int power)
{
  std::size_t const n = std::size_t(1) << power, bytes = n * sizeof(std::uint32_t);
  buffers<std::uint32_t> const data(n, 1);
  cuda::workspace space;
  // Tally sorts in place: its keys are copied before each call, outside the time taken.
  report("radix_sort, uint32", power,
         {copy_limit(data, 4),
          {"CUB", 2.0 * static_cast<double>(bytes), of_cub([&](void* room, std::size_t& size, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortKeys(room, size, data.in(0), data.out(0), n, 0, 32, stream);
           })},
          {"Tally", 2.0 * static_cast<double>(bytes),
           [&](cudaStream_t stream, int) { radix_sort(cuda{stream, space}, data.out(0), data.out(0) + n); },
           [&](cudaStream_t stream, int) {
             check_cuda(cudaMemcpyAsync(data.out(0), data.in(0), bytes, cudaMemcpyDeviceToDevice, stream));
           }}},
         manner::prepared);
}

void recurrences(int power)
{
  std::size_t const n = std::size_t(1) << power;
  buffers<float> const a(n, 1), b(n, 1);
  cuda::workspace space;
  report("linear_recurrence, float", power,
         {copy_limit(a, 4), {"Tally", 12.0 * static_cast<double>(n), [&](cudaStream_t stream, int) {
                               linear_recurrence(cuda{stream, space}, a.in(0), a.in(0) + n, b.in(0), a.out(0), 1.0f);
                             }}});
}

}  // namespace
}  // namespace tally::bench

int main()
{
  using namespace tally::bench;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, CUDA %d.%d, CUB %d.%d\n", properties.name, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
              CUB_MAJOR_VERSION, CUB_MINOR_VERSION);
  for (int const power : {20, 24, 28}) {
    compaction(power);
    by_key<1>(power);
    by_key<16>(power);
    by_key<1024>(power);
    histograms(power, 256);
    histograms(power, 10'000);
    sorting(power == 28 ? 26 : power);
    recurrences(power);
  }
}
