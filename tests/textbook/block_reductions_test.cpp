// One thread, the tree, and the reductions of one block: figures of the course, barriers, order.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reduction_runs.hpp"
#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/interleaved_reduction.hpp"
#include "tally/textbook/sequential_addressing_reduction.hpp"
#include "tally/textbook/sequential_reduction.hpp"
#include "tally/textbook/totals_of_sections.hpp"

namespace tally::textbook {
namespace {

/// An operator that claims to be commutative, and is not.
struct join_that_claims_to_commute : join {
  static constexpr bool commutative = true;
};

TEST(reductions, what_an_operator_that_only_claims_to_commute_leads_to)
{
  auto const total = [](auto kernel, int n) {
    model::machine on;
    auto const out = on.allocate<model::traced<letters>>(1, "out");
    on.launch(1, 32, kernel, on.input(alphabet(n), "in"), out, n, on.watch<letters>(join_that_claims_to_commute{}));
    return on.values(out)[0];
  };
  EXPECT_EQ(total(totals_of_sections<sequential_addressing_reduction>{}, 2), (letters{0, 1}));
  for (int const n : {3, 4, 8, 64})
    EXPECT_EQ(total(totals_of_sections<sequential_addressing_reduction>{}, n).first, letters::broken) << n;
  for (int const n : {3, 4, 8, 64})
    EXPECT_EQ(total(totals_of_sections<in_order_reduction>{}, n), (letters{0, static_cast<short>(n - 1)})) << n;
}

TEST(sequential_reduction, from_the_identity)
{
  for (int const n : {0, 1, 5}) {
    model::machine on;
    std::vector<int> const in = distinct(n);
    auto const out = on.allocate<model::traced<int>>(1, "out");
    on.launch(1, 32, sequential_reduction_from_identity{}, on.input(in, "in"), out, n, on.watch<int>(maximum{}));
    EXPECT_EQ(on.values(out)[0], std::accumulate(in.begin(), in.end(), maximum{}.identity<int>(), maximum{}));
    EXPECT_EQ(on.operations().work(), static_cast<std::size_t>(n)) << "one more than from the first element";
    EXPECT_TRUE(on.counts().clean());
  }
}

TEST(tree_reduction, steps_of_the_course)
{
  EXPECT_EQ(counted("tree-reduction", 2).counts.steps, 1u);
  EXPECT_EQ(counted("tree-reduction", 4).counts.steps, 2u);
  EXPECT_EQ(counted("tree-reduction", 8).counts.steps, 3u);
  EXPECT_EQ(counted("tree-reduction", 1024).counts.steps, 10u);
  EXPECT_EQ(counted("sequential-reduction", 1024).counts.steps, 1023u);
}

TEST(tree_reduction, of_a_million)
{
  counted const run("tree-reduction", 1'000'000);
  model::dag const& tree = run.on.operations();
  std::vector<std::size_t> const width = tree.width();
  EXPECT_EQ(run.counts.steps, 20u);
  EXPECT_EQ(tree.depth(), 20u);
  EXPECT_EQ(tree.work(), 999'999u);
  EXPECT_EQ(*std::max_element(width.begin(), width.end()), 500'000u);
  EXPECT_EQ(width.front(), 500'000u);
  EXPECT_EQ(width.back(), 1u);
  EXPECT_EQ(tree.work() / tree.depth(), 49'999u) << "average parallelism, about 50,000";
}

TEST(tree_reduction, brackets_of_decimals_differ)
{
  // ((a + b) + c) + d rounds 1 off three times; (a + b) + (c + d) does so once.
  std::vector<float> const in = {16777216.0f, 1.0f, 1.0f, 1.0f};
  model::machine one, two;
  EXPECT_EQ(only<float>(run(named("sequential-reduction"), one, in)), 16777216.0f);
  EXPECT_EQ(only<float>(run(named("tree-reduction"), two, in)), 16777218.0f);
  EXPECT_EQ(one.operations().depth(), 3u);
  EXPECT_EQ(two.operations().depth(), 2u);
}

TEST(tree_reduction, depth_of_the_data_flow)
{
  for (std::string_view const kernel :
       {"tree-reduction", "interleaved-reduction", "sequential-addressing-reduction", "in-order-reduction",
        "padded-reduction", "first-add-on-load-reduction", "warp-shuffle-reduction", "global-reduction"})
    for (int const n : {1, 2, 3, 31, 32, 33, 100, 1023, 1024})
      EXPECT_EQ(counted(kernel, n).on.operations().depth(), log2_up(n)) << kernel << ", n = " << n;
}

void expect_figures(std::string_view kernel, std::size_t wavefronts, std::size_t ideal, int degree,
                    std::size_t warp_steps, std::size_t divergent)
{
  counted const run(kernel, 2048);
  EXPECT_EQ(run.counts.shared.wavefronts, wavefronts) << kernel;
  EXPECT_EQ(run.counts.shared.ideal, ideal) << kernel;
  EXPECT_EQ(run.counts.shared.worst_degree, degree) << kernel;
  EXPECT_EQ(run.counts.warps.steps, warp_steps) << kernel;
  EXPECT_EQ(run.counts.warps.divergent, divergent) << kernel;
}

TEST(reductions_in_shared_memory, figures_of_the_course)
{
  expect_figures("interleaved-reduction", 1149, 669, 2, 223, 191);
  expect_figures("sequential-addressing-reduction", 204, 204, 1, 68, 5);
}

TEST(reductions_in_shared_memory, order_costs_conflicts_and_gaps_take_them_away)
{
  expect_figures("in-order-reduction", 1149, 204, 32, 68, 5);
  expect_figures("padded-reduction", 204, 204, 1, 68, 5);
}

TEST(first_add_on_load_reduction, spares_the_widest_step_in_shared_memory)
{
  // 204 without the 32 warps' two reads and a write, in 36 warp-steps instead of 68.
  expect_figures("first-add-on-load-reduction", 108, 108, 1, 36, 5);
  EXPECT_EQ(counted("first-add-on-load-reduction", 2048).counts.shared_in_transfers.writes, 1024u);
}

/// The elements of x that are set, after each phase of a block.
class contents final : public model::observer {
public:
  void see(model::machine const& on, model::phase const&) override
  {
    for (auto const& array : on.arrays()) {
      if (array == nullptr || array->name() != "x") continue;
      std::string text;
      for (std::size_t k = 0; k < array->size() && array->is_set(k); ++k) text += array->text(k) + " ";
      seen.push_back(text);
    }
  }
  std::vector<std::string> seen;
};

TEST(sequential_addressing_reduction, the_example_of_four_threads)
{
  model::machine on;
  contents x;
  on.watch_with(&x);
  EXPECT_EQ(only<int>(run(named("sequential-addressing-reduction"), on, std::vector<int>{3, 1, 7, 0, 4, 1, 6, 3})), 25);
  std::vector<std::string> const expected = {"3 1 7 0 4 1 6 3 ", "7 2 13 3 4 1 6 3 ", "20 5 13 3 4 1 6 3 ",
                                             "25 5 13 3 4 1 6 3 ", "25 5 13 3 4 1 6 3 "};
  EXPECT_EQ(x.seen, expected);
}

/// interleaved_reduction with or without the barrier after the load, and that after each step.
template <bool AfterLoad, bool AfterStep>
struct with_barriers {
  static constexpr char const* name = "with_barriers";

  template <block Block, class In, class Out, class Op>
  void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    auto x = block.template shared<element_of<In>>(n, "x");
    auto const load = [&](int t) {
      for (int k = t; k < n; k += block.size()) x[k] = in[k];
    };
    if constexpr (AfterLoad)
      block.step(load);
    else
      block.each(load);
    for (int s = 1; s < n; s *= 2) {
      auto const add = [&](int t) {
        if (t % s == 0 && 2 * t + s < n) x[2 * t] = op(x[2 * t], x[2 * t + s]);
      };
      if constexpr (AfterStep)
        block.step(add);
      else
        block.each(add);
    }
    block.each([&](int t) {
      if (t == 0) out[0] = x[0];
    });
  }
};

template <class Kernel>
std::vector<model::finding> findings_of(Kernel const& kernel, int n)
{
  model::machine on;
  on.launch(1, threads_for<interleaved_reduction>(n), kernel, on.input(distinct(n), "in"),
            on.allocate<model::traced<int>>(1, "out"), n, on.watch<int>(plus{}));
  return on.counts().findings;
}

TEST(interleaved_reduction, needs_both_barriers)
{
  EXPECT_TRUE(findings_of(with_barriers<true, true>{}, 2048).empty());
  for (int const n : {4, 8, 100, 2048}) {
    for (auto const& findings :
         {findings_of(with_barriers<false, true>{}, n), findings_of(with_barriers<true, false>{}, n)}) {
      ASSERT_FALSE(findings.empty()) << n;
      EXPECT_EQ(findings[0].what, model::fault::race);
      EXPECT_EQ(findings[0].array, "x");
      EXPECT_EQ(findings[0].kernel, "with_barriers");
      EXPECT_NE(findings[0].thread, findings[0].other);
    }
  }
}

}  // namespace
}  // namespace tally::textbook
