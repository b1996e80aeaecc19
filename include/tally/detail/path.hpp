#pragma once

#include <atomic>

/// The paths by which a call can run. Each place that chooses one by size says which: `took("cpu: runs of tiles")`.
/// Nobody listens but tests, which count the visits to every path in docs/testing.md, and whoever debugs.
namespace tally::detail {

/// Is given the name of each path as it is taken, by any thread. A name lives for ever.
using path_observer = void (*)(char const* name);

inline constinit std::atomic<path_observer> observer_of_paths{nullptr};

/// Costs one load where nobody listens: for choices by call or by tile, not by element.
inline void took(char const* name)
{
  if (path_observer const observer = observer_of_paths.load(std::memory_order_relaxed)) [[unlikely]]
    observer(name);
}

}  // namespace tally::detail
