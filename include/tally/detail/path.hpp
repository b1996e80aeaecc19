#pragma once

#include <atomic>

/// The paths by which a call can run. Each place that chooses one by size says which: `took("cpu: runs of tiles")`.
/// docs/testing.md lists them. Tests count the visits; a program that runs with TALLY_TRACE=1 in its environment prints
/// each path to standard error, with the reason.
namespace tally::detail {

/// Is given the name of each path as it is taken, by any thread, and why it was taken, "" if its name says so. Both
/// live for ever.
using path_observer = void (*)(char const* name, char const* because);

inline constinit std::atomic<path_observer> observer_of_paths{nullptr};

/// Costs one load where nobody listens: for choices by call or by tile, not by element.
inline void took(char const* name, char const* because = "")
{
  if (path_observer const observer = observer_of_paths.load(std::memory_order_relaxed)) [[unlikely]]
    observer(name, because);
}

}  // namespace tally::detail
