// The promises of a call on a GPU besides its bits: the order of its stream, memory, graphs, errors.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device_array.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

constexpr std::size_t many = 3'000'017;

std::vector<float> scanned(std::vector<float> const& x)
{
  std::vector<float> y(x.size());
  inclusive_scan(cpu{}, x, y);
  return y;
}

template <class Error, class F>
std::string message_of(F const& f)
{
  try {
    f();
  } catch (Error const& e) {
    return e.what();
  }
  return "nothing was thrown";
}

__global__ void wait_for_flag(int const volatile* flag)
{
  while (*flag == 0) __nanosleep(1000);
}

/// A flag that a kernel waits for and the host sets.
class flag {
public:
  flag() { check_cuda(cudaHostAlloc(&value_, sizeof(int), cudaHostAllocMapped)), *value_ = 0; }
  ~flag() { cudaFreeHost(value_); }
  void set() { *static_cast<int volatile*>(value_) = 1; }
  int const* get() const { return value_; }

private:
  int* value_ = nullptr;
};

TEST(cuda_call, scans_return_at_once_and_keep_the_order_of_the_stream)
{
  auto const x = values_to<float>(many);
  device_array<float> const later(x), in(many), out(many);
  stream on;
  cuda::workspace space;
  // CUDA loads a kernel when it is first called, and may wait for the device to do so.
  inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
  on.wait();
  flag go;
  wait_for_flag<<<1, 1, 0, on>>>(go.get());
  check_cuda(cudaMemcpyAsync(in.begin(), later.begin(), many * sizeof(float), cudaMemcpyDeviceToDevice, on));
  auto const end = inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
  EXPECT_EQ(end, out.end());
  EXPECT_EQ(cudaStreamQuery(on), cudaErrorNotReady);
  go.set();
  EXPECT_TRUE(same_bytes(out.values(), scanned(x)));
}

TEST(cuda_call, reduce_into_leaves_the_value_on_the_device)
{
  auto const x = values_to<float>(many);
  device_array<float> const in(x), result(4);
  stream on;
  cuda::workspace space;
  cuda const here{on, space};
  reduce_into(here, in, result.begin());
  reduce_into(here, in, result.begin() + 1, 5.5f);
  reduce_into(here, in, result.begin() + 2, 0.0f, maximum{});
  reduce_into(here, in.begin(), in.begin(), result.begin() + 3);
  std::vector<float> const expected{reduce(cpu{}, x), reduce(cpu{}, x, 5.5f), reduce(cpu{}, x, 0.0f, maximum{}), 0.0f};
  EXPECT_TRUE(same_bytes(result.values(), expected));
  EXPECT_EQ(reduce(here, in), expected[0]);
  EXPECT_EQ(reduce(here, in.begin(), in.begin(), 3.0f), 3.0f);
}

TEST(cuda_call, is_captured_and_replayed)
{
  for (std::size_t const n : {std::size_t(1000), std::size_t(100'000), many}) {
    auto const x = values_to<float>(n);
    device_array<float> in(n);
    device_array<float> const out(n), sum(1);
    stream on;
    cuda::workspace space;
    space.reserve(cuda::workspace::bytes_for<float>(n), on);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check_cuda(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
    reduce_into(cuda{on, space}, in, sum.begin());
    inclusive_scan(cuda{on, space}, out.begin(), out.end(), out.begin());
    check_cuda(cudaStreamEndCapture(on, &graph));
    check_cuda(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 5; ++replay) {
      std::vector<float> y = x;
      y[0] += static_cast<float>(replay);
      in.assign(y);
      check_cuda(cudaGraphLaunch(executable, on));
      ASSERT_TRUE(same_bytes(out.values(), scanned(scanned(y)))) << n << " elements, replay " << replay;
      ASSERT_EQ(sum.values()[0], scanned(y).back());
    }
    check_cuda(cudaGraphExecDestroy(executable));
    check_cuda(cudaGraphDestroy(graph));
  }
}

TEST(cuda_call, a_workspace_grows_while_it_is_captured)
{
  auto const x = values_to<float>(many);
  device_array<float> const in(x);
  stream on;
  cuda::workspace space;
  std::vector<std::unique_ptr<device_array<float>>> results;
  std::vector<cudaGraphExec_t> graphs;
  std::vector<std::size_t> const sizes = {1000, 100'000, many, 5};
  for (auto const mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    cudaGraph_t graph = nullptr;
    std::size_t const first = results.size();
    for (std::size_t const n : sizes) results.push_back(std::make_unique<device_array<float>>(n));
    check_cuda(cudaStreamBeginCapture(on, mode));
    for (std::size_t k = 0; k < sizes.size(); ++k)
      inclusive_scan(cuda{on, space}, in.begin(), in.begin() + sizes[k], results[first + k]->begin());
    check_cuda(cudaStreamEndCapture(on, &graph));
    check_cuda(cudaGraphInstantiate(&graphs.emplace_back(), graph, 0));
    check_cuda(cudaGraphDestroy(graph));
  }
  for (int replay = 0; replay < 3; ++replay)
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      for (auto const& each : results) check_cuda(cudaMemset(each->begin(), 0xA5, each->size() * sizeof(float)));
      check_cuda(cudaGraphLaunch(graphs[g], on));
      on.wait();
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        std::vector<float> const part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(sizes[k]));
        ASSERT_TRUE(same_bytes(results[g * sizes.size() + k]->values(), scanned(part))) << sizes[k] << " elements";
      }
      // A call beside the graphs, which makes the same workspace grow.
      device_array<float> const again(replay == 1 ? 3 * many : many), more(again.size());
      check_cuda(cudaMemset(more.begin(), 0, more.size() * sizeof(float)));
      check_cuda(cudaMemcpy(more.begin(), in.begin(), many * sizeof(float), cudaMemcpyDefault));
      inclusive_scan(cuda{on, space}, more.begin(), more.end(), again.begin());
      std::vector<float> results_beside = again.values();
      results_beside.resize(many);
      ASSERT_TRUE(same_bytes(results_beside, scanned(x)));
    }
  EXPECT_GE(space.bytes(), cuda::workspace::bytes_for<float>(3 * many));
  for (cudaGraphExec_t const graph : graphs) check_cuda(cudaGraphExecDestroy(graph));
}

TEST(cuda_call, what_cannot_be_captured_says_so)
{
  device_array<float> const in(many), out(many);
  std::size_t const few = cuda::workspace::header_bytes;
  device_array<unsigned char> const memory(few);
  stream on;
  cuda::workspace space(memory.begin(), few);
  check_cuda(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
  std::string const scan =
      message_of<usage_error>([&] { inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin()); });
  std::string const value = message_of<usage_error>([&] { return reduce(cuda{on, space}, in); });
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamEndCapture(on, &graph));
  check_cuda(cudaGraphDestroy(graph));
  EXPECT_NE(scan.find("and this call needs"), std::string::npos) << scan;
  EXPECT_NE(value.find("reduce_into leaves the value on the device"), std::string::npos) << value;
}

TEST(cuda_call, host_memory_is_named)
{
  std::vector<float> const host(100);
  device_array<float> const device(100);
  stream on;
  cuda::workspace space;
  std::string const in = message_of<usage_error>([&] { return reduce(cuda{on, space}, host); });
  EXPECT_NE(in.find("the input of a call on a GPU is in ordinary host memory"), std::string::npos) << in;
  std::vector<float> result(100);
  std::string const out =
      message_of<usage_error>([&] { inclusive_scan(cuda{on, space}, device.begin(), device.end(), result.begin()); });
  EXPECT_NE(out.find("the output of a call on a GPU is in ordinary host memory"), std::string::npos) << out;
}

TEST(cuda_call, managed_and_pinned_memory_will_do)
{
  auto const x = values_to<float>(50'000);
  float *in = nullptr, *out = nullptr;
  check_cuda(cudaMallocManaged(&in, x.size() * sizeof(float)));
  check_cuda(cudaHostAlloc(&out, x.size() * sizeof(float), cudaHostAllocMapped));
  std::copy(x.begin(), x.end(), in);
  stream on;
  cuda::workspace space;
  inclusive_scan(cuda{on, space}, in, in + x.size(), out);
  on.wait();
  EXPECT_TRUE(same_bytes(std::vector<float>(out, out + x.size()), scanned(x)));
  cudaFree(in);
  cudaFreeHost(out);
}

TEST(cuda_call, a_workspace_of_the_callers_is_used_and_never_outgrown)
{
  auto const x = values_to<double>(many);
  std::size_t const bytes = cuda::workspace::bytes_for<double>(many);
  device_array<unsigned char> const memory(bytes + 64);
  device_array<double> const in(x), out(many);
  stream on;
  cuda::workspace exact(memory.begin(), bytes);
  inclusive_scan(cuda{on, exact}, in.begin(), in.end(), out.begin());
  std::vector<double> expected(many);
  inclusive_scan(cpu{}, x, expected);
  EXPECT_TRUE(same_bytes(out.values(), expected));
  auto const after = memory.values();
  for (std::size_t k = bytes; k < after.size(); ++k) ASSERT_EQ(after[k], 0xA5) << "byte " << k << " of " << bytes;

  cuda::workspace small(memory.begin(), 256);
  std::string const said =
      message_of<usage_error>([&] { inclusive_scan(cuda{on, small}, in.begin(), in.end(), out.begin()); });
  EXPECT_NE(said.find("the workspace has 256 bytes and this call needs"), std::string::npos) << said;
}

TEST(cuda_call, memory_comes_from_the_callers_resource)
{
  struct counting : std::pmr::memory_resource {
    std::size_t taken = 0, given_back = 0;
    void* do_allocate(std::size_t bytes, std::size_t) override
    {
      void* memory = nullptr;
      check_cuda(cudaMalloc(&memory, bytes));
      ++taken;
      return memory;
    }
    void do_deallocate(void* memory, std::size_t, std::size_t) override { ++given_back, check_cuda(cudaFree(memory)); }
    bool do_is_equal(memory_resource const& other) const noexcept override { return this == &other; }
  } resource;
  // Growth leaves room for half as many bytes again, so the second size is much larger.
  constexpr std::size_t few = 10'000, most = 5 * many;
  ASSERT_GT(cuda::workspace::bytes_for<float>(most), cuda::workspace::bytes_for<float>(few) * 3 / 2);
  auto const x = values_to<float>(most);
  device_array<float> const in(x), out(most);
  stream on;
  {
    cuda::workspace space(resource);
    for (std::size_t const n : {few, few, most, most, std::size_t(70'000)})
      inclusive_scan(cuda{on, space}, in.begin(), in.begin() + n, out.begin());
    EXPECT_EQ(resource.taken, 2u);
    EXPECT_EQ(resource.given_back, 1u);
    cuda::workspace const moved = std::move(space);
  }
  EXPECT_EQ(resource.given_back, 2u);
  EXPECT_TRUE(same_bytes(out.values(), scanned(x)));
}

TEST(cuda_call, a_graph_clears_new_memory_of_the_callers)
{
  auto const x = values_to<float>(many);
  auto const expected = scanned(x);
  std::size_t const bytes = cuda::workspace::bytes_for<float>(many);
  device_array<unsigned char> const memory(std::vector<unsigned char>(bytes, 0xA5));
  device_array<float> const in(x), out(many), again(many);
  stream on;
  cuda::workspace space(memory.begin(), bytes);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayed = nullptr;
  check_cuda(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
  inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
  inclusive_scan(cuda{on, space}, out.begin(), out.end(), again.begin());
  check_cuda(cudaStreamEndCapture(on, &graph));
  check_cuda(cudaGraphInstantiate(&replayed, graph, 0));
  for (int call = 0; call < 3; ++call) {
    check_cuda(cudaMemsetAsync(out.begin(), 0xA5, many * sizeof(float), on));
    check_cuda(cudaMemsetAsync(again.begin(), 0xA5, many * sizeof(float), on));
    check_cuda(cudaGraphLaunch(replayed, on));
    on.wait();
    ASSERT_TRUE(same_bytes(out.values(), expected)) << "call " << call;
    ASSERT_TRUE(same_bytes(again.values(), scanned(expected))) << "call " << call;
    // A call beside the graph, and memory that other work has written to before it is replayed.
    check_cuda(cudaMemsetAsync(again.begin(), 0xA5, many * sizeof(float), on));
    inclusive_scan(cuda{on, space}, in.begin(), in.end(), again.begin());
    ASSERT_TRUE(same_bytes(again.values(), expected)) << "beside the graph, call " << call;
    check_cuda(cudaMemsetAsync(memory.begin(), 0xA5, bytes, on));
    space = cuda::workspace(memory.begin(), bytes);
  }
  check_cuda(cudaGraphExecDestroy(replayed));
  check_cuda(cudaGraphDestroy(graph));
}

TEST(cuda_call, calls_on_several_streams_run_side_by_side)
{
  auto const x = values_to<float>(many);
  auto const expected = scanned(x);
  device_array<float> const in(x);
  struct lane {
    stream on;
    cuda::workspace space;
    device_array<float> out{many};
  };
  lane lanes[4];
  for (int round = 0; round < 10; ++round)
    for (lane& each : lanes) inclusive_scan(cuda{each.on, each.space}, in.begin(), in.end(), each.out.begin());
  for (lane& each : lanes) EXPECT_TRUE(same_bytes(each.out.values(), expected));
}

TEST(cuda_call, the_last_epoch_is_followed_by_the_first)
{
  auto const x = values_to<float>(many);
  auto const expected = scanned(x);
  std::size_t const bytes = cuda::workspace::bytes_for<float>(many);
  device_array<unsigned char> const memory(bytes);
  device_array<float> const in(x), out(many);
  for (auto const path : {cuda::workspace::path::registers, cuda::workspace::path::ring}) {
    stream on;
    cuda::workspace space(memory.begin(), bytes);
    space.prefer(path);
    space.reserve(bytes, on);
    std::uint64_t const late = std::uint64_t(cuda_backend::last_epoch - 4) << 32;
    check_cuda(cudaMemcpyAsync(memory.begin(), &late, sizeof late, cudaMemcpyDefault, on));
    for (int call = 0; call < 8; ++call) {
      check_cuda(cudaMemsetAsync(out.begin(), 0, many * sizeof(float), on));
      inclusive_scan(cuda{on, space}, in.begin(), in.end(), out.begin());
      ASSERT_TRUE(same_bytes(out.values(), expected)) << "call " << call;
      ASSERT_EQ(reduce(cuda{on, space}, in), expected.back()) << "call " << call;
    }
    std::uint64_t next = 0;
    check_cuda(cudaMemcpy(&next, memory.begin(), sizeof next, cudaMemcpyDefault));
    EXPECT_EQ(next, std::uint64_t(16 - 4) << 32);  // 4 calls to the end, then from 0
  }
}

__global__ void fail()
{
  asm volatile("trap;");
}

/// Fails the device for good, so it runs in a process of its own.
void call_after_a_failure()
{
  stream on;
  cuda::workspace space;
  device_array<float> const in(many);
  fail<<<1, 1, 0, on>>>();
  std::fprintf(stderr, "%s\n", message_of<cuda_error>([&] { return reduce(cuda{on, space}, in); }).c_str());
  std::_Exit(0);
}

TEST(cuda_call, a_failed_device_is_named)
{
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(call_after_a_failure(), testing::ExitedWithCode(0), "tally: .*: .*failure.*cudaErrorLaunchFailure");
}

}  // namespace
}  // namespace tally::test
