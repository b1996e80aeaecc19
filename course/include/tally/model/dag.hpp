#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tally::model {

/// A value and the operation that made it.
template <class T>
struct traced {
  T value{};
  int node = -1;  ///< of the dag; of a value that no operation made `constant`, or a leaf
  traced() = default;
  traced(T v, int n = constant) : value(static_cast<T&&>(v)), node(n) {}

  static constexpr int unset = -1;
  static constexpr int constant = -2;  ///< in a register
  /// And -4, -5 ..: an element that the host gave, or a constant from the time when it was written to memory.
  static constexpr int first_leaf = -3;

  /// The value, for indices and conditions.
  operator T const&() const { return value; }
};

/// The operations of a run and their dependences. A node is one application of the operator; its edges lead to the
/// nodes that made its operands. Inputs and identities are not nodes, since they cost nothing.
class dag {
public:
  /// Adds a node. An operand is an earlier node, or negative if no operation made it.
  int apply(int left, int right)
  {
    auto const depth_of = [&](int node) { return node < 0 ? 0 : depths_[static_cast<std::size_t>(node)]; };
    std::int32_t const a = depth_of(left), b = depth_of(right);
    nodes_.push_back({left, right});
    depths_.push_back((a > b ? a : b) + 1);
    if (depths_.back() > depth_) depth_ = depths_.back();
    return static_cast<int>(nodes_.size() - 1);
  }

  /// T1: the number of nodes.
  std::size_t work() const { return nodes_.size(); }
  /// T_inf: the nodes on the longest path.
  std::size_t depth() const { return static_cast<std::size_t>(depth_); }
  /// T_p: the steps of a greedy schedule on p = `workers` processors. Each step takes up to p nodes whose operands are
  /// ready, those first that have been ready longest. Graham (1966), Brent (1974): work/p <= T_p <= work/p + depth.
  /// O(work) time and memory. Requires workers >= 1.
  std::size_t schedule(std::size_t workers) const;
  /// The number of nodes at each depth, from depth 1: the parallelism over time with unlimited processors.
  std::vector<std::size_t> width() const;

  struct operands {
    int left, right;  ///< negative: no node
  };
  operands const& operator[](std::size_t node) const { return nodes_[node]; }

private:
  std::vector<operands> nodes_;
  std::vector<std::int32_t> depths_;
  std::int32_t depth_ = 0;
};

}  // namespace tally::model
