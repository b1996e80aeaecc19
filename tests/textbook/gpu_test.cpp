// The catalogue's kernels on a GPU: none is missing.
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "textbook/catalogue.hpp"
#include "textbook/gpu.hpp"

namespace tally::textbook {
namespace {

TEST(gpu_kernels, are_those_of_the_catalogue)
{
  if (kernels_on_gpu().empty()) {
    EXPECT_EQ(why_no_gpu(), "this tally was built without CUDA");
    return;
  }
  std::vector<std::string_view> names;
  for (kernel_entry const& each : catalogue()) names.push_back(each.name);
  EXPECT_EQ(kernels_on_gpu(), names);
}

}  // namespace
}  // namespace tally::textbook
