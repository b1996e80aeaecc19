// The catalogue's kernels on a GPU: they leave what they leave on the model machine.
#include <vector>

#include <gtest/gtest.h>

#include "textbook/catalogue.hpp"
#include "textbook/gpu.hpp"

namespace tally::textbook {
namespace {

TEST(cuda_textbook, leave_what_they_leave_on_the_model_machine)
{
  for (kernel_entry const& kernel : catalogue()) {
    for (int const n : {1, 2, 31, 33, 1000, 1024}) {
      std::vector<int> in;
      std::vector<letters> runs;
      for (int k = 0; k < n; ++k) {
        in.push_back(k * 7919 % 1009 - 500);
        runs.push_back({static_cast<short>(k), static_cast<short>(k)});
      }
      if (kernel.result == result_kind::histogram)
        for (int& element : in) element = (element + 500) % 13 % histogram_bins;
      operation const op = kernel.only.value_or(operation::maximum);
      model::machine on, joining;
      EXPECT_EQ(run_on_gpu(kernel, in, op).result, run(kernel, on, in, op).result) << kernel.name << ", n = " << n;
      if (kernel.run_letters == nullptr) continue;
      EXPECT_EQ(run_on_gpu(kernel, runs).result, run(kernel, joining, runs).result) << kernel.name << ", n = " << n;
    }
  }
}

}  // namespace
}  // namespace tally::textbook
