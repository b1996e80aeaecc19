#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "tally/error.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

/// Whether parents make a tree, for tree.hpp, and what is wrong if they do not.
namespace tally::detail {

inline constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::size_t most_nodes = std::size_t{1} << 30;

/// What is to be known of parents before anything is done with them.
struct parents_seen {
  std::uint32_t first_beyond;  // a node whose parent there is not
  std::uint32_t first_root;
  std::uint32_t last_root;
  bool later;  // whether some parent comes after its child

  struct both {
    static constexpr bool exactly_associative = true;
    parents_seen operator()(parents_seen const& a, parents_seen const& b) const
    {
      return {a.first_beyond < b.first_beyond ? a.first_beyond : b.first_beyond,
              a.first_root < b.first_root ? a.first_root : b.first_root,
              b.last_root != no_node ? b.last_root : a.last_root, a.later || b.later};
    }
    static parents_seen identity() { return {no_node, no_node, no_node, false}; }
  };
};

/// The root, and whether all parents come before their children.
struct root_found {
  std::uint32_t root;
  bool parents_first;
};

/// Throws    usage_error, which names a node, unless all parents are nodes and exactly one is its own.
template <class P>
root_found checked_root(P const& on, std::span<std::uint32_t const> parents)
{
  constexpr std::size_t block = 16384;
  std::size_t const n = parents.size();
  if (n > most_nodes) throw usage_error("tally: tree: " + std::to_string(n) + " nodes; there can be 2^30 at most");
  auto const of_block = [parents, n](std::size_t b) {
    parents_seen seen = parents_seen::both::identity();
    for (std::size_t v = b * block; v < n && v < (b + 1) * block; ++v) {
      auto const node = static_cast<std::uint32_t>(v);
      if (parents[v] >= n && seen.first_beyond == no_node) seen.first_beyond = node;
      seen.later = seen.later || parents[v] > v;
      if (parents[v] == v) {
        if (seen.first_root == no_node) seen.first_root = node;
        seen.last_root = node;
      }
    }
    return seen;
  };
  auto const blocks = elements_from(of_block, block * sizeof(std::uint32_t));
  auto const seen = tally::reduce(on, blocks, blocks + static_cast<std::ptrdiff_t>((n + block - 1) / block),
                                  parents_seen::both::identity(), parents_seen::both{});
  if (seen.first_beyond != no_node)
    throw usage_error("tally: tree: node " + std::to_string(seen.first_beyond) + " has the parent " +
                      std::to_string(parents[seen.first_beyond]) + "; nodes are 0 to " + std::to_string(n - 1));
  if (seen.first_root == no_node) throw usage_error("tally: tree: no node is a root; the root is its own parent");
  if (seen.first_root != seen.last_root)
    throw usage_error("tally: tree: nodes " + std::to_string(seen.first_root) + " and " +
                      std::to_string(seen.last_root) + " are both roots; a tree has one node that is its own parent");
  return {seen.first_root, !seen.later};
}

/// The least node of a circle of parents: some node is on one, or under one.
inline std::uint32_t node_on_circle(std::span<std::uint32_t const> parents, std::uint32_t root)
{
  std::size_t const n = parents.size();
  std::string reaches(n, '\0');  // 1 the root, else the way that is looked at
  reaches[root] = 1;
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t at = v;
    while (reaches[at] == 0) {
      reaches[at] = 2;
      at = parents[at];
    }
    if (reaches[at] == 2) {
      std::uint32_t least = static_cast<std::uint32_t>(at);
      for (std::size_t k = parents[at]; k != at; k = parents[k])
        if (k < least) least = static_cast<std::uint32_t>(k);
      return least;
    }
    for (at = v; reaches[at] == 2; at = parents[at]) reaches[at] = 1;
  }
  return no_node;
}

}  // namespace tally::detail
