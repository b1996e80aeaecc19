// Work, depth and schedules of graphs of operations.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tally/model/dag.hpp"

namespace tally::model {
namespace {

constexpr int leaf = traced<int>::constant;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

dag chain(int n)
{
  dag result;
  int last = leaf;
  for (int k = 0; k < n; ++k) last = result.apply(last, leaf);
  return result;
}

/// The reduction of 2^levels leaves.
dag tree(int levels)
{
  dag result;
  std::vector<int> row(std::size_t{1} << levels, leaf);
  while (row.size() > 1) {
    std::vector<int> next;
    for (std::size_t k = 0; k < row.size(); k += 2) next.push_back(result.apply(row[k], row[k + 1]));
    row = next;
  }
  return result;
}

dag random_graph(int n, unsigned seed)
{
  std::mt19937 random(seed);
  dag result;
  int const reach = 1 + static_cast<int>(seed) * 7;
  auto const operand = [&](int k) {
    std::uniform_int_distribution<int> from(std::max(-1, k - reach), k - 1);
    int const chosen = random() % 4 == 0 ? leaf : from(random);
    return k == 0 ? leaf : chosen;
  };
  for (int k = 0; k < n; ++k) {
    int const left = operand(k), right = random() % 16 == 0 ? left : operand(k);
    result.apply(left, right);
  }
  return result;
}

TEST(dag, without_nodes)
{
  dag const nothing;
  EXPECT_EQ(nothing.work(), 0u);
  EXPECT_EQ(nothing.depth(), 0u);
  EXPECT_EQ(nothing.schedule(1), 0u);
  EXPECT_TRUE(nothing.width().empty());
}

TEST(dag, of_a_map)
{
  dag map;
  for (int k = 0; k < 100; ++k) map.apply(leaf, leaf);
  EXPECT_EQ(map.work(), 100u);
  EXPECT_EQ(map.depth(), 1u);
  EXPECT_EQ(map.schedule(7), 15u);
  EXPECT_EQ(map.width(), std::vector<std::size_t>{100});
}

TEST(dag, of_a_chain)
{
  dag const all = chain(50);
  EXPECT_EQ(all.work(), 50u);
  EXPECT_EQ(all.depth(), 50u);
  for (std::size_t const p : {std::size_t{1}, std::size_t{2}, std::size_t{50}, unlimited})
    EXPECT_EQ(all.schedule(p), 50u);
  EXPECT_EQ(all.width(), std::vector<std::size_t>(50, 1));
}

TEST(dag, of_a_tree)
{
  dag const all = tree(4);
  EXPECT_EQ(all.work(), 15u);
  EXPECT_EQ(all.depth(), 4u);
  EXPECT_EQ(all.width(), (std::vector<std::size_t>{8, 4, 2, 1}));
  EXPECT_EQ(all.schedule(1), 15u);
  EXPECT_EQ(all.schedule(2), 4u + 2 + 1 + 1);
  EXPECT_EQ(all.schedule(3), 6u) << "3 + 3, 2 with the first of the next row, 3, 2, 1";
  EXPECT_EQ(all.schedule(8), 4u);
  EXPECT_EQ(all.schedule(unlimited), 4u);
  EXPECT_EQ(all[14].left, 12);
  EXPECT_EQ(all[14].right, 13);
}

TEST(dag, where_a_node_is_both_operands)
{
  dag squares;
  int const first = squares.apply(leaf, leaf);
  squares.apply(squares.apply(first, first), first);
  EXPECT_EQ(squares.depth(), 3u);
  EXPECT_EQ(squares.schedule(2), 3u);
}

TEST(dag, with_marks_for_what_is_no_node)
{
  dag all;
  all.apply(traced<int>::constant, traced<int>::unset);
  all.apply(0, -77);
  EXPECT_LT(all[0].left, 0);
  EXPECT_LT(all[0].right, 0);
  EXPECT_EQ(all[1].left, 0);
  EXPECT_EQ(all.depth(), 2u);
  EXPECT_EQ(all.schedule(3), 2u);
}

/// A greedy schedule as the textbook defines it: each step takes the first `p` of the nodes whose operands are ready,
/// in the order in which they became ready.
std::size_t by_hand(dag const& all, std::size_t p)
{
  std::size_t const n = all.work();
  std::vector<std::size_t> done(n, 0), ready(n, 0);  // the step; 0: not yet
  std::size_t steps = 0;
  for (std::size_t left = n; left > 0;) {
    ++steps;
    std::vector<std::size_t> able;
    for (std::size_t k = 0; k < n; ++k) {
      auto const there = [&](int operand) {
        return operand < 0 ||
               (done[static_cast<std::size_t>(operand)] > 0 && done[static_cast<std::size_t>(operand)] < steps);
      };
      if (done[k] != 0 || !there(all[k].left) || !there(all[k].right)) continue;
      if (ready[k] == 0) ready[k] = steps;
      able.push_back(k);
    }
    std::sort(able.begin(), able.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(ready[a], a) < std::pair(ready[b], b); });
    able.resize(std::min(able.size(), p));
    for (std::size_t const k : able) done[k] = steps;
    left -= able.size();
  }
  return steps;
}

TEST(schedule_of_a_dag, is_greedy_and_within_the_bounds_of_brent)
{
  for (unsigned seed = 0; seed < 40; ++seed) {
    dag const all = random_graph(300, seed);
    std::size_t const work = all.work(), depth = all.depth();
    std::size_t sum = 0;
    for (std::size_t const nodes : all.width()) sum += nodes;
    ASSERT_EQ(sum, work);
    ASSERT_EQ(all.width().size(), depth);
    ASSERT_EQ(all.schedule(1), work);
    ASSERT_EQ(all.schedule(unlimited), depth);
    ASSERT_EQ(all.schedule(work), depth);
    for (std::size_t const p : {2, 3, 4, 5, 7, 8, 16, 31, 64, 100, 299}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", p " << p);
      std::size_t const steps = all.schedule(p);
      ASSERT_GE(steps * p, work);
      ASSERT_GE(steps, depth);
      ASSERT_LE(steps * p, work + depth * (p - 1)) << "sharper than work/p + depth";
      // Nodes that become ready at the same time have no order, so two greedy schedules are related only by Graham's
      // bound.
      ASSERT_LE(steps, by_hand(all, p) * 2);
    }
  }
}

TEST(schedule_of_a_dag, is_as_by_hand_where_nothing_is_free)
{
  for (std::size_t const p : {1, 2, 3, 5, 8, 100}) {
    EXPECT_EQ(chain(40).schedule(p), by_hand(chain(40), p));
    EXPECT_EQ(tree(7).schedule(p), by_hand(tree(7), p));
  }
}

}  // namespace
}  // namespace tally::model
