#pragma once

#include <vector>

#include "kernel_of.hpp"

/// Blocks that run together and wait for each other.
namespace tally::model {

using order = schedule::order;

/// Runs blocks on `data` and `flags`, which are zero and have an element for each block.
template <class Body>
std::vector<int> run_together(machine& on, int blocks, int threads, Body const& body)
{
  auto const data = on.allocate<int>(static_cast<std::size_t>(blocks), "data");
  auto const flags = on.allocate<int>(static_cast<std::size_t>(blocks), "flags");
  on.fill(data, 0);
  on.fill(flags, 0);
  on.launch(blocks, threads, waiting_kernel_of{body}, data, flags);
  return on.values(data);
}

inline void await(block const& b, view<int> flags, int k)
{
  while (b.load_acquire(flags, k) == 0) b.pause();
}

}  // namespace tally::model
