#include "tally/model/dag.hpp"

#include <algorithm>

namespace tally::model {

std::size_t dag::schedule(std::size_t workers) const
{
  std::size_t const n = nodes_.size();
  // For each node the nodes that need it, all of them in one array.
  std::vector<std::uint32_t> begin(n + 1), needs(n), waiting;
  for (operands const& node : nodes_)
    for (int const operand : {node.left, node.right})
      if (operand >= 0) ++begin[static_cast<std::size_t>(operand) + 1];
  for (std::size_t k = 0; k < n; ++k) begin[k + 1] += begin[k];
  waiting.resize(begin[n]);
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<std::uint32_t> ready;
  ready.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (int const operand : {nodes_[k].left, nodes_[k].right}) {
      if (operand < 0) continue;
      waiting[next[static_cast<std::size_t>(operand)]++] = static_cast<std::uint32_t>(k);
      ++needs[k];
    }
    if (needs[k] == 0) ready.push_back(static_cast<std::uint32_t>(k));
  }
  std::size_t steps = 0;
  for (std::size_t done = 0; done < n; ++steps) {
    std::size_t const end = done + std::min(workers, ready.size() - done);
    for (; done < end; ++done)
      for (std::uint32_t k = begin[ready[done]]; k < begin[ready[done] + 1]; ++k)
        if (--needs[waiting[k]] == 0) ready.push_back(waiting[k]);
  }
  return steps;
}

std::vector<std::size_t> dag::width() const
{
  std::vector<std::size_t> result(depth());
  for (std::int32_t const depth : depths_) ++result[static_cast<std::size_t>(depth - 1)];
  return result;
}

}  // namespace tally::model
