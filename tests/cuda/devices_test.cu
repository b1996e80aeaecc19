// Several GPUs in one process.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "device_array.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

/// A device, and what calls on it need.
struct place {
  explicit place(int which, std::vector<float> const& x)
      : device(which),
        in((check_cuda(cudaSetDevice(which)), x)),
        out(x.size()),
        sum(1)
  {
  }
  int device;
  device_array<float> in, out, sum;
  stream on;
  cuda::workspace space;
};

TEST(cuda_devices, a_call_runs_on_the_device_of_its_stream)
{
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "needs two GPUs";
  std::vector<std::vector<float>> inputs;
  std::vector<std::unique_ptr<place>> places;
  for (int device = 0; device < devices; ++device) {
    inputs.push_back(values_to<float>(3'000'017 + static_cast<std::size_t>(device)));
    places.push_back(std::make_unique<place>(device, inputs.back()));
  }
  check_cuda(cudaSetDevice(0));
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (auto const& here : places) {  // on all at once
      inclusive_scan(cuda{here->on, here->space}, here->in.begin(), here->in.end(), here->out.begin());
      reduce_into(cuda{here->on, here->space}, here->in, here->sum.begin());
    }
    int current = -1;
    check_cuda(cudaGetDevice(&current));
    EXPECT_EQ(current, 0);
  }
  for (auto const& here : places) {
    auto const& x = inputs[static_cast<std::size_t>(here->device)];
    std::vector<float> expected(x.size());
    inclusive_scan(cpu{}, x, expected);
    EXPECT_EQ(reduce(cuda{here->on, here->space}, here->in), expected.back());
    check_cuda(cudaSetDevice(here->device));
    EXPECT_TRUE(same_bytes(here->out.values(), expected)) << "device " << here->device;
    EXPECT_EQ(here->sum.values()[0], expected.back());
  }
  check_cuda(cudaSetDevice(0));
}

}  // namespace
}  // namespace tally::test
