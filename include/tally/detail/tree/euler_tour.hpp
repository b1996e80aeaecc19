#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tally/detail/path.hpp"
#include "tally/detail/tree/parents.hpp"
#include "tally/detail/tree/tuning.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/temporary.hpp"

/// The Euler tour of a tree: the walk that enters each node from above, walks around its children, and leaves it
/// upwards. It is a linked list, which the parents alone give; the ranks of its steps are the numbers of the tree.
namespace tally::detail::tree {

/// A step of the tour: step 2v goes down into node v, step 2v + 1 up out of it.
struct tour_step {
  /// The next step, marked if a section of the list begins with it. Once the step is ranked, its own section instead.
  std::uint32_t next;
  /// The nodes that its section enters before it.
  std::uint32_t nodes;
  /// The depth of the node that it enters or leaves, less the depth at the beginning of its section.
  std::uint32_t depth;
};

inline constexpr std::uint32_t section_begins = 0x80000000;
inline constexpr std::uint32_t tour_ends = no_node;

/// The nodes for every two sections of the list: enough sections for threads to share, and few enough for one thread to
/// rank.
inline constexpr std::size_t section_nodes = 1024;
/// The sections that a thread walks through side by side. Each step is somewhere else in memory, and the thread waits
/// for all of these at once.
inline constexpr std::size_t sections_at_once = 16;

/// The node of the k-th `section_nodes` nodes at which two sections begin: 2k with the step down into it, 2k + 1 with
/// the step up out of it. The node is a hash of k; were it always the same one, some orders of nodes would make
/// sections of very different lengths.
inline std::size_t section_head(std::size_t k, std::size_t root)
{
  if (k == root / section_nodes) return root;
  std::uint64_t const mixed = (k + 1) * 0x9e3779b97f4a7c15;
  return k * section_nodes + ((mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9 >> 40) % section_nodes;
}

/// The step down into `node` (up is 0) or up out of it (1), marked if a section begins with it.
inline std::uint32_t step_to(std::uint32_t node, std::uint32_t up, std::size_t root)
{
  return (2 * node + up) | (section_head(node / section_nodes, root) == node ? section_begins : 0);
}

/// Links the steps of the children of the parents in [first, first + last_step.size()). Children are added in ascending
/// order.
class child_links {
public:
  child_links(tour_step* steps, std::uint32_t root, std::uint32_t first, std::span<std::uint32_t> last_step)
      : steps_(steps),
        root_(root),
        first_(first),
        last_step_(last_step)
  {
    for (std::size_t k = 0; k < last_step_.size(); ++k) last_step_[k] = 2 * (first_ + static_cast<std::uint32_t>(k));
  }

  void add(std::uint32_t child, std::uint32_t parent)
  {
    steps_[last_step_[parent - first_]].next = step_to(child, 0, root_);
    last_step_[parent - first_] = 2 * child + 1;
  }
  /// Links the step up out of each parent, behind its last child or behind the step down into it.
  void close()
  {
    for (std::size_t k = 0; k < last_step_.size(); ++k)
      steps_[last_step_[k]].next = step_to(first_ + static_cast<std::uint32_t>(k), 1, root_);
    if (root_ - first_ < last_step_.size()) steps_[2 * root_ + 1].next = tour_ends;
  }

private:
  tour_step* steps_;
  std::uint32_t root_;
  std::uint32_t first_;
  std::span<std::uint32_t> last_step_;  // of each parent: the one whose next step is not yet known
};

struct child_and_parent {
  std::uint32_t child;
  std::uint32_t parent;
};

/// Links all steps, children in ascending order. First a stable pass puts the nodes in order of some 256 ranges of
/// parents, by a scan of the numbers of nodes that each block has for each range. Then each range is linked by one
/// thread, whose cache holds the range's last steps. `pairs` and `last_step` are room for one entry a node.
template <class P>
void link_tour(P const& on, std::span<std::uint32_t const> parents, std::uint32_t root, tour_step* steps,
               child_and_parent* pairs, std::uint32_t* last_step)
{
  std::size_t const block = tuning_in_use.tour_block;
  std::size_t const n = parents.size();
  int shift = tuning_in_use.least_range_bits;
  while (n >> shift > tuning_in_use.most_ranges) ++shift;
  std::size_t const range = std::size_t{1} << shift, ranges = (n + range - 1) / range, blocks = (n + block - 1) / block;

  took(ranges == 1                               ? "tree: linked in one range"
       : shift == tuning_in_use.least_range_bits ? "tree: linked by ranges of the least size"
                                                 : "tree: linked by as many ranges as there may be");
  if (ranges == 1) {
    child_links links(steps, root, 0, {last_step, n});
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
      on, n, range, [=, from = places.data(), all = pairs, last = last_step](std::size_t begin, std::size_t end) {
        std::size_t const r = begin >> shift;
        child_links links(steps, root, static_cast<std::uint32_t>(begin), {last + begin, end - begin});
        for (std::size_t k = from[r * blocks]; k < from[(r + 1) * blocks]; ++k) links.add(all[k].child, all[k].parent);
        links.close();
      });
}

/// A section of the tour: the nodes that it enters, the depth that it gains, and the next section. After the ranking:
/// the nodes before it, and the depth where it begins.
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

/// Ranks the steps of the sections [first, end) within them, `sections_at_once` sections side by side.
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
  auto const next_section = [&](walker& one) {
    for (; first < end; ++first) {
      std::size_t const head = section_head(first / 2, root);
      if (head >= n) {  // of the last nodes, which are fewer
        sections[first] = {0, 0, tour_ends};
        continue;
      }
      one = {static_cast<std::uint32_t>(2 * head + first % 2), static_cast<std::uint32_t>(first), 0, 0};
      ++first;
      return true;
    }
    return false;
  };
  while (walking < sections_at_once && next_section(walkers[walking])) ++walking;
  took(first < end ? "tree: walkers that go on to another section" : "tree: a walker a section");
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
        if (!next_section(one)) {
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

/// Ranks all steps: each within its section, and the sections one after another from the root. Returns the number of
/// nodes that the tour enters; nodes under a cycle of parents are not among them.
template <class P>
std::size_t rank_tour(P const& on, tour_step* steps, std::uint32_t root, std::size_t n, tour_section* sections)
{
  tally::for_each_block(on, n, section_nodes * tuning_in_use.sections_a_draw / 2,
                        [=](std::size_t begin, std::size_t end) {
                          rank_sections(steps, root, 2 * (begin / section_nodes),
                                        2 * ((end + section_nodes - 1) / section_nodes), n, sections);
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

}  // namespace tally::detail::tree
