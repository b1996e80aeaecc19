// Trees: all numbers, subtree sums and common ancestors against a walk from the root.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../support/sizes.hpp"
#include "tally/algorithms/tree.hpp"

namespace {

using nodes = std::vector<std::uint32_t>;

struct walked {
  nodes depth, size, preorder, postorder, in_preorder;
};

walked walk(nodes const& parents)
{
  std::size_t const n = parents.size();
  std::vector<nodes> children(n);
  std::uint32_t root = 0;
  for (std::uint32_t v = 0; v < n; ++v)
    if (parents[v] == v)
      root = v;
    else
      children[parents[v]].push_back(v);
  walked all{nodes(n), nodes(n, 1), nodes(n), nodes(n), {}};
  if (n == 0) return all;
  std::uint32_t done = 0;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    auto& [v, next] = stack.back();
    if (next == 0) {
      all.preorder[v] = static_cast<std::uint32_t>(all.in_preorder.size());
      all.depth[v] = static_cast<std::uint32_t>(stack.size() - 1);
      all.in_preorder.push_back(v);
    }
    if (next < children[v].size()) {
      std::uint32_t const child = children[v][next++];
      stack.emplace_back(child, 0);
    } else {
      all.postorder[v] = done++;
      if (v != root) all.size[parents[v]] += all.size[v];
      stack.pop_back();
    }
  }
  return all;
}

/// The same tree with its nodes renamed at random.
nodes shuffled(nodes const& parents, unsigned seed)
{
  nodes names(parents.size());
  std::iota(names.begin(), names.end(), 0u);
  std::shuffle(names.begin(), names.end(), std::mt19937(seed));
  nodes renamed(parents.size());
  for (std::size_t v = 0; v < parents.size(); ++v) renamed[names[v]] = names[parents[v]];
  return renamed;
}

template <class Parent>
nodes made(std::size_t n, Parent parent)
{
  nodes parents(n);
  for (std::size_t v = 0; v < n; ++v) parents[v] = static_cast<std::uint32_t>(v == 0 ? 0 : parent(v));
  return parents;
}

std::vector<std::pair<std::string, nodes>> trees_of(std::size_t n)
{
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<std::pair<std::string, nodes>> trees = {
      {"path", made(n, [](std::size_t v) { return v - 1; })},
      {"star", made(n, [](std::size_t) { return 0; })},
      {"binary", made(n, [](std::size_t v) { return (v - 1) / 2; })},
      {"comb", made(n, [](std::size_t v) { return v % 2 == 1 ? v - 1 : v - 2; })},
      {"random", made(n, [&](std::size_t v) { return random() % v; })},
      {"deep", made(n, [&](std::size_t v) { return v - 1 - random() % std::min<std::size_t>(v, 3); })},
      {"broom", made(n, [&](std::size_t v) { return v < n / 2 ? v - 1 : std::max<std::size_t>(n / 2, 1) - 1; })}};
  std::size_t const as_they_are = trees.size();
  for (std::size_t k = 0; k < as_they_are; ++k) {
    trees.emplace_back(trees[k].first + ", shuffled", shuffled(trees[k].second, static_cast<unsigned>(k)));
    if (k >= 2) continue;
    nodes reversed(n);
    for (std::size_t v = 0; v < n; ++v) reversed[n - 1 - v] = static_cast<std::uint32_t>(n - 1 - trees[k].second[v]);
    trees.emplace_back(trees[k].first + ", reversed", reversed);
  }
  return trees;
}

/// Around sections, the sections of a draw, blocks, ranges of parents, and the size from which threads share.
std::vector<std::size_t> const sizes = tally::test::tidy({1, 2, 3, 31, 1023, 1024, 1025, 4095, 4096, 4097, 65'537});

TEST(tree, has_the_numbers_of_a_walk)
{
  for (std::size_t const n : sizes) {
    for (auto const& [name, parents] : trees_of(n)) {
      walked const expected = walk(parents);
      for (int const threads : {1, 3, 7}) {  // seven walk the tour even where parents come first
        tally::tree const tree(tally::cpu{threads}, parents);
        std::string const what = name + " of " + std::to_string(n) + " on " + std::to_string(threads);
        ASSERT_EQ(tree.size(), n);
        ASSERT_EQ(tree.root(), expected.in_preorder[0]) << what;
        ASSERT_TRUE(std::ranges::equal(tree.in_preorder(), expected.in_preorder)) << what;
        for (std::size_t v = 0; v < n; ++v) {
          ASSERT_EQ(tree.depth(v), expected.depth[v]) << what << ", node " << v;
          ASSERT_EQ(tree.subtree_size(v), expected.size[v]) << what << ", node " << v;
          ASSERT_EQ(tree.preorder(v), expected.preorder[v]) << what << ", node " << v;
          ASSERT_EQ(tree.postorder(v), expected.postorder[v]) << what << ", node " << v;
        }
      }
    }
  }
}

TEST(tree, sums_over_subtrees)
{
  for (std::size_t const n : sizes) {
    for (auto const& [name, parents] : trees_of(n)) {
      walked const expected = walk(parents);
      std::vector<std::uint64_t> values(n), sums(n, 77);
      for (std::size_t v = 0; v < n; ++v) values[v] = v * v + 1;
      auto by_walk = values;
      for (std::size_t k = n; k-- > 1;) by_walk[parents[expected.in_preorder[k]]] += by_walk[expected.in_preorder[k]];
      tally::tree const tree(parents);
      EXPECT_EQ(tally::subtree_sums(tally::cpu{3}, tree, values.begin(), sums.begin()), sums.end());
      EXPECT_EQ(sums, by_walk) << name << " of " << n;
      tally::subtree_sums(tree, values.data(), values.data());  // in place
      EXPECT_EQ(values, by_walk) << name << " of " << n;
    }
  }
}

/// The maps x -> a x + b modulo a prime under composition: a group that does not commute.
struct map {
  std::uint64_t a, b;
  friend bool operator==(map const&, map const&) = default;
};
constexpr std::uint64_t prime = 10'007;
struct then {
  static constexpr bool exactly_associative = true;
  map operator()(map const& f, map const& g) const { return {f.a * g.a % prime, (g.a * f.b + g.b) % prime}; }
  static map identity() { return {1, 0}; }
};
std::uint64_t inverse(std::uint64_t a)
{
  std::uint64_t power = 1;
  for (std::uint64_t k = prime - 2, square = a; k > 0; k /= 2, square = square * square % prime)
    if (k % 2 == 1) power = power * square % prime;
  return power;
}
struct between {
  map operator()(map const& before, map const& upto) const
  {
    std::uint64_t const a = inverse(before.a);
    return then{}(map{a, (prime - a * before.b % prime) % prime}, upto);
  }
};

TEST(tree, sums_keep_the_order_of_what_does_not_commute)
{
  for (auto const& [name, parents] : trees_of(2'000)) {
    std::size_t const n = parents.size();
    std::vector<map> values(n), sums(n);
    for (std::size_t v = 0; v < n; ++v) values[v] = {v % 5 + 1, v % 7};
    tally::tree const tree(parents);
    tally::subtree_sums(tally::cpu{2}, tree, values.begin(), sums.begin(), then{}, between{});
    for (std::size_t v = 0; v < n; v += 1 + v / 20) {
      map expected = then::identity();
      for (std::size_t k = 0; k < tree.subtree_size(v); ++k)
        expected = then{}(expected, values[tree.in_preorder()[tree.preorder(v) + k]]);
      EXPECT_EQ(sums[v], expected) << name << ", node " << v;
    }
  }
}

TEST(tree, lowest_common_ancestors)
{
  for (std::size_t const n : sizes) {
    for (auto const& [name, parents] : trees_of(n)) {
      tally::tree const tree(parents);
      tally::lowest_common_ancestors const ancestor(tally::cpu{2}, tree, parents);
      std::mt19937_64 random(n);
      for (int question = 0; question < 300; ++question) {
        std::size_t const a = random() % n;
        // Neighbours too: their range is shorter than a block.
        std::size_t const b = question % 3 == 0
                                  ? tree.in_preorder()[std::min<std::size_t>(tree.preorder(a) + random() % 50, n - 1)]
                                  : random() % n;
        std::size_t x = a;
        // Up from a by is_ancestor, which is tested here too; for one question in 40 up from both by their depths.
        while (!tree.is_ancestor(x, b) && question % 40 != 0) x = parents[x];
        if (question % 40 == 0) {
          std::size_t y = b;
          while (x != y) {
            if (tree.depth(x) >= tree.depth(y))
              x = parents[x];
            else
              y = parents[y];
          }
        }
        ASSERT_EQ(ancestor(a, b), x) << name << " of " << n << ", nodes " << a << " and " << b;
        ASSERT_EQ(ancestor(b, a), x) << name << " of " << n << ", nodes " << b << " and " << a;
      }
    }
    if (n > 70'000) break;
  }
}

TEST(tree, of_nothing)
{
  tally::tree const tree(nodes{});
  EXPECT_EQ(tree.size(), 0u);
  tally::lowest_common_ancestors const ancestor(tally::cpu{}, tree, nodes{});
  int* const none = nullptr;
  EXPECT_EQ(tally::subtree_sums(tree, none, none), none);
}

void expect_error(nodes const& parents, std::string const& message)
{
  for (int const threads : {1, 3}) {
    try {
      tally::tree const tree(tally::cpu{threads}, parents);
      ADD_FAILURE() << "no error: " << message;
    } catch (tally::usage_error const& error) {
      EXPECT_EQ(std::string(error.what()), "tally: tree: " + message);
    }
  }
}

TEST(tree, says_which_node_is_wrong)
{
  expect_error({0, 0, 7, 9}, "node 2 has the parent 7; nodes are 0 to 3");
  expect_error({1, 2, 0}, "no node is a root; the root is its own parent");
  expect_error({0, 0, 2, 3}, "nodes 0 and 3 are both roots; a tree has one node that is its own parent");
  expect_error({0, 2, 3, 1, 1}, "node 1 is its own ancestor: its parent is 2, whose ancestors lead back to it");
  // A cycle in which no section begins, longer ones in which sections begin, and nodes below each.
  for (std::size_t const length : {std::size_t{2}, std::size_t{2000}, std::size_t{50'000}}) {
    nodes parents = made(100'000, [](std::size_t v) { return v / 2; });
    for (std::size_t k = 0; k < length; ++k)
      parents[40'000 + k] = static_cast<std::uint32_t>(40'000 + (k + 1) % length);
    expect_error(parents, "node 40000 is its own ancestor: its parent is 40001, whose ancestors lead back to it");
  }
  nodes late = made(70'000, [](std::size_t v) { return v - 1; });
  late[69'999] = 70'000;
  expect_error(late, "node 69999 has the parent 70000; nodes are 0 to 69999");
  late[69'999] = 69'999;
  expect_error(late, "nodes 0 and 69999 are both roots; a tree has one node that is its own parent");
}

}  // namespace
