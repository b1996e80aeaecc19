#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/tree/checked_parents.hpp"
#include "tally/detail/tree/euler_tour.hpp"
#include "tally/detail/tree/parents_first.hpp"
#include "tally/detail/tree/tuning.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Trees as arrays: depths, orders, sums over subtrees and common ancestors, from each node's parent.
namespace tally {

/// The numbers of a tree's nodes, children in ascending order.
///
///     tree(on, parents)
///
/// Requires  parents[v] is the parent of node v, and the root its own; nodes in any order.
/// Cost      each node is come into and gone out of once, at some place in memory: O(n/p + m) on p threads, where m = n
///           / 512 is the number of sections that the tour is walked in. (Pointer jumping is O(n/p log n).) Where
///           parents come before their children, fewer than 6 threads walk no tour, and one makes three passes: O(n).
/// Memory    16 bytes a node; while it is made another 24, for a tour.
/// Blocks    until it is made.
/// Throws    usage_error, which names the node, if a parent is no node, no node or more than one is a root, or parents
///           go round in a circle; std::bad_alloc.
/// Source    Tarjan & Vishkin (1985) for the tour; Helman & JaJa (2001) for the ranks of a list by sections.
class tree {
public:
  using index = std::uint32_t;

  template <execution P>
  tree(P const& on, std::span<index const> parents) : size_(parents.size())
  {
    static_assert(detail::host<P>, "tally: trees are made on the CPU");
    if (size_ == 0) return;
    auto const [root, parents_first] = detail::checked_root(on, parents);
    root_ = root;
    numbers_ = std::make_unique<temporary<numbers, cpu>>(cpu{}, size_);
    in_preorder_ = std::make_unique<temporary<index, cpu>>(cpu{}, size_);
    int const threads =
        cpu_backend::team_size(cpu_backend::requested_threads(cpu_backend::requested(on)), parents.size_bytes(), size_);
    bool const by_tour = !parents_first || threads >= detail::tree::tuning_in_use.threads_worth_a_tour;
    detail::took(by_tour ? "tree: by its tour" : "tree: parents first");
    if (!by_tour)
      detail::number_parents_first(parents, numbers_->data(), in_preorder_->data());
    else
      number_by_tour(on, parents);
  }
  explicit tree(std::span<index const> parents) : tree(cpu{}, parents) {}

  std::size_t size() const { return size_; }
  /// Requires  size() > 0.
  index root() const { return root_; }

  /// Edges from the root.
  index depth(std::size_t v) const { return number(v).depth; }
  /// Nodes below v, and v.
  index subtree_size(std::size_t v) const { return number(v).size; }
  /// How many nodes come before v if each comes before its children, and if each comes after them.
  index preorder(std::size_t v) const { return number(v).preorder; }
  index postorder(std::size_t v) const { return number(v).preorder + number(v).size - 1 - number(v).depth; }
  /// The nodes, each before its children. A subtree is subtree_size(v) of them that begin at preorder(v).
  std::span<index const> in_preorder() const { return {size_ == 0 ? nullptr : in_preorder_->data(), size_}; }

  /// Whether a is v or above it.
  bool is_ancestor(std::size_t a, std::size_t v) const
  {
    return number(v).preorder - number(a).preorder < number(a).size;
  }

private:
  struct numbers {
    index preorder;
    index size;
    index depth;
  };

  template <class P>
  void number_by_tour(P const& on, std::span<index const> parents)
  {
    temporary<detail::tour_step, P> steps(on, 2 * size_);
    temporary<detail::tour_section, P> sections(on, 2 * ((size_ + detail::section_nodes - 1) / detail::section_nodes));
    // Numbers and order are room for the links before they are what they are for: most of the time that a tree takes in
    // a fresh program is the system's, for pages.
    static_assert(sizeof(detail::child_and_parent) <= sizeof(numbers));
    detail::link_tour(on, parents, root_, steps.data(), reinterpret_cast<detail::child_and_parent*>(numbers_->data()),
                      in_preorder_->data());
    if (detail::rank_tour(on, steps.data(), root_, size_, sections.data()) != size_) {
      index const node = detail::node_on_circle(parents, root_);
      throw usage_error("tally: tree: node " + std::to_string(node) + " is its own ancestor: its parent is " +
                        std::to_string(parents[node]) + ", whose ancestors lead back to it");
    }
    auto const give_number = [to = numbers_->data(), in_order = in_preorder_->data(), from = steps.data(),
                              before = sections.data()](std::size_t v) {
      detail::tour_step const& down = from[2 * v];
      detail::tour_step const& up = from[2 * v + 1];
      detail::tour_section const& first = before[down.next];
      index const preorder = first.nodes + down.nodes;
      to[v] = {preorder, before[up.next].nodes + up.nodes - preorder, first.depth + down.depth};
      in_order[preorder] = static_cast<index>(v);
    };
    tally::for_each_index(on, size_, give_number);
  }

  numbers const& number(std::size_t v) const { return numbers_->data()[v]; }

  std::size_t size_;
  index root_ = 0;
  std::unique_ptr<temporary<numbers, cpu>> numbers_;
  std::unique_ptr<temporary<index, cpu>> in_preorder_;
};

namespace detail {

/// What addition has put between two sums.
struct minus_between {
  template <class T>
  constexpr T operator()(T const& before, T const& upto) const
  {
    return static_cast<T>(upto - before);
  }
};

}  // namespace detail

/// Writes `out[v]` = the values of v's subtree, combined in preorder, for all nodes.
///
///     subtree_sums([on,] tree, values, out [, op, between])
///
/// Requires  `op` is associative and has an identity, and `between(a, op(a, x)) == x`: what lies between two prefixes.
///           Addition and subtraction if neither is given; for floating-point numbers the difference has the error of
///           the prefixes. `values` and `out` are random-access iterators over nodes; `out` may be `values`.
/// Cost      one scan in preorder, and two prefixes a node.
/// Memory    a value a node.
/// Result    the end of what was written.
/// Blocks    until all is written.
/// Throws    what the iterators, `op` and `between` throw; usage_error; std::bad_alloc.
template <execution P, std::random_access_iterator In, std::random_access_iterator Out, class Op = plus,
          class Between = detail::minus_between>
Out subtree_sums(P const& on, tree const& of, In values, Out out, Op op = {}, Between between = {})
{
  using value = std::iter_value_t<In>;
  static_assert(has_identity<Op, value>,
                "tally: subtree_sums needs an operator with an identity: the first prefix is it");
  std::size_t const n = of.size();
  temporary<value, P> prefixes(on, n + 1);
  auto const in_preorder = [nodes = of.in_preorder().data(), values](std::size_t k) {
    return static_cast<value>(values[static_cast<std::iter_difference_t<In>>(nodes[k])]);
  };
  auto const in = elements_from(in_preorder);
  *prefixes.data() = identity_of<value>(op);
  tally::inclusive_scan(on, in, in + static_cast<std::ptrdiff_t>(n), prefixes.data() + 1, op, identity_of<value>(op));
  tally::for_each_index(on, n, [&of, out, between, prefix = prefixes.data()](std::size_t v) {
    std::size_t const begin = of.preorder(v);
    out[static_cast<std::iter_difference_t<Out>>(v)] = between(prefix[begin], prefix[begin + of.subtree_size(v)]);
  });
  return out + static_cast<std::iter_difference_t<Out>>(n);
}

template <std::random_access_iterator In, std::random_access_iterator Out, class... Operators>
Out subtree_sums(tree const& of, In values, Out out, Operators... operators)
{
  return tally::subtree_sums(detail::automatic{}, of, values, out, std::move(operators)...);
}

/// Answers which node is the lowest above two others, each in constant time.
///
/// In preorder, all between two nodes lie under their lowest common ancestor, and one of them is its child: so it is
/// the least parent of those behind the first, up to the second.
///
/// Requires  parents as they were given to the tree, which outlives this.
/// Cost      n parents and n / 16 log(n / 16) minima, O(n/p log n); a question at most 30 parents in two rows and two
///           minima.
/// Memory    4 bytes a node, and log2(n / 16) / 4 more.
class lowest_common_ancestors {
public:
  using index = tree::index;

  template <execution P>
  lowest_common_ancestors(P const& on, tree const& of, std::span<index const> parents) : tree_(&of)
  {
    std::size_t const n = of.size(), blocks = (n + block - 1) / block;
    levels_ = blocks == 0 ? 0 : static_cast<std::size_t>(std::bit_width(blocks));
    blocks_ = blocks;
    parents_ = std::make_unique_for_overwrite<index[]>(n);
    minima_ = std::make_unique_for_overwrite<index[]>(levels_ * blocks);
    index* const up = parents_.get();
    index* const least = minima_.get();
    tally::for_each_index(on, n, [=, &of](std::size_t k) { up[k] = of.preorder(parents[of.in_preorder()[k]]); });
    tally::for_each_block(on, n, block, [=](std::size_t begin, std::size_t end) {
      least[begin / block] = least_of(up + begin, up + end);
    });
    for (std::size_t level = 1; level < levels_; ++level) {
      index const* const below = least + (level - 1) * blocks;
      std::size_t const stride = std::size_t{1} << (level - 1);
      tally::for_each_index(on, blocks, [=, to = least + level * blocks](std::size_t b) {
        to[b] = b + stride < blocks && below[b + stride] < below[b] ? below[b + stride] : below[b];
      });
    }
  }

  index operator()(std::size_t a, std::size_t b) const
  {
    index first = tree_->preorder(a), last = tree_->preorder(b);
    if (first == last) return static_cast<index>(a);
    if (last < first) std::swap(first, last);
    return tree_->in_preorder()[least_between(first + 1, last)];
  }

private:
  static constexpr std::size_t block = 16;

  static index least_of(index const* begin, index const* end)
  {
    index least = *begin;
    for (; begin != end; ++begin) least = *begin < least ? *begin : least;
    return least;
  }
  /// Of [first, last].
  index least_between(std::size_t first, std::size_t last) const
  {
    index const* const up = parents_.get();
    std::size_t const begin = first / block + 1, end = last / block;  // whole blocks
    if (begin > end) return least_of(up + first, up + last + 1);
    index least = least_of(up + first, up + begin * block);
    index const right = least_of(up + end * block, up + last + 1);
    least = right < least ? right : least;
    if (begin == end) return least;
    std::size_t const level = static_cast<std::size_t>(std::bit_width(end - begin)) - 1;
    index const* const row = minima_.get() + level * blocks_;
    index const one = row[begin], other = row[end - (std::size_t{1} << level)];
    least = one < least ? one : least;
    return other < least ? other : least;
  }

  tree const* tree_;
  std::size_t blocks_;
  std::size_t levels_;
  std::unique_ptr<index[]> parents_;  // in preorder, as preorder numbers
  std::unique_ptr<index[]> minima_;   // level l: of 2^l blocks from each on
};

}  // namespace tally
