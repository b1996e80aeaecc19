// Numbering trees against a walk from the root, with nodes in preorder and in no order:
//   build/bench/algorithms/tally_bench_tree
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/tree.hpp"

namespace {

using nodes = std::vector<std::uint32_t>;

struct numbers {
  std::uint32_t preorder, size, depth;
};
struct walked {
  explicit walked(std::size_t n)
      : number(std::make_unique_for_overwrite<numbers[]>(n)),
        in_preorder(std::make_unique_for_overwrite<std::uint32_t[]>(n))
  {
  }
  std::unique_ptr<numbers[]> number;
  std::unique_ptr<std::uint32_t[]> in_preorder;
};

/// One thread: children by counting, then a walk with a stack, which numbers nodes as it enters them. Sizes are added
/// up in the reverse order.
walked walk(nodes const& parents)
{
  std::size_t const n = parents.size();
  nodes first(n + 2, 0), child(n);
  std::uint32_t root = 0;
  for (std::uint32_t v = 0; v < n; ++v)
    if (parents[v] == v)
      root = v;
    else
      ++first[parents[v] + 2];
  std::partial_sum(first.begin(), first.end(), first.begin());
  for (std::uint32_t v = 0; v < n; ++v)
    if (v != root) child[first[parents[v] + 1]++] = v;
  walked all(n);
  nodes stack{root};
  std::uint32_t count = 0;
  while (!stack.empty()) {
    std::uint32_t const v = stack.back();
    stack.pop_back();
    all.number[v] = {count, 1, v == root ? 0 : all.number[parents[v]].depth + 1};
    all.in_preorder[count++] = v;
    for (std::uint32_t k = first[v + 1]; k-- > first[v];) stack.push_back(child[k]);
  }
  for (std::size_t k = n; k-- > 1;) all.number[parents[all.in_preorder[k]]].size += all.number[all.in_preorder[k]].size;
  return all;
}

/// One thread, if parents come before their children: three passes, and no walk.
walked three_passes(nodes const& parents)
{
  std::size_t const n = parents.size();
  walked all(n);
  all.number[0] = {0, 1, 0};
  for (std::size_t v = 1; v < n; ++v) all.number[v] = {0, 1, all.number[parents[v]].depth + 1};
  for (std::size_t v = n; v-- > 1;) all.number[parents[v]].size += all.number[v].size;
  nodes next(n);
  next[0] = 1;
  all.in_preorder[0] = 0;
  for (std::size_t v = 1; v < n; ++v) {
    std::uint32_t const preorder = next[parents[v]];
    next[parents[v]] += all.number[v].size;
    next[v] = preorder + 1;
    all.number[v].preorder = preorder;
    all.in_preorder[preorder] = static_cast<std::uint32_t>(v);
  }
  return all;
}

void number(std::string const& what, nodes const& parents)
{
  std::size_t const n = parents.size();
  tally::tree const tree(parents);
  auto const right = [&](auto const& preorder) {
    for (std::size_t v = 0; v < n; v += 1 + n / 100) tally::bench::expect(preorder(v) == tree.preorder(v));
  };
  tally::bench::rounds rounds(what, n, 4 * n);
  rounds.add("a walk from the root", [&] {
    auto const all = walk(parents);
    right([&](std::size_t v) { return all.number[v].preorder; });
  });
  bool ascending = true;
  for (std::size_t v = 1; v < n; ++v) ascending = ascending && parents[v] < v;
  if (ascending)
    rounds.add("three passes", [&] {
      auto const all = three_passes(parents);
      right([&](std::size_t v) { return all.number[v].preorder; });
    });
  // Six threads walk the tour even where parents come first: the time of all of them together says when it pays.
  for (int const threads : {1, 0, 6}) {
    rounds.add("tally::tree, cpu{" + (threads == 0 ? "" : std::to_string(threads)) + "}", [&, threads] {
      tally::tree const own(tally::cpu{threads}, parents);
      right([&](std::size_t v) { return own.preorder(v); });
    });
  }
  std::vector<std::uint64_t> values(n), sums(n);
  for (std::size_t v = 0; v < n; ++v) values[v] = v % 1000;
  rounds.add("subtree sums, one after the other", [&] {
    std::copy(values.begin(), values.end(), sums.begin());
    for (std::size_t k = n; k-- > 1;) sums[parents[tree.in_preorder()[k]]] += sums[tree.in_preorder()[k]];
  });
  std::uint64_t const total = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  rounds.add("tally::subtree_sums, cpu{}", [&] {
    tally::subtree_sums(tally::cpu{}, tree, values.begin(), sums.begin());
    tally::bench::expect(sums[tree.root()] == total);
  });
  tally::lowest_common_ancestors const ancestor(tally::cpu{}, tree, parents);
  rounds.add("lowest_common_ancestors, made", [&] {
    tally::lowest_common_ancestors const own(tally::cpu{}, tree, parents);
    tally::bench::expect(own(0, n - 1) == ancestor(0, n - 1));
  });
  rounds.add("lowest_common_ancestors, n questions", [&] {
    tally::for_each_index(tally::cpu{}, n,
                          [&, to = sums.data()](std::size_t v) { to[v] = ancestor(v, v * 0x9e3779b97f4a7c15 % n); });
  });
  rounds.run(n > (1u << 20) ? 3 : 7);
}

nodes shuffled(nodes const& parents)
{
  nodes names(parents.size());
  std::iota(names.begin(), names.end(), 0u);
  std::shuffle(names.begin(), names.end(), std::mt19937(1));
  nodes renamed(parents.size());
  for (std::size_t v = 0; v < parents.size(); ++v) renamed[names[v]] = names[parents[v]];
  return renamed;
}

/// A directory as it is read: in preorder, each node under one of the open ones.
nodes folders(std::size_t n)
{
  std::mt19937 random(1);
  nodes parents(n, 0), open{0};
  for (std::uint32_t v = 1; v < n; ++v) {
    while (open.size() > 1 && random() % 12 == 0) open.pop_back();
    parents[v] = open.back();
    if (random() % 12 == 0) open.push_back(v);
  }
  return parents;
}

}  // namespace

int main()
{
  for (std::size_t const n : {std::size_t{1} << 20, std::size_t{10'000'000}}) {
    std::mt19937 random(1);
    nodes any(n, 0), path(n, 0);
    for (std::uint32_t v = 1; v < n; ++v) {
      any[v] = static_cast<std::uint32_t>(random() % v);
      path[v] = v - 1;
    }
    number("folders, in preorder", folders(n));
    number("folders, in no order", shuffled(folders(n)));
    number("random tree, parents first", any);
    number("random tree, in no order", shuffled(any));
    number("path, in no order", shuffled(path));
  }
}
