// Forward progress and reproducibility: few multiprocessors, company on the GPU, sizes beyond 2^32.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <thrust/iterator/counting_iterator.h>

#include "device_array.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

using path = cuda::workspace::path;

__global__ void occupy(int const volatile* go_home, unsigned* arrived)
{
  extern __shared__ char all_of_it[];
  all_of_it[threadIdx.x] = 0;
  if (threadIdx.x == 0) atomicAdd(arrived, 1);
  while (*go_home == 0) __nanosleep(1000);
}

/// While it lives, all multiprocessors but `free` are taken.
class occupation {
public:
  explicit occupation(int free)
  {
    int processors = 0, shared = 0;
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    check_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    check_cuda(cudaHostAlloc(&go_home_, sizeof(int), cudaHostAllocMapped));
    check_cuda(cudaHostAlloc(&arrived_, sizeof(unsigned), cudaHostAllocMapped));
    *go_home_ = 0;
    *arrived_ = 0;
    check_cuda(cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    auto const blocks = static_cast<unsigned>(processors - free);
    occupy<<<blocks, 1024, shared, on_>>>(go_home_, arrived_);
    check_cuda(cudaGetLastError());
    while (*static_cast<unsigned volatile*>(arrived_) < blocks) {}
  }
  ~occupation()
  {
    *static_cast<int volatile*>(go_home_) = 1;
    on_.wait();
    cudaFreeHost(go_home_);
    cudaFreeHost(arrived_);
  }

private:
  stream on_;
  int* go_home_ = nullptr;
  unsigned* arrived_ = nullptr;
};

TEST(cuda_progress, needs_no_more_than_one_multiprocessor)
{
  auto const x = values_to<float>(5'000'011);
  std::vector<float> expected(x.size());
  inclusive_scan(cpu{}, x, expected);
  device_array<float> const in(x);
  for (path const each : {path::registers, path::ring}) {
    for (int const free : {1, 2, 40}) {
      device_array<float> const out(x.size());
      float sum = 0;
      {
        stream on;
        cuda::workspace space;
        space.prefer(each);
        space.reserve(cuda::workspace::bytes_for<float>(x.size()), on);
        sum = reduce(cuda{on, space}, in);  // loads what would else be loaded while the GPU is taken
        inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
        on.wait();
        check_cuda(cudaMemset(out.begin(), 0, x.size() * sizeof(float)));
        check_cuda(cudaDeviceSynchronize());
        occupation const taken(free);
        inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
        sum = reduce(cuda{on, space}, in);
        on.wait();
      }
      EXPECT_TRUE(same_bytes(out.values(), expected)) << free << " multiprocessors";
      EXPECT_EQ(sum, expected.back());
    }
  }
}

/// Blocks that begin with the last tiles, on few multiprocessors: none of the totals that they wait for can come from
/// another block.
TEST(cuda_progress, whoever_waits_in_vain_computes_what_is_missing)
{
  for (std::size_t const tiles : {2, 33, 300}) {
    auto const x = values_to<float>(tiles * order::tile<float> - 77);
    std::vector<float> expected(x.size());
    device_array<float> const in(x), out(x.size()), sum(1);
    inclusive_scan(cpu{}, x, expected);
    stream on;
    cuda::workspace space;
    space.prefer(path::backwards);
    inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
    EXPECT_TRUE(same_bytes(out.values(), expected)) << tiles << " tiles";
    reduce_into(cuda{on, space}, in, sum.begin());
    on.wait();
    check_cuda(cudaMemset(out.begin(), 0, x.size() * sizeof(float)));
    check_cuda(cudaDeviceSynchronize());
    {
      occupation const taken(1);
      inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
      reduce_into(cuda{on, space}, in, sum.begin());
      on.wait();
    }
    EXPECT_TRUE(same_bytes(out.values(), expected)) << tiles << " tiles on one multiprocessor";
    EXPECT_EQ(sum.values()[0], expected.back());
  }
}

__global__ void disturb(float* data, std::size_t n)
{
  for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += std::size_t(gridDim.x) * blockDim.x)
    data[k] = data[k] * 1.5f + 1.0f;
}

struct differs {
  TALLY_HD unsigned operator()(float a, float b) const { return a == b ? 0 : 1; }
};

TEST(cuda_progress, the_same_bits_again_and_again_in_company)
{
  char const* const requested = std::getenv("TALLY_TEST_REPEATS");
  int const repeats = requested != nullptr ? std::atoi(requested) : 30;
  std::size_t const n = std::size_t(1) << (requested != nullptr ? 26 : 22);
  auto const x = values_to<float>(n);
  std::vector<float> expected(n);
  inclusive_scan(cpu{}, x, expected);
  device_array<float> const in(x), out(n), right(expected), company(n);
  stream on, other;
  cuda::workspace space;
  cuda::workspace second;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    space.prefer(repeat % 3 == 1 ? path::registers : path::automatic, repeat % 7 == 0 ? 1 + repeat : 0);
    for (int k = 0; k < 3; ++k) disturb<<<1 + repeat % 400, 256, 0, other>>>(company.begin(), n);
    check_cuda(cudaMemsetAsync(out.begin(), 0xA5, n * sizeof(float), on));
    inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
    float const sum = reduce(cuda{on, space}, in);
    ASSERT_EQ(sum, expected.back()) << "repeat " << repeat;
    ASSERT_EQ(transform_reduce(cuda{on, second}, out.begin(), out.end(), right.begin(), 0u, plus{}, differs{}), 0u)
        << "repeat " << repeat;
  }
}

struct is_not_its_place {
  TALLY_HD std::uint64_t operator()(std::uint64_t k, std::uint8_t value) const
  {
    return value != static_cast<std::uint8_t>(k + 1) ? 1 : 0;
  }
};

TEST(cuda_progress, sizes_beyond_2_to_the_32)
{
  std::size_t const n = (std::size_t(1) << 32) + 12'345;
  stream on;
  cuda::workspace space;
  cuda const here{on, space};
  auto const counting = thrust::counting_iterator<std::uint64_t>(0);
  EXPECT_EQ(reduce(here, counting, counting + n, std::uint64_t(0)), (n - 1) / 2 * n);

  std::size_t free = 0, all = 0;
  check_cuda(cudaMemGetInfo(&free, &all));
  if (free < 3 * n) GTEST_SKIP() << "needs " << 3 * n << " bytes of device memory, " << free << " are free";
  std::uint8_t *in = nullptr, *out = nullptr;
  check_cuda(cudaMalloc(&in, n));
  check_cuda(cudaMalloc(&out, n));
  check_cuda(cudaMemset(in, 1, n));
  for (path const each : {path::registers, path::ring}) {
    space.prefer(each);
    check_cuda(cudaMemset(out, 0, n));
    check_cuda(cudaDeviceSynchronize());
    inclusive_scan(here, in, in + n, out);
    EXPECT_EQ(transform_reduce(here, counting, counting + n, out, std::uint64_t(0), plus{}, is_not_its_place{}), 0u);
  }
  check_cuda(cudaFree(in));
  check_cuda(cudaFree(out));
}

}  // namespace
}  // namespace tally::test
