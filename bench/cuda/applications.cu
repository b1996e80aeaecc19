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

/// Makes `different` keys of all, which are as random as before.
template <class Key>
__global__ void few_keys(Key* keys, std::size_t n, Key different)
{
  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < n;
       k += std::size_t(gridDim.x) * blockDim.x)
    keys[k] = static_cast<Key>(random_element::bits(keys[k] % different));
}

/// Sorts random keys, `different` ones if this is not 0, with or without numbers of 32 bits beside them. Tally sorts in
/// place: its arrays are copied before each call, outside the time taken.
template <class Key>
void sorting(int power, Key different = 0, bool with_values = false)
{
  std::size_t const n = std::size_t(1) << power, bytes = n * sizeof(Key), of_values = with_values ? n : 0;
  buffers<Key> const data(n, 1);
  buffers<std::uint32_t> const values(of_values, 1);
  if (different != 0) few_keys<<<1056, 256>>>(const_cast<Key*>(data.in(0)), n, different);
  check_cuda(cudaDeviceSynchronize());
  cuda::workspace space;
  double const moved = 2.0 * static_cast<double>(bytes + of_values * sizeof(std::uint32_t));
  std::string const what = "radix_sort, uint" + std::to_string(8 * sizeof(Key)) +
                           (different != 0 ? ", " + std::to_string(different) + " different" : "") +
                           (with_values ? ", values" : "");
  report(what, power,
         {copy_limit(data, 4),
          {"CUB", moved, of_cub([&](void* room, std::size_t& size, cudaStream_t stream) {
             return with_values ? cub::DeviceRadixSort::SortPairs(room, size, data.in(0), data.out(0), values.in(0),
                                                                  values.out(0), n, 0, 8 * sizeof(Key), stream)
                                : cub::DeviceRadixSort::SortKeys(room, size, data.in(0), data.out(0), n, 0,
                                                                 8 * sizeof(Key), stream);
           })},
          {"Tally", moved,
           [&](cudaStream_t stream, int) {
             cuda const on{stream, space};
             if (with_values)
               radix_sort_by_key(on, data.out(0), data.out(0) + n, values.out(0));
             else
               radix_sort(on, data.out(0), data.out(0) + n);
           },
           [&](cudaStream_t stream, int) {
             check_cuda(cudaMemcpyAsync(data.out(0), data.in(0), bytes, cudaMemcpyDeviceToDevice, stream));
             if (with_values)
               check_cuda(cudaMemcpyAsync(values.out(0), values.in(0), of_values * sizeof(std::uint32_t),
                                          cudaMemcpyDeviceToDevice, stream));
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

/// tally_bench_cuda_applications [sorts]: all, or the sorts alone.
int main(int count, char** arguments)
{
  using namespace tally::bench;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, CUDA %d.%d, CUB %d.%d\n", properties.name, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
              CUB_MAJOR_VERSION, CUB_MINOR_VERSION);
  bool const all = count < 2;
  if (!all && std::string(arguments[1]) != "sorts") {
    std::fprintf(stderr, "usage: %s [sorts]\n", arguments[0]);
    return 2;
  }
  if (all) {
    for (int const power : {20, 24, 28}) {
      compaction(power);
      by_key<1>(power);
      by_key<16>(power);
      by_key<1024>(power);
      histograms(power, 256);
      histograms(power, 10'000);
      recurrences(power);
    }
  }
  for (int const power : {16, 20, 24, 28}) sorting<std::uint32_t>(power);
  for (int const power : {24, 28})
    for (std::uint32_t const different : {2u, 16u, 100u}) sorting<std::uint32_t>(power, different);
  for (int const power : {20, 24, 27}) {
    sorting<std::uint32_t>(power, 0, true);
    sorting<std::uint64_t>(power);
  }
  sorting<std::uint32_t>(27, 16, true);
}
