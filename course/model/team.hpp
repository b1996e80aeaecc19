#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tally/model/schedule.hpp"

namespace tally::model {

/// Runs blocks that wait for each other, each on a thread of its own, one at a time. At every atomic access to memory
/// of the grid the schedule chooses the block that continues, so a run can be repeated.
class team {
public:
  team(schedule by, std::vector<int> order);
  ~team();

  /// Runs `body(block)` for every block, in turns; returns when all have ended. If a body throws, the other blocks give
  /// up, and the exception is rethrown.
  void run(std::function<void(int)> const& body);

  enum class turn {
    goes_on,
    stuck,     ///< every running block waits, and there is no room for the others to begin
    abandoned  ///< another block threw
  };
  /// Lets another block continue; called by the one that runs. `waiting`: this block can do nothing until another one
  /// stores. It waits as well if it looks at the same element as before and no block has stored since. Unless the
  /// result is `goes_on` the caller must give up.
  turn take_turns(bool waiting, void const* looks_at, int index);
  [[noreturn]] static void give_up();
  /// A block has stored: those that wait may look again.
  void progressed();

private:
  class members;
  std::unique_ptr<members> members_;
};

}  // namespace tally::model
