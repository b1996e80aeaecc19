#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "tally/cpu/threads.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// The Euler tour of a tree, for tree.hpp: a walk that comes down into each node and goes up out of it, its children in
/// between. It is a linked list, made of the parents alone; its ranks are the tree's numbers.
namespace tally::detail {

/// One of the tour's steps: 2v comes down into node v, 2v + 1 goes up out of it.
struct tour_step {
  /// The step after it, marked where a section of the list begins there; once it is ranked, its own section.
  std::uint32_t next;
  /// Come into before it, in this section.
  std::uint32_t nodes;
  /// Of what it comes into or goes out of, less that of the section's beginning.
  std::uint32_t depth;
};

inline constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t section_begins = 0x80000000;
inline constexpr std::uint32_t tour_ends = no_node;
inline constexpr std::size_t most_nodes = std::size_t{1} << 30;

/// Nodes for each two sections of the list: enough sections for threads to share, and few enough to be ranked one after
/// another.
inline constexpr std::size_t section_nodes = 1024;
/// Sections that a thread walks through side by side: each step is somewhere else in memory, and so that many are
/// waited for at once.
inline constexpr std::size_t sections_at_once = 16;
/// Sections that a thread draws at a time.
inline constexpr std::size_t sections_a_draw = 128;

/// The node of the k-th `section_nodes` of them where two sections begin: 2k down into it, 2k + 1 up out of it. Any
/// node would do, but a fixed one in each would let an order of the nodes make sections of very different lengths.
inline std::size_t section_head(std::size_t k, std::size_t root)
{
  if (k == root / section_nodes) return root;
  std::uint64_t const mixed = (k + 1) * 0x9e3779b97f4a7c15;
  return k * section_nodes + ((mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9 >> 40) % section_nodes;
}

/// A step, marked if a section begins with it.
inline std::uint32_t step_to(std::uint32_t node, std::uint32_t up, std::size_t root)
{
  return (2 * node + up) | (section_head(node / section_nodes, root) == node ? section_begins : 0);
}

/// What is to be known of parents before anything is done with them.
struct parents_seen {
  std::uint32_t first_beyond;  // a node whose parent there is not
  std::uint32_t first_root;
  std::uint32_t last_root;

  struct both {
    static constexpr bool exactly_associative = true;
    parents_seen operator()(parents_seen const& a, parents_seen const& b) const
    {
      return {a.first_beyond < b.first_beyond ? a.first_beyond : b.first_beyond,
              a.first_root < b.first_root ? a.first_root : b.first_root,
              b.last_root != no_node ? b.last_root : a.last_root};
    }
    static parents_seen identity() { return {no_node, no_node, no_node}; }
  };
};

/// Throws    usage_error, which names a node, unless all parents are nodes and exactly one is its own.
template <class P>
std::uint32_t checked_root(P const& on, std::span<std::uint32_t const> parents)
{
  constexpr std::size_t block = 16384;
  std::size_t const n = parents.size();
  if (n > most_nodes) throw usage_error("tally: tree: " + std::to_string(n) + " nodes; there can be 2^30 at most");
  auto const of_block = [parents, n](std::size_t b) {
    parents_seen seen = parents_seen::both::identity();
    for (std::size_t v = b * block; v < n && v < (b + 1) * block; ++v) {
      auto const node = static_cast<std::uint32_t>(v);
      if (parents[v] >= n && seen.first_beyond == no_node) seen.first_beyond = node;
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
  return seen.first_root;
}

/// Links the steps of children that come in ascending order, for the parents in [first, first + last_child.size()).
class family_links {
public:
  family_links(tour_step* steps, std::uint32_t root, std::uint32_t first, std::span<std::uint32_t> last_child)
      : steps_(steps),
        root_(root),
        first_(first),
        last_child_(last_child)
  {
    for (std::uint32_t& each : last_child_) each = no_node;
  }

  void add(std::uint32_t child, std::uint32_t parent)
  {
    std::uint32_t const before = last_child_[parent - first_];
    last_child_[parent - first_] = child;
    steps_[before == no_node ? 2 * parent : 2 * before + 1].next = step_to(child, 0, root_);
  }
  /// From a parent's last child up again, and from a leaf.
  void close()
  {
    for (std::size_t k = 0; k < last_child_.size(); ++k) {
      std::uint32_t const parent = first_ + static_cast<std::uint32_t>(k), last = last_child_[k];
      steps_[last == no_node ? 2 * parent : 2 * last + 1].next = step_to(parent, 1, root_);
    }
    if (root_ - first_ < last_child_.size()) steps_[2 * root_ + 1].next = tour_ends;
  }

private:
  tour_step* steps_;
  std::uint32_t root_;
  std::uint32_t first_;
  std::span<std::uint32_t> last_child_;
};

struct child_and_parent {
  std::uint32_t child;
  std::uint32_t parent;
};

/// Links all steps, children in ascending order: nodes are first put in order of some 256 ranges of parents, stably, by
/// a scan of how many nodes each block has for each range; then each range, whose last children fit into a core's
/// cache, is one thread's. `pairs` and `last_child` are room for as many as there are nodes.
template <class P>
void link_tour(P const& on, std::span<std::uint32_t const> parents, std::uint32_t root, tour_step* steps,
               child_and_parent* pairs, std::uint32_t* last_child)
{
  constexpr std::size_t block = 65536;
  std::size_t const n = parents.size();
  int shift = 12;
  while (n >> shift > 256) ++shift;
  std::size_t const range = std::size_t{1} << shift, ranges = (n + range - 1) / range, blocks = (n + block - 1) / block;

  if (ranges == 1) {
    family_links links(steps, root, 0, {last_child, n});
    for (std::uint32_t v = 0; v < n; ++v)
      if (v != root) links.add(v, parents[v]);
    links.close();
    return;
  }
  temporary<std::uint32_t, P> places(on, ranges * blocks + 1);

  tally::for_each_block(on, n, block, [=, counts = places.data()](std::size_t begin, std::size_t end) {
    std::size_t count[512] = {};
    for (std::size_t v = begin; v < end; ++v) count[parents[v] >> shift] += v != root;
    for (std::size_t r = 0; r < ranges; ++r) counts[r * blocks + begin / block] = static_cast<std::uint32_t>(count[r]);
  });
  places.data()[ranges * blocks] = 0;
  tally::exclusive_scan(on, places, places.data(), std::uint32_t{0});
  tally::for_each_block(on, n, block, [=, from = places.data(), to = pairs](std::size_t begin, std::size_t end) {
    std::uint32_t place[512];
    for (std::size_t r = 0; r < ranges; ++r) place[r] = from[r * blocks + begin / block];
    for (std::size_t v = begin; v < end; ++v)
      if (v != root) to[place[parents[v] >> shift]++] = {static_cast<std::uint32_t>(v), parents[v]};
  });
  tally::for_each_block(
      on, n, range, [=, from = places.data(), all = pairs, last = last_child](std::size_t begin, std::size_t end) {
        std::size_t const r = begin >> shift;
        family_links links(steps, root, static_cast<std::uint32_t>(begin), {last + begin, end - begin});
        for (std::size_t k = from[r * blocks]; k < from[(r + 1) * blocks]; ++k) links.add(all[k].child, all[k].parent);
        links.close();
      });
}

/// A section of the tour: what it adds to the nodes and to the depth, and which comes after it. Later: what is before
/// it.
struct tour_section {
  std::uint32_t nodes;
  std::uint32_t depth;
  std::uint32_t next;
};

/// The section that begins with a marked step.
inline std::uint32_t section_of(std::uint32_t step)
{
  return static_cast<std::uint32_t>((step & ~section_begins) / 2 / section_nodes * 2) + (step & 1);
}

/// Walks through sections [first, end) and ranks their steps, `sections_at_once` side by side.
inline void rank_sections(tour_step* steps, std::uint32_t root, std::size_t first, std::size_t end, std::size_t n,
                          tour_section* sections)
{
  struct walker {
    std::uint32_t at;
    std::uint32_t section;
    std::uint32_t nodes;
    std::uint32_t depth;
  };
  walker walkers[sections_at_once];
  std::size_t walking = 0;
  auto const more = [&](walker& one) {
    for (; first < end; ++first) {
      std::size_t const head = section_head(first / 2, root);
      if (head >= n) {  // of the last, which is not whole
        sections[first] = {0, 0, tour_ends};
        continue;
      }
      one = {static_cast<std::uint32_t>(2 * head + first % 2), static_cast<std::uint32_t>(first), 0, 0};
      ++first;
      return true;
    }
    return false;
  };
  while (walking < sections_at_once && more(walkers[walking])) ++walking;
  while (walking > 0) {
    for (std::size_t w = 0; w < walking;) {
      walker& one = walkers[w];
      tour_step& step = steps[one.at];
      std::uint32_t const next = step.next, up = one.at & 1;
      step = {one.section, one.nodes, one.depth};
      one.nodes += 1 - up;
      one.depth += 1 - 2 * up;
      if (next & section_begins) {
        sections[one.section] = {one.nodes, one.depth, next == tour_ends ? tour_ends : section_of(next)};
        if (!more(one)) {
          walkers[w] = walkers[--walking];
          continue;
        }
      } else {
        one.at = next;
      }
      __builtin_prefetch(&steps[one.at], 1);
      ++w;
    }
  }
}

/// Ranks the tour: leaves in each section what is before it. Returns how many nodes the tour from the root comes into.
template <class P>
std::size_t rank_tour(P const& on, tour_step* steps, std::uint32_t root, std::size_t n, tour_section* sections)
{
  tally::for_each_block(on, n, section_nodes * sections_a_draw / 2, [=](std::size_t begin, std::size_t end) {
    rank_sections(steps, root, 2 * (begin / section_nodes), 2 * ((end + section_nodes - 1) / section_nodes), n,
                  sections);
  });
  tour_section before{0, 0, section_of(2 * root)};
  while (before.next != tour_ends) {
    tour_section& section = sections[before.next];
    tour_section const own = section;
    section = {before.nodes, before.depth, own.next};
    before = {before.nodes + own.nodes, before.depth + own.depth, own.next};
  }
  return before.nodes;
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
