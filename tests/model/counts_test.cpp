// What the machine counts, against counts by hand.
#include <vector>

#include <gtest/gtest.h>

#include "tally/model/machine.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

/// One step: every thread of the first `active` reads x[t * stride].
struct strided_reads {
  static constexpr char const* name = "strided_reads";
  template <class Block>
  void operator()(Block const& block, int stride, int active) const
  {
    auto x = block.template shared<int>(1024 * 32, "x");
    block.step([&](int t) {
      for (int k = t; k < 1024 * 32; k += block.size()) x[k] = k;
    });
    block.step([&](int t) {
      int const value = t < active ? int(x[t * stride]) : 0;
      EXPECT_EQ(value, t < active ? t * stride : 0);
    });
  }
};

report strided(int stride, int active)
{
  machine on;
  on.launch(1, 32, strided_reads{}, stride, active);
  return on.counts();
}

TEST(model_counts, bank_conflicts_of_strides)
{
  std::size_t const writes = 1024;
  EXPECT_EQ(strided(1, 32).shared.wavefronts, writes + 1);
  EXPECT_EQ(strided(2, 32).shared.wavefronts, writes + 2);
  EXPECT_EQ(strided(32, 32).shared.wavefronts, writes + 32);
  EXPECT_EQ(strided(32, 32).shared.worst_degree, 32);
  EXPECT_EQ(strided(33, 32).shared.wavefronts, writes + 1);
  EXPECT_EQ(strided(0, 32).shared.wavefronts, writes + 1) << "a broadcast";
  EXPECT_EQ(strided(32, 32).shared.ideal, writes + 1);
}

TEST(model_counts, lanes_that_do_nothing_diverge)
{
  EXPECT_EQ(strided(1, 32).warps.divergent, 0u);
  EXPECT_EQ(strided(1, 31).warps.divergent, 1u);
  EXPECT_EQ(strided(1, 31).warps.active_lanes, 32u + 31u);
  EXPECT_EQ(strided(1, 0).warps.steps, 1u);
}

}  // namespace
}  // namespace tally::model
