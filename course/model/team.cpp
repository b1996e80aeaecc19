#include "team.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace tally::model {

namespace {
struct gave_up {};
}  // namespace

team::team(schedule by, std::vector<int> order) : by_(by), order_(std::move(order)), random_(by.seed) {}

void team::give_up()
{
  throw gave_up{};
}

void team::run(std::function<void(int)> const& body)
{
  body_ = &body;
  begun_ = std::min(order_.size(), static_cast<std::size_t>(std::max(1, by_.resident)));
  std::vector<std::condition_variable> wakes(begun_);
  for (std::size_t k = 0; k < wakes.size(); ++k) running_.push_back({order_[k], &wakes[k]});
  choose();
  {
    std::vector<std::jthread> workers;
    for (std::size_t k = 0; k < wakes.size(); ++k)
      workers.emplace_back([this, block = order_[k], wake = &wakes[k]] { work(block, *wake); });
  }
  if (error_) std::rethrow_exception(error_);
}

/// The thread's blocks, one after the other, each when its turn comes.
void team::work(int block, std::condition_variable& wake)
{
  while (block != none) {
    bool runs = true;
    {
      std::unique_lock lock(mutex_);
      wake.wait(lock, [&] { return current_ == block; });
      runs = !error_;
    }
    try {
      if (runs) (*body_)(block);
    } catch (gave_up const&) {
    } catch (...) {
      std::scoped_lock const lock(mutex_);
      error_ = std::current_exception();
    }
    block = end(block, wake);
  }
}

/// Returns the block that begins in its place.
int team::end(int block, std::condition_variable& wake)
{
  std::scoped_lock const lock(mutex_);
  std::erase_if(running_, [&](member const& each) { return each.block == block; });
  int next = none;
  if (begun_ < order_.size() && !stuck_ && !error_) {
    next = order_[begun_++];
    running_.push_back({next, &wake});
  }
  // The others may wait for a value that it has stored last, other than by store_release.
  if (!stuck_) {
    ++stores_;
    for (member& each : running_) each.waiting = false;
  }
  choose();
  hand_over();
  return next;
}

/// Chooses the block that continues. The lock is held.
void team::choose()
{
  std::vector<int> able;
  for (member const& each : running_)
    if (!each.waiting) able.push_back(each.block);
  if (able.empty()) {
    stuck_ = !running_.empty();
    current_ = running_.empty() ? none : running_.front().block;
    return;
  }
  if (by_.by == schedule::order::one_starves && able.size() > 1) std::erase(able, 0);
  switch (by_.by) {
    case schedule::order::ascending: current_ = *std::min_element(able.begin(), able.end()); break;
    case schedule::order::descending: current_ = *std::max_element(able.begin(), able.end()); break;
    default: current_ = able[random_() % able.size()];
  }
}

void team::hand_over()
{
  if (current_ != none) running(current_).wake->notify_one();
}

team::turn team::take_turns(bool waiting, void const* looks_at, int index)
{
  std::unique_lock lock(mutex_);
  int const own = current_;
  auto const outcome = [&] { return error_ ? turn::abandoned : stuck_ ? turn::stuck : turn::goes_on; };
  if (outcome() != turn::goes_on) return outcome();
  member& self = running(own);
  bool const again = looks_at != nullptr && self.looked_at == looks_at && self.index == index && self.stores == stores_;
  self.waiting = waiting || again;
  choose();
  if (current_ != own) {
    hand_over();
    self.wake->wait(lock, [&] { return current_ == own; });
  }
  if (looks_at != nullptr) {
    member& later = running(own);
    later.looked_at = looks_at;
    later.index = index;
    later.stores = stores_;
  }
  return outcome();
}

void team::progressed()
{
  std::scoped_lock const lock(mutex_);
  ++stores_;
  for (member& each : running_) each.waiting = false;
}

team::member& team::running(int block)
{
  return *std::find_if(running_.begin(), running_.end(), [&](member const& each) { return each.block == block; });
}

}  // namespace tally::model
