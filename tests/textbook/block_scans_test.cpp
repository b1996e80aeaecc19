// The scans of one block: right for any n, with the counts of their formulas.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "textbook/catalogue.hpp"

namespace tally::textbook {
namespace {

TEST(hillis_steele, the_figures_of_the_course)
{
  model::machine on;
  std::vector<int> in(1024);
  std::iota(in.begin(), in.end(), 1);
  auto const result = run(*find_kernel("hillis-steele"), on, in);
  EXPECT_EQ(on.operations().work(), 9217u);
  EXPECT_EQ(on.counts().steps, 10u);
  EXPECT_EQ(on.counts().shared.wavefronts, 867u);
  EXPECT_EQ(std::get<std::vector<int>>(result.result).back(), 1024 * 1025 / 2);
  EXPECT_TRUE(on.counts().clean());
}

}  // namespace
}  // namespace tally::textbook
