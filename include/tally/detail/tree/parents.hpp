#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "tally/error.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

/// The parents of a tree's nodes: whether they make a tree, and if not, which node is wrong.
namespace tally::detail::tree {

inline constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::size_t most_nodes = std::size_t{1} << 30;

/// The facts about a range of nodes from which the checks follow. Nodes that do not exist are `no_node`.
struct parents_summary {
  std::uint32_t first_invalid;  // the first node whose parent is no node
  std::uint32_t first_root;
  std::uint32_t last_root;
  bool child_first;  // whether some node comes before its parent

  /// The summary of two ranges that follow each other.
  struct merge {
    static constexpr bool exactly_associative = true;
    parents_summary operator()(parents_summary const& a, parents_summary const& b) const
    {
      return {a.first_invalid < b.first_invalid ? a.first_invalid : b.first_invalid,
              a.first_root < b.first_root ? a.first_root : b.first_root,
              b.last_root != no_node ? b.last_root : a.last_root, a.child_first || b.child_first};
    }
    static parents_summary identity() { return {no_node, no_node, no_node, false}; }
  };
};

struct checked_parents {
  std::uint32_t root;
  bool parents_first;  // every parent comes before its children
};

/// Throws    usage_error, which names a node, unless all parents are nodes and exactly one node is its own parent.
template <class P>
checked_parents check_parents(P const& on, std::span<std::uint32_t const> parents)
{
  constexpr std::size_t block = 16384;
  std::size_t const n = parents.size();
  if (n > most_nodes) throw usage_error("tally: tree: " + std::to_string(n) + " nodes; there can be 2^30 at most");
  auto const of_block = [parents, n](std::size_t b) {
    parents_summary of = parents_summary::merge::identity();
    for (std::size_t v = b * block; v < n && v < (b + 1) * block; ++v) {
      auto const node = static_cast<std::uint32_t>(v);
      if (parents[v] >= n && of.first_invalid == no_node) of.first_invalid = node;
      of.child_first = of.child_first || parents[v] > v;
      if (parents[v] == v) {
        if (of.first_root == no_node) of.first_root = node;
        of.last_root = node;
      }
    }
    return of;
  };
  auto const blocks = elements_from(of_block, block * sizeof(std::uint32_t));
  auto const all = tally::reduce(on, blocks, blocks + static_cast<std::ptrdiff_t>((n + block - 1) / block),
                                 parents_summary::merge::identity(), parents_summary::merge{});
  if (all.first_invalid != no_node)
    throw usage_error("tally: tree: node " + std::to_string(all.first_invalid) + " has the parent " +
                      std::to_string(parents[all.first_invalid]) + "; nodes are 0 to " + std::to_string(n - 1));
  if (all.first_root == no_node) throw usage_error("tally: tree: no node is a root; the root is its own parent");
  if (all.first_root != all.last_root)
    throw usage_error("tally: tree: nodes " + std::to_string(all.first_root) + " and " + std::to_string(all.last_root) +
                      " are both roots; a tree has one node that is its own parent");
  return {all.first_root, !all.child_first};
}

/// The least node of a cycle of parents, or `no_node` if all nodes reach the root.
inline std::uint32_t node_on_cycle(std::span<std::uint32_t const> parents, std::uint32_t root)
{
  enum : char { unvisited, reaches_root, on_this_path };
  std::size_t const n = parents.size();
  std::string state(n, unvisited);
  state[root] = reaches_root;
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t at = v;
    while (state[at] == unvisited) {
      state[at] = on_this_path;
      at = parents[at];
    }
    if (state[at] == on_this_path) {
      std::uint32_t least = static_cast<std::uint32_t>(at);
      for (std::size_t k = parents[at]; k != at; k = parents[k])
        if (k < least) least = static_cast<std::uint32_t>(k);
      return least;
    }
    for (at = v; state[at] == on_this_path; at = parents[at]) state[at] = reaches_root;
  }
  return no_node;
}

}  // namespace tally::detail::tree
