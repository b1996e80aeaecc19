#include "team.hpp"

#include <algorithm>
#include <utility>

namespace tally::model {

namespace {
struct gave_up {};
}  // namespace

team::team(schedule by, std::vector<int> order) : by_(by), order_(std::move(order)), random_(by.seed)
{
  threads_.reserve(order_.size());
}

void team::give_up()
{
  throw gave_up{};
}

void team::run(std::function<void(int)> const& body)
{
  body_ = &body;
  {
    std::unique_lock lock(mutex_);
    begin_more();
    choose();
    turn_.notify_all();
    turn_.wait(lock, [&] { return begun_ == order_.size() && running_.empty(); });
  }
  for (std::thread& each : threads_) each.join();
}

/// Blocks begin while there is room. With the lock.
void team::begin_more()
{
  while (begun_ < order_.size() && static_cast<int>(running_.size()) < std::max(1, by_.resident)) {
    int const block = order_[begun_++];
    running_.push_back({block});
    threads_.emplace_back([this, block] {
      {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return current_ == block; });
      }
      try {
        (*body_)(block);
      } catch (gave_up const&) {
      }
      end(block);
    });
  }
}

void team::end(int block)
{
  std::unique_lock const lock(mutex_);
  std::erase_if(running_, [&](member const& each) { return each.block == block; });
  for (member& each : running_) each.waiting = false;  // what it stored at last may be what they wait for
  begin_more();
  choose();
  turn_.notify_all();
}

/// Who goes on. With the lock.
void team::choose()
{
  std::vector<int> able;
  for (member const& each : running_)
    if (!each.waiting) able.push_back(each.block);
  if (able.empty()) {
    stuck_ = !running_.empty();
    current_ = running_.empty() ? -1 : running_.front().block;
    return;
  }
  if (by_.by == schedule::order::one_starves && able.size() > 1) std::erase(able, 0);
  switch (by_.by) {
    case schedule::order::ascending: current_ = *std::min_element(able.begin(), able.end()); break;
    case schedule::order::descending: current_ = *std::max_element(able.begin(), able.end()); break;
    default: current_ = able[random_() % able.size()];
  }
}

bool team::take_turns(bool waiting)
{
  std::unique_lock lock(mutex_);
  int const own = current_;
  if (stuck_) return false;
  for (member& each : running_)
    if (each.block == own) each.waiting = waiting;
  choose();
  turn_.notify_all();
  turn_.wait(lock, [&] { return current_ == own; });
  return !stuck_;
}

void team::progressed()
{
  std::unique_lock const lock(mutex_);
  for (member& each : running_) each.waiting = false;
}

}  // namespace tally::model
