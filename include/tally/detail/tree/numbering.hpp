#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tally/detail/path.hpp"
#include "tally/detail/tree/euler_tour.hpp"
#include "tally/detail/tree/host.hpp"
#include "tally/detail/tree/node_numbers.hpp"
#include "tally/detail/tree/parents.hpp"
#include "tally/detail/tree/parents_first.hpp"
#include "tally/detail/tree/tuning.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/temporary.hpp"

/// The numbers of a tree's nodes.
namespace tally::detail::tree {

/// Throws    usage_error, which names the node, if a node is its own ancestor.
template <class P>
void number_by_tour(P const& on, std::span<std::uint32_t const> parents, std::uint32_t root, node_numbers* numbers,
                    std::uint32_t* in_preorder)
{
  std::size_t const n = parents.size();
  temporary<tour_step, P> steps(on, 2 * n);
  temporary<tour_section, P> sections(on, 2 * ((n + section_nodes - 1) / section_nodes));
  // The links are made in the memory of the results: in a fresh program most of a tree's time is the system's, which
  // clears pages.
  static_assert(sizeof(child_and_parent) <= sizeof(node_numbers));
  link_tour(on, parents, root, steps.data(), reinterpret_cast<child_and_parent*>(numbers), in_preorder);
  if (rank_tour(on, steps.data(), root, n, sections.data()) != n) {
    std::uint32_t const node = node_on_cycle(parents, root);
    throw usage_error("tally: tree: node " + std::to_string(node) + " is its own ancestor: its parent is " +
                      std::to_string(parents[node]) + ", whose ancestors lead back to it");
  }
  auto const give_numbers = [numbers, in_preorder, from = steps.data(), before = sections.data()](std::size_t v) {
    tour_step const& down = from[2 * v];
    tour_step const& up = from[2 * v + 1];
    tour_section const& first = before[down.next];
    std::uint32_t const preorder = first.nodes + down.nodes;
    numbers[v] = {preorder, before[up.next].nodes + up.nodes - preorder, first.depth + down.depth};
    in_preorder[preorder] = static_cast<std::uint32_t>(v);
  };
  tally::for_each_index(on, n, give_numbers);
}

/// Writes the numbers of all nodes, and the nodes in preorder.
template <class P>
void number_nodes(P const& on, std::span<std::uint32_t const> parents, checked_parents const& checked,
                  node_numbers* numbers, std::uint32_t* in_preorder)
{
  bool const by_tour = !checked.parents_first || threads_for(on, parents.size()) >= tuning_in_use.threads_worth_a_tour;
  took(by_tour ? "tree: by its tour" : "tree: parents first");
  if (by_tour)
    number_by_tour(on, parents, checked.root, numbers, in_preorder);
  else
    number_parents_first(parents, numbers, in_preorder);
}

}  // namespace tally::detail::tree
