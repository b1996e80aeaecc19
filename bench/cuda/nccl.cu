#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "../../tests/cuda/device_array.hpp"
#include "../../tests/nccl/nccl_communicators.hpp"
#include "tally/cuda.hpp"
#include "tally/nccl.hpp"

/// Two GPUs of one host, as threads of one process over NCCL, beside one GPU that has the whole: tally_bench_nccl
/// [latency | sizes] [LOG2_OF_MOST]. A time is that of the fastest of some rounds of calls that are queued one after
/// the other, the stream waited for behind a round.
namespace tally::bench {
namespace {

using test::check_cuda;
using test::device_array;

/// Element k of the sequence, in [-1, 1).
__device__ float element(std::size_t k)
{
  std::uint64_t z = k * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return static_cast<float>(static_cast<std::int32_t>(z >> 32)) * 0x1p-31f;
}
__global__ void fill(float* x, std::size_t n, std::size_t first)
{
  std::size_t const all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; k < n; k += all) x[k] = element(first + k);
}
/// Adds the bits of results times odd numbers, so that a result at another place shows.
__global__ void add_bits(float const* x, std::size_t n, std::size_t first, unsigned long long* sum)
{
  std::size_t const all = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long own = 0;
  for (std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; k < n; k += all)
    own += __float_as_uint(x[k]) * (2 * (first + k) + 1);
  atomicAdd(sum, own);
}
unsigned long long checksum(float const* x, std::size_t n, std::size_t first, cudaStream_t stream)
{
  device_array<unsigned long long> sum(std::vector<unsigned long long>{0});
  add_bits<<<1024, 256, 0, stream>>>(x, n, first, sum.begin());
  unsigned long long result = 0;
  check_cuda(cudaMemcpyAsync(&result, sum.begin(), sizeof(result), cudaMemcpyDefault, stream));
  check_cuda(cudaStreamSynchronize(stream));
  return result;
}

double now()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of one call. `meet` is what ranks do between rounds.
template <class Meet, class Call>
double seconds_of(cudaStream_t stream, int rounds, int times, Meet const& meet, Call const& call)
{
  call();
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    check_cuda(cudaStreamSynchronize(stream));
    meet();
    double const begin = now();
    for (int k = 0; k < times; ++k) call();
    check_cuda(cudaStreamSynchronize(stream));
    meet();
    least = std::min(least, (now() - begin) / times);
  }
  return least;
}

/// A rank of the two: its stream, workspace and communicator.
struct rank_of_pair {
  ncclComm* communicator;
  int rank;
  test::nccl_communicators const& pair;
  test::stream own;
  cuda::workspace space;

  rank_of_pair(ncclComm* by, int number, test::nccl_communicators const& of) : communicator(by), rank(number), pair(of)
  {
    space.reserve(std::size_t{64} << 20, own);
  }
  template <class Call>
  double time(int rounds, int times, Call const& call) const
  {
    return seconds_of(own, rounds, times, [&] { pair.meet(); }, call);
  }
  void print(std::string const& what, double seconds) const
  {
    if (rank == 0) std::printf("%-48s %8.2f us\n", what.c_str(), 1e6 * seconds);
  }
};

void latencies(test::nccl_communicators const& pair)
{
  pair.each([&](ncclComm* communicator, int rank) {
    rank_of_pair of(communicator, rank, pair);
    auto const& library = nccl_backend::library::get();
    device_array<float> x(std::vector<float>(1 << 16, 1.0f)), y(1 << 17);
    auto const gather = [&](std::size_t bytes) {
      library.AllGather(x.begin(), y.begin(), bytes, nccl_backend::nccl_char, communicator, of.own);
    };
    of.print("ncclAllGather of 128 bytes", of.time(5, 200, [&] { gather(128); }));
    of.print("ncclAllGather of 64 KiB", of.time(5, 200, [&] { gather(1 << 16); }));
    of.print("ncclAllGather of 128 bytes, waited for", of.time(5, 100, [&] {
      gather(128);
      check_cuda(cudaStreamSynchronize(of.own));
    }));
    of.print("ncclSend of 16 KiB", of.time(5, 200, [&] {
      library.GroupStart();
      if (rank == 0) library.Send(x.begin(), 1 << 14, nccl_backend::nccl_char, 1, communicator, of.own);
      if (rank == 1) library.Recv(x.begin(), 1 << 14, nccl_backend::nccl_char, 0, communicator, of.own);
      library.GroupEnd();
    }));
    for (std::size_t const n : {1, 64, 8192, 65536}) {
      std::array<std::size_t, 2> const parts{n, n};
      nccl const on(communicator, of.own, of.space), known(communicator, of.own, of.space, parts);
      float* const first = x.begin();
      float* const last = first + n;
      float* const sum = y.begin() + (1 << 16);
      auto const print = [&](char const* what, auto const& call) {
        of.print(std::string(what) + ", " + std::to_string(n) + " floats each", of.time(5, 100, call));
      };
      print("reduce", [&] { (void)tally::reduce(on, first, last); });
      print("reduce, sizes known", [&] { (void)tally::reduce(known, first, last); });
      print("reduce_into, sizes known", [&] { tally::reduce_into(known, first, last, sum); });
      print("inclusive_scan", [&] { tally::inclusive_scan(on, first, last, y.begin()); });
      print("inclusive_scan, sizes known", [&] { tally::inclusive_scan(known, first, last, y.begin()); });
      cuda const alone(of.own, of.space);
      print("one GPU: reduce_into", [&] { tally::reduce_into(alone, first, last, sum); });
      print("one GPU: inclusive_scan", [&] { tally::inclusive_scan(alone, first, last, y.begin()); });
    }
    pair.meet();
  });
}

/// The times and results of one size.
struct race {
  double scan, known_scan, reduction, known_reduction, scan_of_one, reduction_of_one;
  std::array<unsigned long long, 2> sums;
  unsigned long long sum_of_one;
  float value, value_of_one;
};

/// 2^20 to 2^most floats on each GPU. Rank 0's has room for all of them, and computes them alone too.
void sizes(test::nccl_communicators const& pair, int most)
{
  std::vector<race> races(static_cast<std::size_t>(most) + 1);
  pair.each([&](ncclComm* communicator, int rank) {
    rank_of_pair of(communicator, rank, pair);
    std::size_t const room = (std::size_t{1} << most) * (rank == 0 ? 2 : 1);
    device_array<float> in(room), out(room), sum(64);
    for (int log = 20; log <= most; log += log == 30 ? 1 : 2) {
      race& result = races[static_cast<std::size_t>(log)];
      std::size_t const n = std::size_t{1} << log, begin = n * static_cast<std::size_t>(rank);
      int const times = log >= 30 ? 3 : log >= 26 ? 10 : 50;
      std::array<std::size_t, 2> const parts{n, n};
      nccl const on(communicator, of.own, of.space), known(communicator, of.own, of.space, parts);
      float* const first = in.begin();
      float* const last = first + n;
      fill<<<1024, 256, 0, of.own>>>(first, n, begin);
      double const times_of_pair[] = {
          of.time(3, times, [&] { tally::inclusive_scan(on, first, last, out.begin()); }),
          of.time(3, times, [&] { tally::inclusive_scan(known, first, last, out.begin()); }),
          of.time(3, times, [&] { (void)tally::reduce(on, first, last); }),
          of.time(3, times, [&] { tally::reduce_into(known, first, last, sum.begin()); })};
      result.sums[static_cast<std::size_t>(rank)] = checksum(out.begin(), n, begin, of.own);
      if (rank == 1) check_cuda(cudaMemcpy(&result.value, sum.begin(), sizeof(float), cudaMemcpyDefault));
      pair.meet();
      if (rank == 0) {
        result.scan = times_of_pair[0];
        result.known_scan = times_of_pair[1];
        result.reduction = times_of_pair[2];
        result.known_reduction = times_of_pair[3];
        cuda const alone(of.own, of.space);
        auto const no_meeting = [] {};
        fill<<<1024, 256, 0, of.own>>>(first, 2 * n, 0);
        result.scan_of_one = seconds_of(of.own, 3, times, no_meeting,
                                        [&] { tally::inclusive_scan(alone, first, first + 2 * n, out.begin()); });
        result.sum_of_one = checksum(out.begin(), 2 * n, 0, of.own);
        result.reduction_of_one = seconds_of(of.own, 3, times, no_meeting,
                                             [&] { tally::reduce_into(alone, first, first + 2 * n, sum.begin()); });
        check_cuda(cudaMemcpy(&result.value_of_one, sum.begin(), sizeof(float), cudaMemcpyDefault));
      }
      pair.meet();
    }
  });
  std::printf("%-6s %9s %9s %9s %9s %9s %9s %6s %6s  %s\n", "floats", "scan, us", "known", "reduce", "into",
              "one: scan", "reduce", "gain", "gain", "bits of one GPU");
  for (int log = 20; log <= most; log += log == 30 ? 1 : 2) {
    race const& of = races[static_cast<std::size_t>(log)];
    bool const same =
        of.sums[0] + of.sums[1] == of.sum_of_one && std::memcmp(&of.value, &of.value_of_one, sizeof(float)) == 0;
    std::printf("2^%-4d %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %6.2f %6.2f  %s\n", log, 1e6 * of.scan, 1e6 * of.known_scan,
                1e6 * of.reduction, 1e6 * of.known_reduction, 1e6 * of.scan_of_one, 1e6 * of.reduction_of_one,
                of.scan_of_one / of.known_scan, of.reduction_of_one / of.known_reduction, same ? "yes" : "NO");
  }
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv)
{
  using namespace tally::bench;
  std::string const what = argc > 1 ? argv[1] : "";
  int const most = argc > 2 ? std::atoi(argv[2]) : 30;
  if ((!what.empty() && what != "latency" && what != "sizes") || most < 20 || most > 31) {
    std::fprintf(stderr, "usage: tally_bench_nccl [latency | sizes] [20 .. 31]\n");
    return 2;
  }
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    std::printf("one GPU: there is nothing to compare\n");
    return 0;
  }
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0));
  tally::test::nccl_communicators const pair(2);
  if (!pair.found()) {
    std::printf("no NCCL\n");
    return 0;
  }
  std::printf("2 of %d GPUs, %s\n", devices, properties.name);
  if (what != "sizes") latencies(pair);
  if (what != "latency") sizes(pair, most);
}
