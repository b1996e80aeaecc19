// The histograms of an array, of blocks and of threads equal the count by hand.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "../support/sizes.hpp"
#include "tally/error.hpp"
#include "tally/model.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/textbook/atomic_histogram.hpp"
#include "tally/textbook/block_histogram.hpp"
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

template <class Histogram>
std::vector<int> counted_by(model::machine& on, std::vector<int> const& in, int bins)
{
  auto const out = on.allocate<model::traced<int>>(static_cast<std::size_t>(bins), "out");
  Histogram{}(on, on.input(in, "in"), out, static_cast<int>(in.size()), bins, on.watch<int>(plus{}));
  return on.values(out, -1);
}

/// The chain of additions to the most frequent bin.
std::size_t most_frequent(std::vector<int> const& counts)
{
  return static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end()));
}

TEST(histograms, equal_the_count_by_hand)
{
  for (int const bins : {1, 2, 7, 16, 33, 300})
    for (int const n : {0, 1, 31, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257, 300, 1000, 1024, 1025, 5000}) {
      SCOPED_TRACE(testing::Message() << n << " elements, " << bins << " bins");
      std::vector<int> const in = bins_of(n, bins), expected = by_hand(in, bins);
      auto const elements = static_cast<std::size_t>(n), places = static_cast<std::size_t>(bins);
      auto const blocks_of = [&](int threads) {
        return n < 1 ? std::size_t{1} : static_cast<std::size_t>(std::min(divide_up(n, threads), 16));
      };
      model::machine one, some;
      ASSERT_EQ(counted_by<atomic_histogram<>>(one, in, bins), expected);
      ASSERT_EQ(counted_by<block_histogram<>>(some, in, bins), expected);
      for (model::machine const* each : {&one, &some})
        ASSERT_TRUE(each->counts().clean()) << each->counts().findings[0].text();
      ASSERT_EQ(one.operations().work(), elements);
      ASSERT_EQ(one.operations().depth(), most_frequent(expected)) << "additions to a bin go one after the other";
      ASSERT_EQ(one.counts().atomics.changes, elements);
      ASSERT_EQ(some.operations().work(), elements + places * blocks_of(256));
      if (bins > 64) continue;  // the copies of 64 threads are more than shared memory has
      model::machine all;
      ASSERT_EQ(counted_by<private_histogram<>>(all, in, bins), expected);
      ASSERT_TRUE(all.counts().clean()) << all.counts().findings[0].text();
      ASSERT_EQ(all.operations().work(), elements + places * (64 * blocks_of(64) - 1));
      ASSERT_EQ(all.counts().atomics.changes, 0u);
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

constexpr std::string_view names[] = {"atomic-histogram", "block-histogram", "private-histogram"};

TEST(histograms, of_the_catalogue_count_and_cost_what_their_formulas_say)
{
  std::vector<int> sizes = test::every_size_to(300);
  for (int p = 512; p <= 1 << 16; p *= 2) sizes.insert(sizes.end(), {p - 1, p, p + 1});
  for (std::string_view const name : names)
    for (blocks const size : {blocks::full, blocks::small})
      for (int const n : sizes) {
        if (size == blocks::small && n > 300) continue;
        SCOPED_TRACE(testing::Message() << name << ", " << n << (size == blocks::small ? " in small blocks" : ""));
        kernel_entry const& kernel = *find_kernel(name, size);
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
TEST(histograms, formulas_of_powers_of_two)
{
  kernel_entry const& shared = *find_kernel("block-histogram");
  kernel_entry const& two = *find_kernel("block-histogram", blocks::small);
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
    EXPECT_EQ(two.work.value(n), static_cast<std::size_t>(n + 8 * 2));
    EXPECT_EQ(two.steps.value(n), static_cast<std::size_t>(n / 4 + 4));
    if (log2 < 8) continue;
    int const of_256 = 1 << std::min(log2 - 8, 4);
    EXPECT_EQ(shared.work.value(n), static_cast<std::size_t>(n + 8 * of_256));
    EXPECT_EQ(shared.steps.value(n), static_cast<std::size_t>(n / (256 * of_256) + 1));
  }
}

TEST(histograms, of_the_catalogue_take_what_has_a_bin_and_addition)
{
  for (std::string_view const name : names) {
    kernel_entry const& kernel = *find_kernel(name);
    model::machine on;
    EXPECT_NO_THROW(run(kernel, on, std::vector<int>{0, 7}, operation::sum));
    EXPECT_THROW(run(kernel, on, std::vector<int>{0, 8}), usage_error);
    EXPECT_THROW(run(kernel, on, std::vector<int>{-1, 7}), usage_error);
    EXPECT_THROW(run(kernel, on, std::vector<float>{1.0F}), usage_error);
    EXPECT_THROW(run(kernel, on, std::vector<letters>{{0, 0}}), usage_error);
    EXPECT_THROW(run(kernel, on, std::vector<int>{0, 7}, operation::maximum), usage_error);
  }
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

TEST(histograms, lanes_meet_where_an_element_is_frequent_but_not_in_private_ones)
{
  // All elements in one bin: 128 warps, whose lanes all meet.
  model::machine one, some, other;
  banks of;
  other.watch_with(&of);
  std::vector<int> const in(4096, 5);
  EXPECT_EQ(counted_by<atomic_histogram<>>(one, in, 16)[5], 4096);
  EXPECT_EQ(counted_by<block_histogram<>>(some, in, 16)[5], 4096);
  EXPECT_EQ(counted_by<private_histogram<>>(other, in, 16)[5], 4096);
  EXPECT_EQ(one.counts().global.writes, 4096u + 16);
  EXPECT_EQ(some.counts().global.writes, 16u * 16 + 16);
  EXPECT_EQ(other.counts().global.writes, 16u * 16 + 16);
  EXPECT_EQ(one.counts().atomics.requests, 128u);
  EXPECT_EQ(one.counts().atomics.turns, 4096u);
  EXPECT_EQ(some.counts().atomics.requests, 128u + 16);
  EXPECT_EQ(some.counts().atomics.turns, 4096u + 16) << "the last additions of a block are to words of their own";
  EXPECT_EQ(other.counts().atomics.turns, 0u);
  ASSERT_GT(of.degrees.size(), 2u);
  EXPECT_EQ(of.degrees[0], 1) << "every thread stays in its bank, where it begins from zero";
  EXPECT_EQ(of.degrees[1], 1) << "and where it counts";
}

TEST(histograms, lanes_with_different_elements_take_one_turn)
{
  model::machine on;
  std::vector<int> in;
  for (int k = 0; k < 64; ++k) in.push_back(k % 32);
  counted_by<atomic_histogram<>>(on, in, 32);
  EXPECT_EQ(on.counts().atomics.requests, 2u);
  EXPECT_EQ(on.counts().atomics.turns, 2u);
  model::machine half;
  for (int& each : in) each /= 2;
  counted_by<atomic_histogram<>>(half, in, 32);
  EXPECT_EQ(half.counts().atomics.turns, 4u);
}

}  // namespace
}  // namespace tally::textbook
