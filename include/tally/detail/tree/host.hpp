#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/backends.hpp"
#include "tally/detail/execution.hpp"

namespace tally::detail::tree {

/// The threads that pay for numbering a tree of n nodes.
template <host P>
int threads_for(P const& on, std::size_t n)
{
  int const requested = cpu_backend::requested_threads(cpu_backend::requested(on));
  return cpu_backend::team_size(requested, n * sizeof(std::uint32_t), n);
}

}  // namespace tally::detail::tree
