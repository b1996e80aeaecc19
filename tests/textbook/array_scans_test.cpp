// Scans of whole arrays: right for any n, over several levels, in order, with the counts of their formulas.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scan_oracle.hpp"
#include "tally/textbook/blelloch.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/exclusive_from_inclusive.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/inclusive_from_exclusive.hpp"
#include "tally/textbook/reduce_scan_scan.hpp"
#include "tally/textbook/scan_scan_add.hpp"
#include "tally/textbook/single_pass_look_back.hpp"
#include "textbook/catalogue.hpp"

namespace tally::textbook {
namespace {

constexpr auto inclusive = result_kind::inclusive_scan, exclusive = result_kind::exclusive_scan;

// As the catalogue has them: sections of 512.

class array_scan : public testing::TestWithParam<std::string> {
protected:
  kernel_entry const& kernel() const { return *find_kernel(GetParam()); }
  void expect_formulas(model::machine const& on, int n) const
  {
    EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
    EXPECT_EQ(on.operations().work(), kernel().work.value(n));
    EXPECT_EQ(on.counts().steps, kernel().steps.value(n));
    EXPECT_EQ(on.counts().barriers, kernel().barriers.value(n));
  }
};

TEST_P(array_scan, keeps_the_order_of_operands_and_its_formulas_for_any_n)
{
  std::vector<int> sizes(300);
  std::iota(sizes.begin(), sizes.end(), 1);
  for (int const n : {511, 512, 513, 514, 767, 768, 769, 1023, 1024, 1025, 1535, 1536, 1537, 2048, 2049, 5000, 16384})
    sizes.push_back(n);
  for (int const n : sizes) {
    SCOPED_TRACE(n);
    model::machine on;
    std::vector<letters> const in = alphabet(n);
    outcome const result = run(kernel(), on, in);
    ASSERT_EQ(std::get<std::vector<letters>>(result.result), scanned(in, join{}, kernel().result));
    expect_formulas(on, n);
    ASSERT_FALSE(HasFailure());
  }
}

std::vector<int> distinct(int n)
{
  std::vector<int> result;
  for (int k = 0; k < n; ++k) result.push_back(static_cast<int>(k * 7919LL % 1'000'003) - 1'000'004);
  return result;
}

TEST_P(array_scan, takes_any_operator)
{
  for (int const n : {1, 2, 33, 512, 513, 3000})
    for (operation const op : {operation::sum, operation::product, operation::minimum, operation::maximum}) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", operation " << static_cast<int>(op));
      model::machine on;
      std::vector<int> in = distinct(n);
      if (op == operation::sum || op == operation::product)
        for (int& each : in) each = op == operation::sum ? each / 1000 : each % 2 == 0 ? -1 : 1;
      outcome const result = run(kernel(), on, in, op);
      ASSERT_EQ(std::get<std::vector<int>>(result.result), scanned(in, chosen<int>{op}, kernel().result));
    }
}

TEST_P(array_scan, of_three_levels)
{
  int const n = 512 * 512 + 1;
  model::machine on;
  std::vector<int> const in = distinct(n);
  outcome const result = run(kernel(), on, in, operation::maximum);
  ASSERT_EQ(std::get<std::vector<int>>(result.result), scanned(in, chosen<int>{operation::maximum}, kernel().result));
  expect_formulas(on, n);
}

/// The formulas as they are printed are those of powers of two.
TEST(array_scan_formulas, of_powers_of_two)
{
  for (int log2 = 10; log2 <= 16; ++log2) {
    int const n = 1 << log2;
    std::size_t const two = 2 * static_cast<std::size_t>(log2);
    auto const steps = [n](char const* name) { return find_kernel(name)->steps.value(n); };
    auto const barriers = [n](char const* name) { return find_kernel(name)->barriers.value(n); };
    EXPECT_EQ(steps("scan-scan-add"), two - 2 + 2);
    EXPECT_EQ(barriers("scan-scan-add"), two - 1 + 4);
    EXPECT_EQ(steps("scan-scan-add-exclusive"), two - 3 + 6);
    EXPECT_EQ(barriers("scan-scan-add-exclusive"), two - 1 + 6);
    EXPECT_EQ(steps("inclusive-from-exclusive"), two - 2 + 6);
    EXPECT_EQ(barriers("inclusive-from-exclusive"), two + 6);
    EXPECT_EQ(steps("exclusive-from-inclusive"), two - 2 + 2);
    EXPECT_EQ(barriers("exclusive-from-inclusive"), two + 4);
    EXPECT_EQ(steps("single-pass-look-back"), 20u);
    EXPECT_EQ(barriers("single-pass-look-back"), 22u);
    if (log2 < 11) continue;
    EXPECT_EQ(steps("reduce-scan-scan"), two + 7);
    EXPECT_EQ(barriers("reduce-scan-scan"), two + 12);
    if (log2 < 15) continue;
    for (kernel_entry const& each : array_scans()) EXPECT_NEAR(double(each.work.value(n)) / n, 3, 0.05) << each.name;
  }
}

/// n elements of global memory are read or written so often: that is what sets the three apart.
TEST(array_scan_traffic, of_each_scheme)
{
  int const n = 1 << 16;
  auto const accesses = [](char const* name) {
    model::machine on;
    run(*find_kernel(name), on, distinct(n), operation::minimum);
    return double(on.counts().global.reads + on.counts().global.writes) / n;
  };
  // Each section's sums come on top, and the broadcast to every warp of an addition.
  EXPECT_NEAR(accesses("scan-scan-add"), 4 + 0.5, 0.02);
  EXPECT_NEAR(accesses("reduce-scan-scan"), 3, 0.02);
  EXPECT_NEAR(accesses("single-pass-look-back"), 2, 0.02);
}

std::vector<std::string> names()
{
  std::vector<std::string> result;
  for (kernel_entry const& each : array_scans()) result.emplace_back(each.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(all, array_scan, testing::ValuesIn(names()), [](auto const& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// With sections so small that a few hundred elements have many levels.

template <class Algorithm, result_kind Kind>
struct scheme {
  using algorithm = Algorithm;
  static constexpr result_kind kind = Kind;
};

/// What an algorithm leaves of the alphabet; `broken` where it has left nothing.
template <class Algorithm>
std::vector<letters> run_on_letters(model::machine& on, int n)
{
  auto const in = on.input(alphabet(n), "in");
  auto const out = on.allocate<model::traced<letters>>(static_cast<std::size_t>(n), "out");
  Algorithm{}(on, in, out, n, on.watch<letters>(join{}));
  return on.values(out, {letters::broken, letters::broken});
}

template <class Scheme>
class small_sections : public testing::Test {};
using schemes = testing::Types<
    scheme<scan_scan_add<hillis_steele, 2>, inclusive>, scheme<scan_scan_add<brent_kung, 3>, inclusive>,
    scheme<scan_scan_add<blelloch, 2>, exclusive>, scheme<scan_scan_add<blelloch, 32>, exclusive>,
    scheme<reduce_scan_scan<hillis_steele, 4>, inclusive>, scheme<reduce_scan_scan<brent_kung, 2>, inclusive>,
    scheme<single_pass_look_back<hillis_steele, 2>, inclusive>, scheme<single_pass_look_back<brent_kung, 5>, inclusive>,
    scheme<inclusive_from_exclusive<scan_scan_add<blelloch, 2>, 7>, inclusive>,
    scheme<exclusive_from_inclusive<scan_scan_add<brent_kung, 2>, 7>, exclusive>>;
TYPED_TEST_SUITE(small_sections, schemes);

TYPED_TEST(small_sections, any_n)
{
  for (int n = 1; n <= 300; ++n) {
    SCOPED_TRACE(n);
    model::machine on;
    ASSERT_EQ(run_on_letters<typename TypeParam::algorithm>(on, n), scanned(alphabet(n), join{}, TypeParam::kind));
    ASSERT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
  }
}

/// Blocks of one launch may come in any order: where they do not wait, nothing may depend on it.
TYPED_TEST(small_sections, in_any_order_of_blocks)
{
  for (int const n : {1, 8, 9, 100})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", seed " << seed);
      model::machine on({model::schedule::order::shuffled, seed, 1 + static_cast<int>(seed % 9)});
      ASSERT_EQ(run_on_letters<typename TypeParam::algorithm>(on, n), scanned(alphabet(n), join{}, TypeParam::kind));
      ASSERT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
    }
}

template <class Algorithm>
int launches(int n)
{
  model::machine on;
  run_on_letters<Algorithm>(on, n);
  return on.counts().launches;
}

TEST(scan_scan_add, has_as_many_levels_as_the_sums_need)
{
  using sections_of_8 = scan_scan_add<brent_kung, 4>;
  EXPECT_EQ(launches<sections_of_8>(8), 1);
  EXPECT_EQ(launches<sections_of_8>(9), 3);
  EXPECT_EQ(launches<sections_of_8>(64), 3);
  EXPECT_EQ(launches<sections_of_8>(65), 5);
  EXPECT_EQ(launches<sections_of_8>(512), 5);
  EXPECT_EQ(launches<sections_of_8>(513), 7);
}

TEST(reduce_scan_scan, leaves_out_the_total_of_the_last_section)
{
  using sections_of_8 = reduce_scan_scan<brent_kung, 4>;
  EXPECT_EQ(launches<sections_of_8>(8), 1);
  EXPECT_EQ(launches<sections_of_8>(72), 3) << "nine sections, eight totals";
  EXPECT_EQ(launches<sections_of_8>(73), 5);
}

TEST(single_pass_look_back, is_one_launch_besides_clearing)
{
  EXPECT_EQ((launches<single_pass_look_back<brent_kung, 4>>(8)), 2);
  EXPECT_EQ((launches<single_pass_look_back<brent_kung, 4>>(513)), 2);
}

/// The sums overwrite themselves in every recursion; an array may as well.
TEST(array_scan, in_place)
{
  for (int const n : {1, 8, 9, 100, 600}) {
    model::machine on;
    auto const op = on.watch<letters>(join{});
    auto const a = on.input(alphabet(n), "a"), b = on.input(alphabet(n), "b"), c = on.input(alphabet(n), "c");
    scan_scan_add<brent_kung, 4>{}(on, a, a, n, op);
    scan_scan_add<blelloch, 4>{}(on, b, b, n, op);
    reduce_scan_scan<brent_kung, 4>{}(on, c, c, n, op);
    EXPECT_EQ(on.values(a), scanned(alphabet(n), join{}, inclusive));
    EXPECT_EQ(on.values(b), scanned(alphabet(n), join{}, exclusive));
    EXPECT_EQ(on.values(c), scanned(alphabet(n), join{}, inclusive));
    EXPECT_TRUE(on.counts().clean());
  }
}

// The single pass, whose blocks wait for each other.

using order = model::schedule::order;

/// Takes sections in the order of the blocks' indices, in which nobody promises to run them.
struct by_index {
  template <block Block, class Tickets>
  int operator()(Block const& block, Tickets) const
  {
    return block.index();
  }
};
template <class Order>
using sections_of_8 = single_pass_look_back<brent_kung, 4, Order>;

std::vector<model::schedule> schedules()
{
  std::vector<model::schedule> result;
  for (int const resident : {1, 2, 3, 8, 100}) {
    result.push_back({order::ascending, 0, resident});
    result.push_back({order::descending, 0, resident});
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      result.push_back({order::shuffled, seed, resident});
      result.push_back({order::one_starves, seed, resident});
    }
  }
  return result;
}

TEST(single_pass_look_back, is_right_under_every_schedule)
{
  for (model::schedule const& by : schedules())
    for (int const n : {1, 8, 9, 16, 17, 64, 65, 150, 300}) {
      SCOPED_TRACE(testing::Message() << "order " << static_cast<int>(by.by) << ", seed " << by.seed << ", resident "
                                      << by.resident << ", n " << n);
      model::machine on(by);
      ASSERT_EQ(run_on_letters<sections_of_8<by_ticket>>(on, n), scanned(alphabet(n), join{}, inclusive));
      ASSERT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
    }
}

/// So the schedules do what they are there for: blocks look back at own sums, over several sections.
TEST(single_pass_look_back, looks_back_further_where_blocks_come_late)
{
  auto const work = [](model::schedule by) {
    model::machine on(by);
    run_on_letters<sections_of_8<by_ticket>>(on, 320);
    return on.operations().work();
  };
  std::size_t const least = work({order::ascending, 0, 8});
  EXPECT_EQ(work({order::descending, 0, 1}), least) << "one after the other, whoever it is";
  EXPECT_GT(work({order::one_starves, 0, 8}), least);
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 15; ++seed) most = std::max(most, work({order::shuffled, seed, 40}));
  EXPECT_GT(most, least + 40) << "a section more for each block, on average";
}

TEST(single_pass_look_back, without_tickets_depends_on_who_runs)
{
  constexpr int n = 100;  // 13 sections
  auto const run_by = [](model::schedule by) {
    auto on = std::make_unique<model::machine>(by);
    std::vector<letters> const out = run_on_letters<sections_of_8<by_index>>(*on, n);
    EXPECT_EQ(out == scanned(alphabet(n), join{}, inclusive), on->counts().clean());
    return on;
  };
  EXPECT_TRUE(run_by({order::ascending, 0, 1})->counts().clean());
  EXPECT_TRUE(run_by({order::descending, 0, 13})->counts().clean()) << "all run at once";
  for (int const resident : {1, 2, 12}) {
    auto const on = run_by({order::descending, 0, resident});
    ASSERT_FALSE(on->counts().clean());
    model::finding const& stuck = on->counts().findings.front();
    EXPECT_EQ(stuck.what, model::fault::no_progress);
    EXPECT_EQ(stuck.kernel, "scan_and_look_back");
    EXPECT_EQ(stuck.thread, 0);
    EXPECT_EQ(stuck.times, static_cast<std::size_t>(resident)) << "each block that runs";
    EXPECT_NE(stuck.text().find("single_pass_look_back.hpp"), std::string::npos) << stuck.text();
  }
}

}  // namespace
}  // namespace tally::textbook
