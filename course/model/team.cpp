#include "team.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

namespace tally::model {

namespace {
struct gave_up {};
}  // namespace

/// The blocks that run, and the one whose turn it is.
class team::members {
public:
  members(schedule by, std::vector<int> order) : by_(by), order_(std::move(order)), random_(by.seed) {}

  void run(std::function<void(int)> const& body);
  turn take_turns(bool waiting, void const* looks_at, int index);
  void progressed();

private:
  struct member {
    int block;
    std::condition_variable* wake;  // of the thread that runs it
    bool waiting = false;
    void const* looked_at = nullptr;  // last
    int index = 0;
    std::size_t stores = 0;  // how many there had been when it looked
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

team::team(schedule by, std::vector<int> order) : members_(std::make_unique<members>(by, std::move(order))) {}

team::~team() = default;

void team::run(std::function<void(int)> const& body)
{
  members_->run(body);
}

team::turn team::take_turns(bool waiting, void const* looks_at, int index)
{
  return members_->take_turns(waiting, looks_at, index);
}

void team::progressed()
{
  members_->progressed();
}

void team::give_up()
{
  throw gave_up{};
}

void team::members::run(std::function<void(int)> const& body)
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
void team::members::work(int block, std::condition_variable& wake)
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
int team::members::end(int block, std::condition_variable& wake)
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
void team::members::choose()
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

void team::members::hand_over()
{
  if (current_ != none) running(current_).wake->notify_one();
}

team::turn team::members::take_turns(bool waiting, void const* looks_at, int index)
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

void team::members::progressed()
{
  std::scoped_lock const lock(mutex_);
  ++stores_;
  for (member& each : running_) each.waiting = false;
}

team::members::member& team::members::running(int block)
{
  return *std::find_if(running_.begin(), running_.end(), [&](member const& each) { return each.block == block; });
}

}  // namespace tally::model
