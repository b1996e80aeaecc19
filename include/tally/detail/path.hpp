#pragma once

#include <atomic>

/// The paths that a call can take. Each place that selects one by size reports it: `took("cpu: runs of tiles")`.
/// docs/testing.md lists them. Tests count the visits. A program with TALLY_TRACE=1 in its environment prints each path
/// to standard error, with the reason.
namespace tally::detail {

/// Called by any thread when it takes a path, with the path's name and the reason for it ("" if the name says so). Both
/// strings live for ever.
using path_observer = void (*)(char const* name, char const* because);

inline constinit std::atomic<path_observer> observer_of_paths{nullptr};

/// Costs one load without an observer: cheap enough for each call or tile, but not for each element.
inline void took(char const* name, char const* because = "")
{
  if (path_observer const observer = observer_of_paths.load(std::memory_order_relaxed)) [[unlikely]]
    observer(name, because);
}

}  // namespace tally::detail
