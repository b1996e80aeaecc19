#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tally::model {

/// A value with the operation that made it.
template <class T>
struct traced {
  T value{};
  int node = -1;  ///< of the dag; or what no operation made: `constant`, or a leaf
  traced() = default;
  traced(T v, int n = constant) : value(static_cast<T&&>(v)), node(n) {}

  static constexpr int unset = -1;
  static constexpr int constant = -2;  ///< in a register
  static constexpr int first_leaf =
      -3;  ///< and -4, -5 ..: an element that the host gave, or a constant since it was written to memory

  /// For indices and conditions.
  operator T const&() const { return value; }
};

/// The operations of a run and what they need: each node is one application of the operator, its edges lead to the
/// nodes that made its operands. Inputs and identities are no nodes: they cost nothing.
class dag {
public:
  /// A new node. Its operands are nodes made before, or what no operation made: negative.
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
  /// T_p: the steps of a greedy schedule on `workers` processors, where each step takes up to that many nodes whose
  /// operands are there, those that have been there longest first. Graham (1966), Brent (1974): work/p <= T_p <= work/p
  /// + depth. O(work) time and memory. Requires workers >= 1.
  std::size_t schedule(std::size_t workers) const;
  /// How many nodes there are at each depth, 1 first: the parallelism over time where processors are unlimited.
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
