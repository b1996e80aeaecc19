#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Trees whose parents come before their children, as a walk or a parser finds them, for tree.hpp: their numbers need
/// no tour.
namespace tally::detail {

/// One thread: depths from the first node to the last, sizes back again, places from the first to the last. `numbers`
/// have preorder, size and depth.
template <class Numbers>
void number_parents_first(std::span<std::uint32_t const> parents, Numbers* numbers, std::uint32_t* in_preorder)
{
  std::size_t const n = parents.size();
  numbers[0] = {1, 1, 0};
  for (std::size_t v = 1; v < n; ++v) numbers[v] = {0, 1, numbers[parents[v]].depth + 1};
  for (std::size_t v = n; v-- > 1;) numbers[parents[v]].size += numbers[v].size;
  // A parent's preorder is that of its next child until it has had them all, which is behind its subtree.
  in_preorder[0] = 0;
  for (std::size_t v = 1; v < n; ++v) {
    std::uint32_t const preorder = numbers[parents[v]].preorder;
    numbers[parents[v]].preorder = preorder + numbers[v].size;
    numbers[v].preorder = preorder + 1;
    in_preorder[preorder] = static_cast<std::uint32_t>(v);
  }
  for (std::size_t v = 0; v < n; ++v) numbers[v].preorder -= numbers[v].size;
}

}  // namespace tally::detail
