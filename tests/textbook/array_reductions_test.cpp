// Reductions of whole arrays: their traffic, their launches, any size of a block.
#include <algorithm>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "reduction_runs.hpp"
#include "tally/textbook/global_reduction.hpp"
#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/totals_of_sections.hpp"
#include "tally/textbook/two_launch_reduction.hpp"
#include "tally/textbook/warp_shuffle_reduction.hpp"

namespace tally::textbook {
namespace {

/// The global traffic of each phase.
class traffic final : public model::observer {
public:
  void see(model::machine const&, model::phase const& ended) override { phases.push_back(ended.counts.global); }
  std::vector<model::global_counts> phases;
};

TEST(global_reduction, traffic_of_its_steps)
{
  model::machine on;
  traffic of;
  on.watch_with(&of);
  auto const in = on.input(distinct(2048), "in");
  auto const out = on.allocate<model::traced<int>>(1, "out");
  on.launch(1, 1024, global_reduction{}, in, out, 2048, on.watch<int>(plus{}));
  EXPECT_EQ(on.values(out)[0], folded(distinct(2048), plus{}));
  ASSERT_EQ(of.phases.size(), 12u);
  std::size_t left = 2048;
  for (std::size_t k = 0; k < 11; ++k, left /= 2) {
    EXPECT_EQ(of.phases[k].reads, left);
    EXPECT_EQ(of.phases[k].writes, left / 2);
  }
  EXPECT_EQ(on.counts().global.reads, 2u * 2047 + 1) << "with the total's";
  EXPECT_EQ(on.counts().global.writes, 2047u + 1);
  EXPECT_NE(on.values(in), distinct(2048)) << "it destroys its input";
}

TEST(global_reduction, against_shared_memory)
{
  // The copy that it works on costs n more reads and n more writes.
  for (int const size : {1, 2, 300, 1024}) {
    auto const n = static_cast<std::size_t>(size);
    counted const global("global-reduction", size), shared("two-launch-reduction", size);
    EXPECT_EQ(global.counts.global.reads, n + 2 * (n - 1) + 1);
    EXPECT_EQ(global.counts.global.writes, n + (n - 1) + 1);
    EXPECT_EQ(shared.counts.global.reads, n);
    EXPECT_EQ(shared.counts.global.writes, 1u);
    EXPECT_EQ(global.counts.shared.reads, 0u);
  }
}

TEST(global_reduction, as_it_is_run_leaves_its_input)
{
  model::machine on;
  std::vector<int> const in = distinct(3000);
  auto const from = on.input(in, "in");
  auto const to = on.allocate<model::traced<int>>(1, "out");
  on_a_copy<two_launch_reduction<global_reduction, 512>>{}(on, from, to, 3000, on.watch<int>(plus{}));
  EXPECT_EQ(on.values(from), in);
  EXPECT_EQ(on.values(to)[0], folded(in, plus{}));
}

TEST(two_launch_reduction, two_stages_of_1024)
{
  for (std::string_view const kernel : {"two-launch-reduction", "warp-shuffle-reduction"}) {
    model::machine on;
    EXPECT_EQ(only<float>(run(named(kernel), on, std::vector<float>(1 << 20, 1.0f))), 1048576.0f);
    EXPECT_EQ(on.counts().launches, 2);
    EXPECT_EQ(on.counts().steps, 20u);
    EXPECT_EQ(on.counts().global.reads, (1u << 20) + 1024u);
    EXPECT_EQ(on.counts().global.writes, 1025u);
  }
}

TEST(two_launch_reduction, more_than_two_launches)
{
  for (int const n : {64, 65, 4096, 4097, 10000}) {
    model::machine on;
    auto const out = on.allocate<model::traced<letters>>(1, "out");
    two_launch_reduction<totals_of_sections<in_order_reduction>, 32>{}(on, on.input(alphabet(n), "in"), out, n,
                                                                       on.watch<letters>(join{}));
    EXPECT_EQ(on.values(out)[0], (letters{0, static_cast<short>(n - 1)}));
    EXPECT_EQ(on.counts().launches, n <= 64 ? 1 : n <= 4096 ? 2 : 3);
    EXPECT_TRUE(on.counts().clean());
  }
}

TEST(host_finished_reduction, what_the_host_does)
{
  for (int const n : {1024, 1025, 10000}) {
    counted const run("host-finished-reduction", n);
    std::size_t const sections = static_cast<std::size_t>(n + 1023) / 1024;
    EXPECT_EQ(run.counts.steps, 10u) << "the host's are not counted";
    EXPECT_EQ(run.on.operations().work(), static_cast<std::size_t>(n - 1));
    EXPECT_EQ(run.on.operations().depth(), 10 + sections - 1) << "but there they are";
  }
}

TEST(many_elements_reduction, sectors_against_a_grid_stride)
{
  std::size_t const n = 1 << 16;
  counted const consecutive("many-elements-reduction", n), strided("grid-stride-reduction", n);
  std::size_t const totals = n / 2048;
  EXPECT_EQ(strided.counts.global.reads, n + totals);
  EXPECT_EQ(consecutive.counts.global.reads, n + totals);
  EXPECT_EQ(strided.counts.global.sectors_read, (n + totals) / 8) << "of 8 elements each, and each once";
  // The eight elements of a lane are one sector, which it requests eight times.
  EXPECT_EQ(consecutive.counts.global.sectors_read, n + totals);
}

TEST(warp_shuffle_reduction, any_block_of_whole_warps)
{
  for (int threads = 32; threads <= 1024; threads += 32)
    for (int const n : {1, threads - 1, threads, threads + 1, 2 * threads + 33}) {
      int const blocks = divide_up(n, threads);
      model::machine on;
      auto const out = on.allocate<model::traced<letters>>(static_cast<std::size_t>(blocks), "out");
      on.launch(blocks, threads, warp_shuffle_reduction{}, on.input(alphabet(n), "in"), out, n,
                on.watch<letters>(join{}));
      for (int b = 0; b < blocks; ++b)
        ASSERT_EQ(on.values(out)[static_cast<std::size_t>(b)],
                  (letters{static_cast<short>(b * threads), static_cast<short>(std::min(n, (b + 1) * threads) - 1)}))
            << threads << " threads, n = " << n;
      ASSERT_EQ(on.counts().barriers, 1u);
      ASSERT_TRUE(on.counts().clean()) << on.counts().findings[0].text();
    }
}

TEST(warp_shuffle_reduction, shared_memory_is_for_the_totals_of_warps)
{
  counted const run("warp-shuffle-reduction", 1024);
  EXPECT_EQ(run.counts.shared.writes, 32u);
  EXPECT_EQ(run.counts.shared.reads, 32u);
  EXPECT_EQ(run.counts.barriers, 1u);
}

}  // namespace
}  // namespace tally::textbook
