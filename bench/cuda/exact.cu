// tally_bench_cuda_exact: exact sums of arrays, rows, columns and segments, raced against the ordinary sums, CUB's and
// the read limit in one process; exact scans of the same, against ordinary ones and the copy limit.
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cuda/data.hpp"
#include "bench/cuda/limits.cuh"
#include "bench/cuda/race.hpp"
#include "tally/batches.hpp"
#include "tally/cuda.hpp"
#include "tally/operators/exact_plus.hpp"

namespace tally::bench {
namespace {

/// Terms in (-1/2, 1/2), each times a power of two of [-spread / 2, spread / 2).
template <class T>
__global__ void spread_terms(T* out, std::size_t n, int spread)
{
  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < n;
       k += std::size_t(gridDim.x) * blockDim.x) {
    std::uint64_t const bits = random_element::bits(k);
    int const power = spread == 0 ? 0 : static_cast<int>(bits % static_cast<unsigned>(spread)) - spread / 2;
    out[k] = static_cast<T>(ldexp(static_cast<double>(bits >> 11) * 0x1p-53 - 0.5, power));
  }
}

void report(std::string const& what, std::vector<contender> const& contenders, manner how = manner::stream)
{
  std::vector<result> const times = race(contenders, how, how == manner::prepared ? 1 : 4, 9);
  double limit = 0;
  for (result const& time : times)
    if (time.name.starts_with("read") || time.name == "cudaMemcpy") limit = std::max(limit, time.gigabytes_a_second());
  std::printf("%-38s", what.c_str());
  for (result const& time : times)
    std::printf("  %s %.0f us (%.2f)", time.name.c_str(), time.microseconds, time.gigabytes_a_second() / limit);
  std::printf("\n");
  std::fflush(stdout);
}

/// A call with sums of sequences by pairs, or by levels, whatever their length.
template <class F>
void by_pairs(bool pairs, F const& call)
{
  auto& tuning = cuda_backend::exact::pairs_tuning_in_use();
  auto const before = tuning;
  tuning.most_terms = pairs ? ~std::size_t{0} : 0;
  tuning.least_in_columns = pairs ? 0 : ~std::size_t{0};
  call();
  tuning = before;
}

/// `parts` names the races: sums, batches, scans and segments.
template <class T>
void races(std::string const& type, std::string const& parts)
{
  auto const has = [&](char const* part) { return parts.empty() || parts.find(part) != std::string::npos; };
  constexpr std::size_t most = (std::size_t(1) << 30) / sizeof(T);
  buffers<T> const data(most, 2);
  cuda::workspace space, ordinary_space;
  T* sums = nullptr;
  check_cuda(cudaMalloc(&sums, most * sizeof(T)));
  for (int const spread : {0, 60, 120, 240}) {
    if (!has("sums")) break;
    for (int k = 0; k < 2; ++k) spread_terms<<<1056, 256>>>(const_cast<T*>(data.in(k)), most, spread);
    check_cuda(cudaDeviceSynchronize());
    for (std::size_t n = std::size_t(1) << 18; n <= most; n *= 4) {
      cub_room own(
          [&](void* memory, std::size_t& bytes) { return cub::DeviceReduce::Sum(memory, bytes, data.in(0), sums, n); });
      auto const bytes = static_cast<double>(n * sizeof(T));
      report("exact sum/" + type + "/spread 2^" + std::to_string(spread) + "/2^" +
                 std::to_string(static_cast<int>(std::log2(n))),
             {{"read", bytes,
               [&](cudaStream_t stream, int call) {
                 timing::read_on_gpu(data.in(call), n * sizeof(T), data.out(call), 1056, stream);
               }},
              {"CUB", bytes,
               [&](cudaStream_t stream, int call) {
                 check_cuda(cub::DeviceReduce::Sum(own.memory(), own.bytes(), data.in(call), sums, n, stream));
               }},
              {"plus", bytes,
               [&](cudaStream_t stream, int call) {
                 reduce_into(cuda{stream, ordinary_space}, data.in(call), data.in(call) + n, sums, T(0));
               }},
              {"exact_plus", bytes, [&](cudaStream_t stream, int call) {
                 reduce_into(cuda{stream, space}, data.in(call), data.in(call) + n, sums, T(0), exact_plus{});
               }}});
    }
  }
  for (int k = 0; k < 2; ++k) spread_terms<<<1056, 256>>>(const_cast<T*>(data.in(k)), most, 0);
  check_cuda(cudaDeviceSynchronize());
  auto const batch = [&](std::string const& what, auto const& sequences_of, double bytes) {
    report("exact sums/" + type + "/" + what,
           {{"read", static_cast<double>(most * sizeof(T)),
             [&](cudaStream_t stream, int call) {
               timing::read_on_gpu(data.in(call), most * sizeof(T), data.out(call), 1056, stream);
             }},
            {"plus", bytes,
             [&](cudaStream_t stream, int call) { reduce(cuda{stream, ordinary_space}, sequences_of(call), sums); }},
            {"by pairs", bytes,
             [&](cudaStream_t stream, int call) {
               by_pairs(true, [&] { reduce(cuda{stream, space}, sequences_of(call), sums, exact_plus{}); });
             }},
            {"by levels", bytes, [&](cudaStream_t stream, int call) {
               by_pairs(false, [&] { reduce(cuda{stream, space}, sequences_of(call), sums, exact_plus{}); });
             }}});
  };
  for (std::size_t const length : {std::size_t(16), std::size_t(64), std::size_t(256), std::size_t(1024),
                                   std::size_t(4096), std::size_t(65536), std::size_t(1) << 22}) {
    if (!has("batches")) break;
    std::size_t const others = most / length;
    auto const bytes = static_cast<double>((most + others) * sizeof(T));
    batch(
        "rows of " + std::to_string(length),
        [&](int call) { return along(1, array_view<T const>(data.in(call), {others, length})); }, bytes);
    batch(
        "columns of " + std::to_string(length),
        [&](int call) { return along(0, array_view<T const>(data.in(call), {length, others})); }, bytes);
  }
  auto const scan_race = [&](std::string const& what, double bytes, auto const& scan) {
    report("exact scans/" + type + "/" + what,
           {{"cudaMemcpy", static_cast<double>(2 * most * sizeof(T)),
             [&](cudaStream_t stream, int call) {
               check_cuda(cudaMemcpyAsync(data.out(call), data.in(call), most * sizeof(T), cudaMemcpyDefault, stream));
             }},
            {"plus", bytes,
             [&](cudaStream_t stream, int call) {
               scan(cuda{stream, ordinary_space}, data.in(call), data.out(call), plus{});
             }},
            {"exact_plus", bytes, [&](cudaStream_t stream, int call) {
               scan(cuda{stream, space}, data.in(call), data.out(call), exact_plus{});
             }}});
  };
  for (int const spread : {60, 120, 0}) {
    if (!has("scans")) break;
    for (int k = 0; k < 2; ++k) spread_terms<<<1056, 256>>>(const_cast<T*>(data.in(k)), most, spread);
    check_cuda(cudaDeviceSynchronize());
    for (std::size_t n = spread == 0 ? most >> 20 : most; n <= most; n *= 32)
      scan_race("spread 2^" + std::to_string(spread) + "/2^" + std::to_string(static_cast<int>(std::log2(n))),
                static_cast<double>(2 * n * sizeof(T)),
                [&](cuda const& on, T const* in, T* out, auto op) { inclusive_scan(on, in, in + n, out, op); });
  }
  if (has("scans")) {
    auto const bytes = static_cast<double>(2 * most * sizeof(T));
    auto const copy = [&](cudaStream_t stream, int call) {
      check_cuda(cudaMemcpyAsync(data.out(call), data.in(call), most * sizeof(T), cudaMemcpyDefault, stream));
    };
    auto const scan = [&](cuda::workspace& in, auto op) {
      return [&, op](cudaStream_t stream, int call) {
        T* const all = data.out(call);
        inclusive_scan(cuda{stream, in}, all, all + most, all, op);
      };
    };
    report("exact scans/" + type + "/in place, 2^" + std::to_string(static_cast<int>(std::log2(most))),
           {{"cudaMemcpy", bytes, copy, copy},
            {"plus", bytes, scan(ordinary_space, plus{}), copy},
            {"exact_plus", bytes, scan(space, exact_plus{}), copy}},
           manner::prepared);
  }
  for (std::size_t const length : {std::size_t(16), std::size_t(256), std::size_t(4096), std::size_t(65536)}) {
    if (!has("scans")) break;
    per_axis const rows{static_cast<std::ptrdiff_t>(most / length), static_cast<std::ptrdiff_t>(length)};
    scan_race("rows of " + std::to_string(length), static_cast<double>(2 * most * sizeof(T)),
              [&](cuda const& on, T const* in, T* out, auto op) {
                inclusive_scan(on, along(1, array_view<T const>(in, rows)), along(1, array_view<T>(out, rows)), op);
              });
  }
  for (std::string const kind : {"mean 1", "mean 4", "mean 16", "mean 256", "mean 65536", "1..2000", "few of 200000"}) {
    if (!has("segments")) break;
    std::vector<std::uint32_t> offsets{0};
    std::uint64_t turn = 0;
    auto const random = [&] { return random_element::bits(turn++) >> 11; };
    while (offsets.back() < most) {
      std::size_t length = 0;
      if (kind.starts_with("mean"))
        length = static_cast<std::size_t>(
            -std::log((static_cast<double>(random()) + 1) * 0x1p-53) * std::stod(kind.substr(5)) + 0.5);
      else if (kind == "1..2000")
        length = 1 + random() % 2000;
      else
        length = random() % 100 == 0 ? 200'000 : 1 + random() % 20;
      offsets.push_back(static_cast<std::uint32_t>(std::min(most, offsets.back() + length)));
    }
    std::uint32_t* between = nullptr;
    std::size_t const count = offsets.size();
    check_cuda(cudaMalloc(&between, count * sizeof(std::uint32_t)));
    check_cuda(cudaMemcpy(between, offsets.data(), count * sizeof(std::uint32_t), cudaMemcpyDefault));
    auto const segments_of = [&](T const* values) {
      return tally::segments(values, static_cast<std::uint32_t const*>(between),
                             static_cast<std::uint32_t const*>(between) + count);
    };
    auto const bytes_of_offsets = static_cast<double>(count * sizeof(std::uint32_t));
    if (count <= most)
      batch(
          "segments, " + kind, [&](int call) { return segments_of(data.in(call)); },
          static_cast<double>((most + count) * sizeof(T)) + bytes_of_offsets);
    scan_race("segments, " + kind, static_cast<double>(2 * most * sizeof(T)) + bytes_of_offsets,
              [&](cuda const& on, T const* in, T* out, auto op) { inclusive_scan(on, segments_of(in), out, op); });
    check_cuda(cudaFree(between));
  }
  check_cuda(cudaFree(sums));
}

}  // namespace
}  // namespace tally::bench

/// tally_bench_cuda_exact [PARTS [TYPE]]
int main(int count, char** arguments)
{
  std::string const parts = count > 1 ? arguments[1] : "", type = count > 2 ? arguments[2] : "";
  if (type != "double") tally::bench::races<float>("float", parts);
  if (type != "float") tally::bench::races<double>("double", parts);
}
