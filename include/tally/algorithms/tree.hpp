#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/tree/node_numbers.hpp"
#include "tally/detail/tree/numbering.hpp"
#include "tally/detail/tree/parents.hpp"
#include "tally/detail/tree/range_minima.hpp"
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
/// Cost      each node is entered and left once, at some place in memory: O(n/p + m) on p threads, where m = n / 512 is
///           the number of sections in which the tour is walked. (Pointer jumping is O(n/p log n).) Where parents come
///           before their children, fewer than 6 threads walk no tour, and one makes three passes: O(n).
/// Memory    16 bytes a node; during the construction another 24, for a tour.
/// Blocks    until it is made.
/// Throws    usage_error if there are more than most_nodes; usage_error, which names the node, if a parent is no node, no
///           node or more than one is a root, or a node is its own ancestor; std::bad_alloc.
/// Source    Tarjan & Vishkin (1985) for the tour; Helman & JaJa (2001) for the ranks of a list by sections.
class tree {
public:
  using index = std::uint32_t;
  static constexpr std::size_t most_nodes = detail::tree::most_nodes;

  template <execution P>
  tree(P const& on, std::span<index const> parents) : size_(parents.size())
  {
    static_assert(detail::host<P>, "tally: trees are made on the CPU");
    if (size_ == 0) return;
    auto const checked = detail::tree::check_parents(on, parents);
    root_ = checked.root;
    numbers_ = std::make_unique<temporary<detail::tree::node_numbers, cpu>>(cpu{}, size_);
    in_preorder_ = std::make_unique<temporary<index, cpu>>(cpu{}, size_);
    detail::tree::number_nodes(on, parents, checked, numbers_->data(), in_preorder_->data());
  }
  explicit tree(std::span<index const> parents) : tree(cpu{}, parents) {}

  std::size_t size() const { return size_; }
  /// Requires  size() > 0.
  index root() const { return root_; }

  /// The number of edges between v and the root.
  index depth(std::size_t v) const { return number(v).depth; }
  /// The number of nodes below v, and v itself.
  index subtree_size(std::size_t v) const { return number(v).size; }
  /// The number of nodes before v if each node comes before its children, and if each comes after them.
  index preorder(std::size_t v) const { return number(v).preorder; }
  index postorder(std::size_t v) const { return number(v).preorder + number(v).size - 1 - number(v).depth; }
  /// The nodes, each before its children. The subtree of v has the subtree_size(v) nodes from preorder(v) on.
  std::span<index const> in_preorder() const { return {size_ == 0 ? nullptr : in_preorder_->data(), size_}; }

  /// Whether a is v or above it.
  bool is_ancestor(std::size_t a, std::size_t v) const
  {
    return number(v).preorder - number(a).preorder < number(a).size;
  }

private:
  detail::tree::node_numbers const& number(std::size_t v) const { return numbers_->data()[v]; }

  std::size_t size_;
  index root_ = 0;
  std::unique_ptr<temporary<detail::tree::node_numbers, cpu>> numbers_;
  std::unique_ptr<temporary<index, cpu>> in_preorder_;
};

namespace detail::tree {

/// The summand between two sums.
struct difference {
  template <class T>
  constexpr T operator()(T const& before, T const& upto) const
  {
    return static_cast<T>(upto - before);
  }
};

}  // namespace detail::tree

/// Writes to `out[v]`, for every node v, the values of v's subtree combined in preorder.
///
///     subtree_sums([on,] tree, values, out [, op, between])
///
/// Requires  `op` is associative and has an identity, and `between(a, op(a, x)) == x`, the value between two prefixes.
///           Without them addition and subtraction; a difference of floating-point numbers has the error of the
///           prefixes. `values` and `out` are random-access iterators over nodes; `out` may be `values`.
/// Cost      one scan in preorder, and two prefixes a node.
/// Memory    a value a node.
/// Result    the end of the values written.
/// Blocks    until all is written.
/// Throws    what the iterators, `op` and `between` throw; usage_error; std::bad_alloc.
template <execution P, std::random_access_iterator In, std::random_access_iterator Out, class Op = plus,
          class Between = detail::tree::difference>
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
TALLY_WITHOUT_EXECUTION(subtree_sums, "([on,] tree, values, out [, op, between])");

/// Gives the lowest common ancestor of two nodes, in constant time.
///
/// In preorder all nodes between the two lie under their lowest common ancestor, and one of them is its child. So the
/// ancestor is the least parent, in preorder, of the nodes behind the first of the two up to the second.
///
/// Requires  the parents from which the tree was made. The tree outlives this.
/// Cost      n parents and n / 16 log(n / 16) minima, O(n/p log n); a question reads at most 30 parents in two rows and
///           two minima.
/// Memory    4 bytes a node, and log2(n / 16) / 4 more.
class lowest_common_ancestors {
public:
  using index = tree::index;

  template <execution P>
  lowest_common_ancestors(P const& on, tree const& of, std::span<index const> parents)
      : tree_(&of),
        least_parent_(on, of.size(),
                      [&of, parents](std::size_t k) { return of.preorder(parents[of.in_preorder()[k]]); })
  {
  }

  index operator()(std::size_t a, std::size_t b) const
  {
    index first = tree_->preorder(a), last = tree_->preorder(b);
    if (first == last) return static_cast<index>(a);
    if (last < first) std::swap(first, last);
    return tree_->in_preorder()[least_parent_(first + 1, last)];
  }

private:
  tree const* tree_;
  detail::tree::range_minima least_parent_;  // of the nodes in preorder; parents are preorder numbers
};

}  // namespace tally
