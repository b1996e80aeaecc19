#include "bench/gpu.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>
#include <tally/cuda.hpp>

#include "bench/read_kernel.hpp"
#include "bench/timing.hpp"
#include "gpu/gpu.hpp"
#include "gpu/resources.hpp"

namespace tally::cli {

namespace {

class gpu_machine {
public:
  explicit gpu_machine(std::size_t largest) : in_(take_on_device(largest)), out_(take_on_device(largest))
  {
    check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, 0), "asking for multiprocessors");
  }

  /// Whether the device had room for the arrays.
  explicit operator bool() const { return in_ && out_; }

  template <class T>
  void measure(std::string const& type, std::size_t bytes, std::vector<speed>& cells)
  {
    std::size_t const n = bytes / sizeof(T);
    T* const in = static_cast<T*>(in_.get());
    T* const out = static_cast<T*>(out_.get());
    fill<T>(in, n);
    cuda const on{stream_.get(), space_};
    auto const once = static_cast<double>(bytes);
    std::vector<contender> all = {
        {[&] { check(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream_.get()), "copying"); }, 2 * once},
        {[&] { inclusive_scan(on, in, in + n, out); }, 2 * once},
        {[&] { reduce_into(on, in, in + n, out); }, once},
    };
    for (int const blocks : {2, 4, 8})
      all.push_back({[&, blocks] { timing::read_on_gpu(in, bytes, out, blocks * processors_, stream_.get()); }, once});
    std::vector<double> const gigabytes = speeds_of(all);
    cells.push_back({"scan", type, bytes, n, gigabytes[0], gigabytes[1]});
    cells.push_back(
        {"reduce", type, bytes, n, *std::max_element(gigabytes.begin() + 3, gigabytes.end()), gigabytes[2]});
  }

private:
  /// The CPU's values: from 0 to 31, without a pattern. They repeat after 2^20 elements, far more than a tile.
  template <class T>
  void fill(T* to, std::size_t n)
  {
    std::vector<T> some(std::min(n, std::size_t{1} << 20));
    std::uint64_t state = 42;
    for (T& value : some) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      value = static_cast<T>(std::is_floating_point_v<T> ? static_cast<double>(state >> 32) * 0x1p-27
                                                         : static_cast<double>(state >> 59));
    }
    for (std::size_t first = 0; first < n; first += some.size())
      check(cudaMemcpy(to + first, some.data(), std::min(some.size(), n - first) * sizeof(T), cudaMemcpyHostToDevice),
            "copying to the device");
    check(cudaDeviceSynchronize(), "copying to the device");  // the stream waits for no other
  }

  /// Seconds of one call, measured over `calls` calls in a row on the stream.
  double seconds_of(contender const& one, std::size_t calls)
  {
    check(cudaEventRecord(begin_.get(), stream_.get()), "timing");
    for (std::size_t k = 0; k < calls; ++k) one.run();
    check(cudaEventRecord(end_.get(), stream_.get()), "timing");
    check(cudaEventSynchronize(end_.get()), "running");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "timing");
    return static_cast<double>(milliseconds) * 1e-3 / static_cast<double>(calls);
  }

  /// GB/s of each contender. Calls are timed in batches of two milliseconds.
  std::vector<double> speeds_of(std::vector<contender> const& all)
  {
    return gigabytes_per_second(
        all, timing::median_seconds(all.size(), 7, 2e-3, 1e3,
                                    [&](std::size_t k, std::size_t calls) { return seconds_of(all[k], calls); }));
  }

  cuda_stream stream_ = make_stream();
  cuda::workspace space_;
  cuda_event begin_ = make_event(cudaEventDefault);
  cuda_event end_ = make_event(cudaEventDefault);
  device_memory in_;
  device_memory out_;
  int processors_ = 1;
};

}  // namespace

std::optional<gpu_speeds> measure_gpu()
{
  if (!find_gpu().found) return std::nullopt;
  gpu_speeds measured;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for its name");
  measured.name = properties.name;
  checked([&] {
    for (std::size_t const bytes : {std::size_t{1} << 22, std::size_t{1} << 28, std::size_t{1} << 30}) {
      gpu_machine machine(bytes);
      if (!machine) break;  // its memory is small, or other processes use it
      machine.measure<float>("float32", bytes, measured.cells);
      machine.measure<double>("float64", bytes, measured.cells);
      machine.measure<std::int32_t>("int32", bytes, measured.cells);
      machine.measure<std::int64_t>("int64", bytes, measured.cells);
    }
  });
  std::stable_sort(measured.cells.begin(), measured.cells.end(),
                   [](speed const& a, speed const& b) { return a.call > b.call; });
  return measured;
}

}  // namespace tally::cli
