// Calls whose number of elements lies in the GPU's memory: the tests of any backend, graphs, and the last epoch.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../contract/counted_suite.hpp"
#include "../contract/cuda_backend.hpp"
#include "../contract/elements.hpp"
#include "tally/cuda.hpp"
#include "tally/sequences.hpp"

namespace tally::test {
namespace {

using on_gpu = test::cuda_backend;

/// Sizes at which a GPU has one tile for each multiprocessor, and more tiles than blocks.
template <class T>
std::vector<std::size_t> many_tiles()
{
  std::size_t const tile = order::tile<T>;
  return {8 * tile, 8 * tile + 1, 33 * tile + 5, 265 * tile + 1};
}

TEST(cuda_counted, floats)
{
  counts_around_units<on_gpu, float, std::int32_t>(plus{}, many_tiles<float>());
}
TEST(cuda_counted, bytes)
{
  counts_around_units<on_gpu, std::uint8_t, std::uint64_t>(plus{});
}
TEST(cuda_counted, brackets_of_an_operator_without_kernels)
{
  counts_around_units<on_gpu, float, std::uint32_t>(halve_and_add{}, many_tiles<float>());
}

struct mixed {
  __host__ __device__ std::uint32_t operator()(std::size_t k) const
  {
    return static_cast<std::uint32_t>(k) * 2654435761u >> 7;
  }
};
TEST(cuda_counted, elements_that_a_function_gives)
{
  std::size_t const most = 1'000'000;
  std::vector<std::uint32_t> all(most);
  inclusive_scan(elements_from(mixed{}), elements_from(mixed{}) + std::ptrdiff_t(most), all.begin());
  stream on;
  cuda::workspace space;
  for (std::size_t const n : {std::size_t(0), std::size_t(1), std::size_t(8191), std::size_t(8192), std::size_t(8193),
                              std::size_t(500'001), most}) {
    device_array<std::size_t> const count(std::vector<std::size_t>{n});
    device_array<std::uint32_t> const out(std::vector<std::uint32_t>(most, 7u));
    inclusive_scan(cuda{on, space}, counted(elements_from(mixed{}), count_at(count.begin(), most)), out.begin());
    std::vector<std::uint32_t> expected(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    expected.resize(most, 7u);
    ASSERT_TRUE(same_bytes(out.values(), expected)) << n;
  }
}

TEST(cuda_counted, a_graph_replays_with_other_counts)
{
  std::size_t const most = 3'000'017;
  auto const x = values_to<float>(most);
  device_array<float> const in(x);
  device_array<int> count(1);
  stream on;
  cuda::workspace space;
  space.reserve(cuda::workspace::bytes_for<float>(most), on);
  device_array<float> const out(std::vector<float>(most, -1.0f)), sum(1);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check_cuda(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
  auto const some = counted(static_cast<float const*>(in.begin()), count_at(count.begin(), most));
  inclusive_scan(cuda{on, space}, some, out.begin());
  reduce_into(cuda{on, space}, some, sum.begin());
  check_cuda(cudaStreamEndCapture(on, &graph));
  check_cuda(cudaGraphInstantiate(&executable, graph, 0));
  for (std::size_t const n :
       {std::size_t(5), most, std::size_t(0), std::size_t(8192), std::size_t(70'001), std::size_t(1), most - 1}) {
    count.assign({static_cast<int>(n)});
    check_cuda(cudaMemset(out.begin(), 0, most * sizeof(float)));
    check_cuda(cudaGraphLaunch(executable, on));
    std::vector<float> expected(most, 0.0f);
    float const total = reduce(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    inclusive_scan(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n), expected.begin());
    ASSERT_TRUE(same_bytes(out.values(), expected)) << n;
    ASSERT_TRUE(same_bytes(sum.values(), std::vector<float>{total})) << n;
  }
  check_cuda(cudaGraphExecDestroy(executable));
  check_cuda(cudaGraphDestroy(graph));
}

TEST(cuda_counted, the_last_epoch_is_followed_by_the_first_though_blocks_have_no_work)
{
  std::size_t const most = 40 * order::tile<float> + 1;
  auto const x = values_to<float>(most);
  device_array<float> const in(x), out(most), sum(1);
  stream on;
  for (std::size_t const n : {std::size_t(0), std::size_t(5), 3 * order::tile<float>, most}) {
    std::size_t const bytes = cuda::workspace::bytes_for<float>(most);
    device_array<unsigned char> const memory(bytes);
    device_array<std::size_t> const count(std::vector<std::size_t>{n});
    cuda::workspace space(memory.begin(), bytes);
    space.reserve(bytes, on);
    std::uint64_t const late = std::uint64_t(tally::cuda_backend::last_epoch - 4) << 32;
    check_cuda(cudaMemcpyAsync(memory.begin(), &late, sizeof late, cudaMemcpyDefault, on));
    auto const some = counted(static_cast<float const*>(in.begin()), count_at(count.begin(), most));
    std::vector<float> expected(n);
    inclusive_scan(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n), expected.begin());
    for (int call = 0; call < 6; ++call) {
      inclusive_scan(cuda{on, space}, some, out.begin());
      reduce_into(cuda{on, space}, some, sum.begin());
      std::vector<float> results = out.values();
      results.resize(n);
      ASSERT_TRUE(same_bytes(results, expected)) << n << ", call " << call;
      ASSERT_EQ(sum.values()[0], n == 0 ? 0.0f : expected.back()) << n << ", call " << call;
    }
  }
}

TEST(cuda_counted, a_count_on_the_host_is_named)
{
  device_array<float> const in(100), out(100);
  stream on;
  cuda::workspace space;
  int const count = 3;
  try {
    inclusive_scan(cuda{on, space}, counted(in.begin(), count_at(&count, 100)), out.begin());
    FAIL() << "nothing was thrown";
  } catch (usage_error const& e) {
    EXPECT_NE(std::string(e.what()).find("the count of a call on a GPU is in ordinary host memory"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace tally::test
