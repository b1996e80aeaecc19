#include "run_cell.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <numeric>
#include <string>
#include <thread>

namespace tally::bench {
namespace {

/// A letter for each contender, in the order of the calls; consecutive calls of one contender are one letter.
std::string calls;

void note(char who)
{
  if (calls.empty() || calls.back() != who) calls.push_back(who);
}

template <char Name>
void right(void const* in, void* out, std::size_t n)
{
  note(Name);
  std::int64_t const* const values = static_cast<std::int64_t const*>(in);
  std::partial_sum(values, values + n, static_cast<std::int64_t*>(out));
}

void wrong(void const*, void* out, std::size_t)
{
  note('w');
  *static_cast<std::int64_t*>(out) = 0;
}

contender scan_of(char const* name, void (*run)(void const*, void*, std::size_t))
{
  return {name, role::peer, operation::inclusive_scan, element::i64, 1, false, run, nullptr, nullptr};
}

class run_cell_test : public testing::Test {
protected:
  run_cell_test() : data(element::i64, 1 << 12), results(data) { calls.clear(); }

  cell run(placement where, effort const& how)
  {
    cell c{operation::inclusive_scan, element::i64, 10, where, {}};
    run_cell(c, {scan_of("a", right<'a'>), scan_of("b", right<'b'>), scan_of("c", right<'c'>), scan_of("w", wrong)},
             data, results, how);
    return c;
  }

  data_set data;
  exact results;
};

TEST_F(run_cell_test, a_wrong_contender_is_marked_and_not_timed)
{
  for (placement const where : {placement::cache, placement::memory}) {
    cell const c = run(where, {1, 1, 1, 1e-5, 1e-5});
    for (measurement const& m : c.measured) {
      EXPECT_EQ(m.check.wrong, m.name == "w");
      EXPECT_EQ(m.seconds.size(), m.name == "w" ? 0 : 1);
    }
  }
}

TEST_F(run_cell_test, every_round_times_each_once)
{
  run(placement::cache, {9, 9, 1, 1e-5, 1e-5});
  // Checked one after the other ("abcw"), then nine rounds of all three in any order; neighbours in two rounds may be
  // the same.
  ASSERT_EQ(calls.substr(0, 4), "abcw");
  std::map<char, int> turns;
  for (char const who : calls.substr(4)) ++turns[who];
  EXPECT_EQ(turns.count('w'), 0u);
  for (char const who : {'a', 'b', 'c'}) {
    EXPECT_GE(turns[who], 5) << calls;  // not nine turns in a row
    EXPECT_LE(turns[who], 9) << calls;
  }
}

// One round suffices: five milliseconds are far beyond the time of the other contender.
TEST_F(run_cell_test, a_hopeless_contender_is_left_out_beyond_cache)
{
  cell c{operation::inclusive_scan, element::i64, 10, placement::memory, {}};
  auto const slow = [](void const* in, void* out, std::size_t n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    right<'s'>(in, out, n);
  };
  run_cell(c, {scan_of("a", right<'a'>), scan_of("slow", slow)}, data, results, {4, 4, 1, 1e-5, 1e-5});
  EXPECT_EQ(c.measured[0].seconds.size(), 4u);
  EXPECT_EQ(c.measured[1].seconds.size(), 1u);
}

TEST_F(run_cell_test, the_best_of_those_that_are_right_counts)
{
  cell c{operation::inclusive_scan, element::f32, 10, placement::cache, {}};
  c.measured = {{"cpu", role::tally, 1, {}, {3, 2, 4}, false},
                {"fast but wrong", role::peer, 1, {true, 0, 0}, {1, 1, 1}, false},
                {"slow", role::peer, 1, {}, {9, 9, 9}, false},
                {"best", role::peer, 1, {}, {6, 6, 6}, false},
                {"parallel", role::peer, all_threads, {}, {2, 2, 2}, false},
                {"copy", role::copy_limit, 1, {}, {1.5, 1.5, 1.5}, false}};
  standing const s = stand(c, 1);
  EXPECT_EQ(s.tally->median(), 3);
  EXPECT_EQ(s.peer->name, "best");
  EXPECT_DOUBLE_EQ(s.of_peer(), 2);
  EXPECT_DOUBLE_EQ(s.of_limit(), 0.5);
  EXPECT_EQ(stand(c, all_threads).peer->name, "parallel");
  EXPECT_EQ(stand(c, all_threads).tally, nullptr);
}

}  // namespace
}  // namespace tally::bench
