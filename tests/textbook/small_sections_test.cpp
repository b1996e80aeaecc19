// Scans of whole arrays with sections so small that a few hundred elements have many levels, and the single pass under
// every schedule.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "../support/sizes.hpp"
#include "small_sections.hpp"
#include "tally/textbook/blelloch.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/exclusive_from_inclusive.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/inclusive_from_exclusive.hpp"
#include "tally/textbook/reduce_scan_scan.hpp"
#include "tally/textbook/scan_scan_add.hpp"
#include "tally/textbook/single_pass_look_back.hpp"

namespace tally::textbook {
namespace {

constexpr auto inclusive = result_kind::inclusive_scan, exclusive = result_kind::exclusive_scan;

template <class Algorithm, result_kind Kind>
struct scheme {
  using algorithm = Algorithm;
  static constexpr result_kind kind = Kind;
};

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
  for (int const n : test::every_size_to(300)) {
    SCOPED_TRACE(n);
    model::machine on;
    ASSERT_EQ(run_on_letters<typename TypeParam::algorithm>(on, n), scanned(alphabet(n), join{}, TypeParam::kind));
    ASSERT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
  }
}

/// Blocks of one launch may run in any order. The result must not depend on it if they do not wait.
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

/// The sums of sections are scanned in place in every recursion; an array may be, too.
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

/// Takes sections in the order of the blocks' indices, which no GPU guarantees.
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
    for (std::uint64_t seed = 0; seed < test::some_of(15); ++seed) {
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

/// The schedules have their purpose: blocks look back at own sums, over several sections.
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
