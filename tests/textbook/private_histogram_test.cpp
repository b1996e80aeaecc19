// The private histogram equals the atomic one, and the count by hand.
#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "../support/sizes.hpp"
#include "tally/error.hpp"
#include "tally/model.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/textbook/private_histogram.hpp"
#include "textbook/catalogue.hpp"

namespace tally::textbook {
namespace {

/// Elements that occur with different frequencies. The last of three or more bins stays empty.
std::vector<int> bins_of(int n, int bins)
{
  std::vector<int> values;
  for (int k = 0; k < n; ++k) {
    int const value = k * 7919 % 10007 * (k % 3 == 0 ? 1 : 2) % bins;
    values.push_back(bins > 2 && value == bins - 1 ? 0 : value);
  }
  return values;
}

std::vector<int> by_hand(std::vector<int> const& in, int bins)
{
  std::vector<int> counts(static_cast<std::size_t>(bins));
  for (int const bin : in) ++counts[static_cast<std::size_t>(bin)];
  return counts;
}

std::vector<int> atomic(model::machine& on, std::vector<int> const& in, int bins)
{
  auto const out = on.allocate<model::traced<int>>(static_cast<std::size_t>(bins), "out");
  on.fill(out, 0);
  int const n = static_cast<int>(in.size());
  if (n > 0) on.launch(divide_up(n, 256), 256, atomic_histogram{}, on.input(in, "in"), out, n);
  return on.values(out);
}

std::vector<int> privately(model::machine& on, std::vector<int> const& in, int bins)
{
  auto const out = on.allocate<model::traced<int>>(static_cast<std::size_t>(bins), "out");
  private_histogram{}(on, on.input(in, "in"), out, static_cast<int>(in.size()), bins, on.watch<int>(plus{}));
  return on.values(out, -1);
}

TEST(private_histogram, equals_the_atomic_one)
{
  for (int const bins : {1, 2, 7, 16, 33})
    for (int const n : {0, 1, 31, 32, 33, 63, 64, 65, 127, 129, 300, 1000, 1024, 1025, 5000}) {
      std::vector<int> const in = bins_of(n, bins), expected = by_hand(in, bins);
      model::machine one, other;
      ASSERT_EQ(atomic(one, in, bins), expected) << n << " elements, " << bins << " bins";
      ASSERT_EQ(privately(other, in, bins), expected) << n << " elements, " << bins << " bins";
      ASSERT_TRUE(one.counts().clean());
      ASSERT_TRUE(other.counts().clean()) << other.counts().findings[0].text();
      std::size_t const blocks = n < 1 ? 1 : static_cast<std::size_t>(std::min(divide_up(n, 64), 16));
      ASSERT_EQ(other.operations().work(),
                static_cast<std::size_t>(n) + static_cast<std::size_t>(bins) * (64 * blocks - 1));
    }
}

struct combining {
  static constexpr char const* name = "combining";
  void operator()(model::block const& block, model::view<model::traced<int>> x, int copies, int bins,
                  model::watched<int, plus> const& op) const
  {
    combine_copies(block, x, copies, bins, op);
  }
};

TEST(private_histogram, any_number_of_copies)
{
  for (int copies = 1; copies <= 70; ++copies) {
    model::machine on;
    std::vector<int> values, expected(3);
    for (int k = 0; k < 3 * copies; ++k) {
      values.push_back(k * k);
      expected[static_cast<std::size_t>(k / copies)] += k * k;
    }
    auto const x = on.input(values, "x");
    on.launch(1, 32, combining{}, x, copies, 3, on.watch<int>(plus{}));
    for (std::size_t bin = 0; bin < 3; ++bin)
      ASSERT_EQ(on.values(x)[bin * static_cast<std::size_t>(copies)], expected[bin]) << copies << " copies";
    ASSERT_TRUE(on.counts().clean());
    ASSERT_EQ(on.operations().work(), 3 * static_cast<std::size_t>(copies - 1));
  }
}

TEST(private_histogram, of_the_catalogue_counts_and_costs_what_its_formulas_say)
{
  std::vector<int> sizes = test::every_size_to(300);
  for (int p = 512; p <= 1 << 16; p *= 2) sizes.insert(sizes.end(), {p - 1, p, p + 1});
  for (blocks const size : {blocks::full, blocks::small})
    for (int const n : sizes) {
      if (size == blocks::small && n > 300) continue;
      SCOPED_TRACE(testing::Message() << n << (size == blocks::small ? " in small blocks" : ""));
      kernel_entry const& kernel = *find_kernel("private-histogram", size);
      std::vector<int> const in = bins_of(n, histogram_bins);
      model::machine on;
      outcome const left = run(kernel, on, in);
      ASSERT_EQ(std::get<std::vector<int>>(left.result), by_hand(in, histogram_bins));
      ASSERT_EQ(on.operations().work(), kernel.work.value(n));
      ASSERT_EQ(on.counts().steps, kernel.steps.value(n));
      ASSERT_EQ(on.counts().barriers, kernel.barriers.value(n));
      ASSERT_TRUE(on.counts().clean());
    }
}

/// The printed formulas hold for powers of two.
TEST(private_histogram, formulas_of_powers_of_two)
{
  kernel_entry const& full = *find_kernel("private-histogram");
  kernel_entry const& small = *find_kernel("private-histogram", blocks::small);
  for (int log2 = 6; log2 <= 16; ++log2) {
    int const n = 1 << log2, log2_blocks = std::min(log2 - 6, 4), blocks = 1 << log2_blocks;
    EXPECT_EQ(full.work.value(n), static_cast<std::size_t>(n + 8 * (64 * blocks - 1)));
    EXPECT_EQ(full.steps.value(n), static_cast<std::size_t>(n / (64 * blocks) + 10 + log2_blocks));
    EXPECT_EQ(full.barriers.value(n), static_cast<std::size_t>(8 + log2_blocks));
    EXPECT_EQ(small.work.value(n), static_cast<std::size_t>(n + 8 * (2 * 2 - 1)));
    EXPECT_EQ(small.steps.value(n), static_cast<std::size_t>(n / 4 + 4 + 4));
    EXPECT_EQ(small.barriers.value(n), 4u);
  }
}

TEST(private_histogram, of_the_catalogue_takes_what_has_a_bin_and_addition)
{
  kernel_entry const& kernel = *find_kernel("private-histogram");
  model::machine on;
  EXPECT_NO_THROW(run(kernel, on, std::vector<int>{0, 7}, operation::sum));
  EXPECT_THROW(run(kernel, on, std::vector<int>{0, 8}), usage_error);
  EXPECT_THROW(run(kernel, on, std::vector<int>{-1, 7}), usage_error);
  EXPECT_THROW(run(kernel, on, std::vector<float>{1.0F}), usage_error);
  EXPECT_THROW(run(kernel, on, std::vector<letters>{{0, 0}}), usage_error);
  EXPECT_THROW(run(kernel, on, std::vector<int>{0, 7}, operation::maximum), usage_error);
}

/// The worst bank of each phase.
class banks final : public model::observer {
public:
  void see(model::machine const&, model::phase const& ended) override
  {
    degrees.push_back(ended.counts.shared.worst_degree);
  }
  std::vector<int> degrees;
};

TEST(private_histogram, lanes_never_meet_while_they_count)
{
  // All elements in one bin: the worst case of the atomic histogram, which goes to global memory for each.
  model::machine one, other;
  banks of;
  other.watch_with(&of);
  std::vector<int> const in(4096, 5);
  EXPECT_EQ(atomic(one, in, 16)[5], 4096);
  EXPECT_EQ(privately(other, in, 16)[5], 4096);
  EXPECT_EQ(one.counts().global.writes, 4096u);
  EXPECT_EQ(other.counts().global.writes, 16u * 16 + 16);
  ASSERT_GT(of.degrees.size(), 2u);
  EXPECT_EQ(of.degrees[0], 1) << "every thread stays in its bank, where it begins from zero";
  EXPECT_EQ(of.degrees[1], 1) << "and where it counts";
}

}  // namespace
}  // namespace tally::textbook
