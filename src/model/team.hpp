#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "tally/model/schedule.hpp"

namespace tally::model {

/// Runs blocks that wait for each other: each on a thread, of which one goes on at a time. Which one is the schedule's choice at every look that
/// a block takes at memory of the grid, so a run can be repeated.
class team {
public:
  team(schedule by, std::vector<int> order);

  /// Runs `body(block)` for every block, in turns; returns when all have ended.
  void run(std::function<void(int)> const& body);

  /// Called by the block that goes on: another may go on now. `waiting`: this one can do nothing until somebody stores. Returns false
  /// where nobody ever will: every block that runs waits, and those that have not begun find no place. The block is to call give_up then.
  bool take_turns(bool waiting);
  [[noreturn]] static void give_up();
  /// Somebody has stored: those who waited may look again.
  void progressed();

private:
  struct member {
    int block;
    bool waiting = false;
  };
  void begin_more();
  void choose();
  void end(int block);

  schedule by_;
  std::vector<int> order_;
  std::size_t begun_ = 0;
  std::vector<member> running_;
  std::vector<std::thread> threads_;
  std::function<void(int)> const* body_ = nullptr;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::mt19937_64 random_;
  int current_ = -1;
  bool stuck_ = false;
};

}  // namespace tally::model
