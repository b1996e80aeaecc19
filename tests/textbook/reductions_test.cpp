// All reductions: right for any n, in order if they keep the order, with the counts of their formulas, for any order of
// blocks.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reduction_runs.hpp"
#include "tally/error.hpp"

namespace tally::textbook {
namespace {

TEST(reductions, every_operation_and_size)
{
  for (kernel_entry const* kernel : all_reductions())
    for (int const n : sizes()) {
      if (!takes(*kernel, n)) continue;
      std::vector<int> const in = distinct(n);
      for (operation const op : operations) {
        if (!takes(*kernel, op) || (n > 300 && op != operation_of(*kernel, {}))) continue;
        model::machine on;
        ASSERT_EQ(only<int>(run(*kernel, on, in, op)), folded(in, selected_operator<int>{op}))
            << kernel->name << ", n = " << n;
        ASSERT_TRUE(on.counts().clean()) << kernel->name << ", n = " << n << ": " << on.counts().findings[0].text();
      }
    }
}

TEST(reductions, counts_are_those_of_the_formulas)
{
  for (blocks const size : {blocks::full, blocks::small})
    for (kernel_entry const* kernel : all_reductions(size))
      for (int const n : sizes()) {
        if (!takes(*kernel, n) || (size == blocks::small && n > 300)) continue;
        counted const run(*kernel, n);
        ASSERT_EQ(run.on.operations().work(), kernel->work.value(n)) << kernel->name << ", n = " << n;
        ASSERT_EQ(run.counts.steps, kernel->steps.value(n)) << kernel->name << ", n = " << n;
        ASSERT_EQ(run.counts.barriers, kernel->barriers.value(n)) << kernel->name << ", n = " << n;
        ASSERT_EQ(run.on.operations().work(), static_cast<std::size_t>(n - 1)) << kernel->name;
      }
}

/// Small blocks: 16 elements make several of them, except for kernels with shuffles, whose blocks are a warp.
TEST(reductions, of_small_blocks_are_those_of_the_catalogue)
{
  ASSERT_EQ(catalogue(blocks::small).size(), catalogue().size());
  for (kernel_entry const& full : catalogue()) {
    kernel_entry const& small = *find_kernel(full.name, blocks::small);
    EXPECT_EQ(small.header, full.header);
    EXPECT_EQ(small.threads == 0, full.threads == 0) << full.name;
    EXPECT_EQ(full.most == 0, full.threads > 0 || full.name == "sequential-reduction") << full.name;
    if (full.threads == 0) continue;
    int const n = full.name == "warp-shuffle-reduction" ? 33 : 16;
    EXPECT_LT(small.threads, full.threads);
    model::machine on;
    if (full.result == result_kind::histogram)
      run(small, on, std::vector<int>(16, 3));
    else
      run(small, on, distinct(n), operation::maximum);
    EXPECT_GT(on.counts().blocks, on.counts().launches) << full.name;
  }
}

TEST(reductions, letters_keep_their_order)
{
  for (kernel_entry const* kernel : all_reductions()) {
    if (kernel->run_letters == nullptr) continue;
    for (int const n : sizes()) {
      if (!takes(*kernel, n) || n > 32767) continue;
      model::machine on;
      ASSERT_EQ(only<letters>(run(*kernel, on, alphabet(n))), (letters{0, static_cast<short>(n - 1)}))
          << kernel->name << ", n = " << n;
    }
  }
}

TEST(reductions, those_that_change_the_order_refuse_letters)
{
  std::vector<std::string> refusing;
  for (kernel_entry const* kernel : all_reductions()) {
    if (!kernel->needs_commutative) {
      EXPECT_EQ(kernel->run_letters == nullptr, kernel->name == "tournament") << kernel->name;
      continue;
    }
    refusing.emplace_back(kernel->name);
    model::machine on;
    EXPECT_THROW(run(*kernel, on, alphabet(4)), usage_error) << kernel->name;
  }
  EXPECT_EQ(refusing, (std::vector<std::string>{"sequential-addressing-reduction", "global-reduction",
                                                "first-add-on-load-reduction", "grid-stride-reduction"}));
}

TEST(reductions, blocks_in_any_order)
{
  using order = model::schedule::order;
  for (kernel_entry const* kernel : all_reductions()) {
    int const n = takes(*kernel, 10000) ? 10000 : 2000;
    std::vector<int> const in = distinct(n);
    for (model::schedule const by : {model::schedule{order::descending}, model::schedule{order::shuffled, 3}}) {
      model::machine on(by);
      EXPECT_EQ(only<int>(run(*kernel, on, in)), folded(in, selected_operator<int>{operation_of(*kernel, {})}))
          << kernel->name;
    }
  }
}

TEST(tree_reduction, one_to_ten)
{
  std::vector<int> in(10);
  std::iota(in.begin(), in.end(), 1);
  for (kernel_entry const* kernel : all_reductions()) {
    model::machine on;
    EXPECT_EQ(only<int>(run(*kernel, on, in)), kernel->only ? 10 : 55) << kernel->name;
  }
}

}  // namespace
}  // namespace tally::textbook
