#pragma once

#include <atomic>
#include <cstddef>

#include "tally/temporary.hpp"

/// Blocks of a recurrence that run after the scan, because their first state overflowed in it.
namespace tally::detail::recurrence {

/// The state that each block of a recurrence ends with, on a CPU.
///
/// The scan of maps gives a block its first state. Where the map of all blocks before it overflows, that state is
/// infinite or NaN, even if the steps of the recurrence stay finite. Such a block is deferred: it runs after the scan,
/// from the state that the block before it ended with.
template <class State>
struct block_ends {
  struct end {
    State state;
    bool deferred;
  };
  end* ends;
  std::atomic<bool>* any_deferred;

  void set(std::size_t block, State const& state) const { ends[block] = {state, false}; }
  void defer(std::size_t block) const
  {
    ends[block].deferred = true;
    any_deferred->store(true, std::memory_order_relaxed);
  }
};

/// The memory of the states, and the run of the deferred blocks. Block 0 is never deferred: its first state is the
/// caller's.
template <class State, class P>
class deferred_blocks {
public:
  deferred_blocks(P const& on, std::size_t blocks) : ends_(on, blocks) {}

  block_ends<State> ends() { return {ends_.data(), &any_}; }

  /// The state that a block ended with; after `run`.
  State const& end(std::size_t block) const { return ends_.data()[block].state; }

  /// Call it after the scan. `run(block, first)` runs a block and returns its last state.
  template <class Run>
  void run(Run const& run) const
  {
    if (!any_.load(std::memory_order_relaxed)) return;
    auto* const ends = ends_.data();
    for (std::size_t block = 1; block < ends_.size(); ++block)
      if (ends[block].deferred) ends[block].state = run(block, ends[block - 1].state);
  }

private:
  temporary<typename block_ends<State>::end, P> ends_;
  std::atomic<bool> any_ = false;
};

}  // namespace tally::detail::recurrence
