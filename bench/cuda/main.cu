// tally_bench_cuda: Tally raced against the toolkit's CUB and the GPU's limits, in one process.
#include <cub/cub.cuh>

#include <cuda/std/complex>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/data.hpp"
#include "bench/cuda/limits.cuh"
#include "bench/cuda/race.hpp"
#include "tally/cuda.hpp"
#include "tally/operators.hpp"

namespace tally::bench {
namespace {

nlohmann::ordered_json records = nlohmann::ordered_json::array();
bool quick = false;

char const* name_of(manner how)
{
  return how == manner::graph ? "graph" : how == manner::stream ? "stream" : "cold";
}

/// Runs a race, records every contender, and prints a line for Tally, CUB and the empty kernel. The limit is the
/// fastest of cudaMemcpy and the contenders whose name begins with "read".
void report(std::string const& what, std::size_t n, manner how, std::vector<contender> const& contenders)
{
  double const bytes = contenders[0].bytes;
  int const calls = how == manner::cold ? 1 : bytes <= (1 << 24) ? 100 : bytes <= (1 << 28) ? 20 : 4;
  std::vector<result> const times = race(contenders, how, calls, quick ? 5 : 15);
  double limit = 0, peer = 0;
  for (result const& time : times) {
    if (time.name == "cudaMemcpy" || time.name.starts_with("read")) limit = std::max(limit, time.gigabytes_a_second());
    if (time.name == "CUB") peer = time.microseconds;
  }
  for (result const& time : times) {
    if (time.name == "empty kernel")
      std::printf("%-26s 2^%-3.4g %-6s %s %5.2f us\n", what.c_str(), std::log2(static_cast<double>(n)), name_of(how),
                  time.name.c_str(), time.microseconds);
    if (time.name == "Tally" || time.name == "CUB")
      std::printf("%-26s 2^%-3.4g %-6s %-6s %10.2f us %7.0f GB/s  %.3f of the limit  %s  noise %.1f%%\n", what.c_str(),
                  std::log2(static_cast<double>(n)), name_of(how), time.name.c_str(), time.microseconds,
                  time.gigabytes_a_second(), time.gigabytes_a_second() / limit,
                  time.name == "Tally" && peer > 0
                      ? (std::to_string(peer / time.microseconds).substr(0, 4) + " x CUB").c_str()
                      : "          ",
                  100 * time.noise);
    records.push_back({{"what", what},
                       {"n", n},
                       {"manner", name_of(how)},
                       {"contender", time.name},
                       {"microseconds", std::round(time.microseconds * 1e4) / 1e4},
                       {"bytes", static_cast<std::size_t>(time.bytes)},
                       {"noise", std::round(time.noise * 1e4) / 1e4}});
  }
  std::fflush(stdout);
}

manner manner_of(std::size_t bytes)
{
  return bytes <= (std::size_t(1) << 24) ? manner::graph : manner::stream;
}

/// How many inputs calls take in turn. One below 64 MiB, which may stay in the cache; four from there on, so that no
/// call finds its own in the cache; one from 256 MiB on, since no cache holds it.
int inputs_for(std::size_t bytes)
{
  return bytes >= (std::size_t(1) << 28) ? 1 : bytes >= (std::size_t(1) << 26) ? 4 : 1;
}

template <class T, class Op = plus>
void scans(std::string const& type, std::vector<int> const& powers, Op op = {})
{
  for (int const power : powers) {
    std::size_t const n = std::size_t(1) << power, bytes = n * sizeof(T);
    buffers<T> const data(n, inputs_for(bytes));
    for (bool const exclusive : {false, true}) {
      std::vector<contender> racers{copy_limit(data, sizeof(T))};
      std::unique_ptr<cub_room> room;
      if constexpr (std::is_arithmetic_v<T> && std::is_same_v<Op, plus>) {
        room = std::make_unique<cub_room>([&](void* memory, std::size_t& size) {
          return cub::DeviceScan::ExclusiveSum(memory, size, data.in(0), data.out(0), n);
        });
        racers.push_back({"CUB", 2.0 * bytes, [&, exclusive](cudaStream_t stream, int call) {
                            exclusive
                                ? check_cuda(cub::DeviceScan::ExclusiveSum(room->memory(), room->bytes(), data.in(call),
                                                                           data.out(call), n, stream))
                                : check_cuda(cub::DeviceScan::InclusiveSum(room->memory(), room->bytes(), data.in(call),
                                                                           data.out(call), n, stream));
                          }});
      }
      cuda::workspace space;
      racers.push_back({"Tally", 2.0 * bytes, [&, exclusive](cudaStream_t stream, int call) {
                          cuda const on{stream, space};
                          T const* const in = data.in(call);
                          if (exclusive)
                            exclusive_scan(on, in, in + n, data.out(call), identity_of<T>(op), op);
                          else
                            inclusive_scan(on, in, in + n, data.out(call), op);
                        }});
      std::string const what = (exclusive ? "exclusive scan " : "inclusive scan ") + type;
      if (bytes <= (1 << 20)) racers.push_back(launch_limit());
      report(what, n, manner_of(bytes), racers);
      if (!exclusive && bytes <= (1 << 20)) report(what, n, manner::stream, racers);
      if (!exclusive && power == 24) report(what, n, manner::cold, racers);
    }
  }
}

template <class T, class Op = plus>
void reductions(std::string const& type, std::vector<int> const& powers, Op op = {})
{
  for (int const power : powers) {
    std::size_t const n = std::size_t(1) << power, bytes = n * sizeof(T);
    buffers<T> const data(n, inputs_for(bytes));
    std::vector<contender> racers{read_limit(data, sizeof(T), 132 * 2), read_limit(data, sizeof(T), 132 * 4)};
    std::unique_ptr<cub_room> room;
    if constexpr (std::is_arithmetic_v<T> && std::is_same_v<Op, plus>) {
      room = std::make_unique<cub_room>([&](void* memory, std::size_t& size) {
        return cub::DeviceReduce::Sum(memory, size, data.in(0), data.out(0), n);
      });
      racers.push_back({"CUB", 1.0 * bytes, [&](cudaStream_t stream, int call) {
                          check_cuda(cub::DeviceReduce::Sum(room->memory(), room->bytes(), data.in(call),
                                                            data.out(call), n, stream));
                        }});
    }
    cuda::workspace space;
    racers.push_back({"Tally", 1.0 * bytes, [&](cudaStream_t stream, int call) {
                        T const* const in = data.in(call);
                        reduce_into(cuda{stream, space}, in, in + n, data.out(call), identity_of<T>(op), op);
                      }});
    if (bytes <= (1 << 20)) racers.push_back(launch_limit());
    report("reduce " + type, n, manner_of(bytes), racers);
  }
}

void all()
{
  std::vector<int> const few =
      quick ? std::vector<int>{14, 18, 22, 24, 28} : std::vector<int>{10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
  std::vector<int> const large = quick ? std::vector<int>{28} : std::vector<int>{22, 24, 26, 28, 30};
  std::vector<int> const wide = quick ? std::vector<int>{27} : std::vector<int>{21, 23, 25, 27, 29};
  scans<float>("f32", few);
  scans<std::int32_t>("i32", few);
  scans<double>("f64", quick ? wide : std::vector<int>{10, 14, 18, 20, 22, 24, 26, 28, 29});
  scans<std::int64_t>("i64", wide);
  scans<std::uint8_t>("u8", large);
  scans<std::int16_t>("i16", large);
  scans<half>("f16", large);
  scans<bfloat16>("bf16", quick ? large : std::vector<int>{28});
  scans<::cuda::std::complex<float>>("complex f32", wide);
  scans<::cuda::std::complex<double>>("complex f64", quick ? std::vector<int>{26} : std::vector<int>{22, 24, 26, 28});
  scans<affine<float>>("affine of f32", wide, compose{});
  scans<indexed<float, std::uint32_t>>("argmin of f32", quick ? wide : std::vector<int>{27}, argmin{});
  std::vector<int> const small = quick ? few : std::vector<int>{14, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28};
  reductions<float>("f32", quick ? few : std::vector<int>{10, 12, 14, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28, 30});
  reductions<std::int32_t>("i32", small);
  reductions<double>("f64", quick ? wide : std::vector<int>{13, 15, 16, 17, 18, 19, 20, 21, 23, 25, 27, 29});
  reductions<std::uint8_t>("u8", small);
  reductions<half>("f16", quick ? large : std::vector<int>{18, 20, 22, 28});
  reductions<indexed<float, std::uint32_t>>("argmin of f32", quick ? wide : std::vector<int>{27, 29}, argmin{});
  reductions<moments<float>>("mean and variance of f32", quick ? std::vector<int>{26} : std::vector<int>{26, 28},
                             mean_and_variance{});
  reductions<affine<float>>("affine of f32", quick ? wide : std::vector<int>{27, 29}, compose{});
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv)
{
  char const* json = nullptr;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--quick") == 0) {
      tally::bench::quick = true;
    } else if (std::strcmp(argv[k], "--json") == 0 && k + 1 < argc) {
      json = argv[++k];
    } else {
      std::fprintf(stderr, "usage: tally_bench_cuda [--quick] [--json FILE]\n");
      return 2;
    }
  }
  cudaDeviceProp device{};
  tally::bench::check_cuda(cudaGetDeviceProperties(&device, 0));
  int version = 0;
  tally::bench::check_cuda(cudaRuntimeGetVersion(&version));
  std::printf("%s, CUDA %d.%d, CUB %d.%d\n", device.name, version / 1000, version % 1000 / 10, CUB_MAJOR_VERSION,
              CUB_MINOR_VERSION);
  tally::bench::all();
  if (json != nullptr) {
    std::ofstream out(json);
    out << tally::bench::records.dump(1) << '\n';
    if (!out.flush()) {
      std::fprintf(stderr, "tally_bench_cuda: %s cannot be written\n", json);
      return 1;
    }
  }
}
