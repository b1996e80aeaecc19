#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tally/detail/tree/node_numbers.hpp"

namespace tally::detail::tree {

/// Numbers a tree whose parents come before their children, as a directory is read or a text parsed. It needs no tour:
/// one thread computes depths from the first node to the last, sizes from the last to the first, and places from the
/// first to the last.
inline void number_parents_first(std::span<std::uint32_t const> parents, node_numbers* numbers,
                                 std::uint32_t* in_preorder)
{
  std::size_t const n = parents.size();
  numbers[0] = {1, 1, 0};
  for (std::size_t v = 1; v < n; ++v) numbers[v] = {0, 1, numbers[parents[v]].depth + 1};
  for (std::size_t v = n; v-- > 1;) numbers[parents[v]].size += numbers[v].size;
  // A parent's `preorder` is that of its next child. After its last child it is the end of the parent's subtree.
  in_preorder[0] = 0;
  for (std::size_t v = 1; v < n; ++v) {
    std::uint32_t const preorder = numbers[parents[v]].preorder;
    numbers[parents[v]].preorder = preorder + numbers[v].size;
    numbers[v].preorder = preorder + 1;
    in_preorder[preorder] = static_cast<std::uint32_t>(v);
  }
  for (std::size_t v = 0; v < n; ++v) numbers[v].preorder -= numbers[v].size;
}

}  // namespace tally::detail::tree
