#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

#include "tally/model/schedule.hpp"

namespace tally::model {

/// Runs blocks that wait for each other: each on a thread, of which one goes on at a time. Which one is the schedule's
/// choice at every access that a block makes to memory of the grid, so a run can be repeated.
class team {
public:
  team(schedule by, std::vector<int> order);

  /// Runs `body(block)` for every block, in turns; returns when all have ended. Throws what the first body threw, after
  /// which the others give up.
  void run(std::function<void(int)> const& body);

  enum class turn {
    goes_on,
    stuck,     ///< every block that runs waits, and those that have not begun find no place
    abandoned  ///< another block threw
  };
  /// Called by the block that goes on: another may go on now. `waiting`: this one can do nothing until somebody stores.
  /// It waits too if it looks at what it looked at before when nobody has stored since. Unless it goes on the block is
  /// to give up.
  turn take_turns(bool waiting, void const* looks_at, int index);
  [[noreturn]] static void give_up();
  /// Somebody has stored: those who waited may look again.
  void progressed();

private:
  struct member {
    int block;
    std::condition_variable* wake;  // of the thread that runs it
    bool waiting = false;
    void const* looked_at = nullptr;  // last
    int index = 0;
    std::size_t stores = 0;  // so far, when it looked
  };
  void work(int block, std::condition_variable& wake);
  int end(int block, std::condition_variable& wake);
  void choose();
  void hand_over();
  member& running(int block);

  schedule by_;
  std::vector<int> order_;
  std::size_t begun_ = 0;
  std::vector<member> running_;
  std::function<void(int)> const* body_ = nullptr;
  std::mutex mutex_;
  std::mt19937_64 random_;
  int current_ = none;
  std::size_t stores_ = 0;
  bool stuck_ = false;
  std::exception_ptr error_;

  static constexpr int none = -1;
};

}  // namespace tally::model
