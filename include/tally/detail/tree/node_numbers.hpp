#pragma once

#include <cstdint>

namespace tally::detail::tree {

/// A node's place in preorder, the size of its subtree, and its distance from the root.
struct node_numbers {
  std::uint32_t preorder;
  std::uint32_t size;
  std::uint32_t depth;
};

}  // namespace tally::detail::tree
