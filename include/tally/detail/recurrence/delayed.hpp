#pragma once

#include <atomic>
#include <cstddef>

#include "tally/operators/arithmetic.hpp"
#include "tally/temporary.hpp"

/// Blocks of a recurrence whose first state overflowed in the scan, though the plain loop's may not.
namespace tally::detail {

/// Neither is an infinity or NaN; no value is that is not a floating-point number.
template <class T>
constexpr bool both_finite(T const& a, T const& b)
{
  if constexpr (is_floating<T>)
    return a - a == b - b;  // infinity - infinity is NaN, which is equal to nothing
  else
    return true;
}
template <class T>
constexpr bool is_finite(T const& x)
{
  return both_finite(x, x);
}

/// The state that each block of a recurrence ends with, on a CPU.
///
/// The scan of maps gives a block its first state. Where the map of all blocks before it overflows, that state is
/// infinite or NaN, even if the steps of the recurrence stay finite. Such a block is put off, and run after the scan
/// from the state that the block before it ended with.
template <class State>
struct block_ends {
  struct end {
    State state;
    bool put_off;
  };
  end* ends;
  std::atomic<bool>* some;

  void ended(std::size_t block, State const& with) const { ends[block] = {with, false}; }
  void put_off(std::size_t block) const
  {
    ends[block].put_off = true;
    some->store(true, std::memory_order_relaxed);
  }
};

/// Memory for them. Block 0 is never put off: its first state is the caller's.
template <class State, class P>
class put_off_blocks {
public:
  put_off_blocks(P const& on, std::size_t blocks) : ends_(on, blocks) {}

  block_ends<State> ends() { return {ends_.data(), &some_}; }

  /// After the scan. `run(block, first)` runs a block and returns its last state.
  template <class Run>
  void run(Run const& run) const
  {
    if (!some_.load(std::memory_order_relaxed)) return;
    auto* const ends = ends_.data();
    for (std::size_t block = 1; block < ends_.size(); ++block)
      if (ends[block].put_off) ends[block].state = run(block, ends[block - 1].state);
  }

private:
  temporary<typename block_ends<State>::end, P> ends_;
  std::atomic<bool> some_ = false;
};

}  // namespace tally::detail
