#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "io/threads/worker_pool.hpp"

namespace tally::io {

/// Work on a sequence of items by several threads, at most a fixed number of items at a time, with results in order.
///
/// An item is prepared by the calling thread, in order; then worked on by any thread; then given to the caller, in
/// order. The calling thread works too while it waits. A single item, or one thread, never touches another thread.
template <class Slot>
class ordered_tasks {
public:
  struct functions {
    std::function<bool(Slot&)> prepare;  ///< the next item; false if there is none
    std::function<void(Slot&)> work;     ///< may throw
    std::function<bool()> ready;         ///< whether `prepare` would return without waiting
  };

  /// The most items in flight: with 256 KiB of text in each, memory stays below the readers' bound.
  static constexpr std::size_t most = 24;

  /// `threads` = 0 stands for all processors. At most `at_once` items are in flight.
  ordered_tasks(int threads, functions of, std::size_t at_once = most) : of_(std::move(of)), workers_(threads)
  {
    auto const count = static_cast<std::size_t>(workers_.threads());
    std::size_t const slots = count == 1 ? 1 : std::min({2 * count + 2, at_once, most});
    for (std::size_t i = 0; i < slots; ++i) {
      entries_.push_back(std::make_unique<entry>());
      entries_.back()->job.work = [this, slot = &entries_.back()->slot] { of_.work(*slot); };
    }
  }

  ~ordered_tasks()
  {
    for (auto const& each : entries_) {
      if (!each->spawned) continue;
      try {
        workers_.wait(each->job);
      } catch (...) {
        // The failure of an item that was never requested does not matter.
      }
    }
  }
  ordered_tasks(ordered_tasks const&) = delete;
  ordered_tasks& operator=(ordered_tasks const&) = delete;

  /// The next item with its work done, which the caller may use until the next call; null at the end. Throws what
  /// `prepare` or `work` threw for the item.
  Slot* next()
  {
    if (given_) {
      first_ = (first_ + 1) % entries_.size();
      --held_;
      given_ = false;
    }
    prepare_more();
    if (held_ == 0) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return nullptr;
    }
    entry& oldest = *entries_[first_];
    given_ = true;
    if (oldest.spawned) {
      oldest.spawned = false;
      workers_.wait(oldest.job);
    } else {
      of_.work(oldest.slot);
    }
    return &oldest.slot;
  }

  /// The last item given. Requires: there is one.
  Slot const& current() const { return entries_[first_]->slot; }

  /// Whether `next` would have to wait for input.
  bool waiting() const { return !ended_ && held_ <= (given_ ? 1u : 0u) && !of_.ready(); }

private:
  struct entry {
    Slot slot;
    worker_pool::job job;
    bool spawned = false;
  };

  void prepare_more()
  {
    while (!ended_ && held_ < entries_.size() && (held_ == 0 || of_.ready())) {
      entry& free = *entries_[(first_ + held_) % entries_.size()];
      free.spawned = false;
      try {
        ended_ = !of_.prepare(free.slot);
      } catch (...) {
        failure_ = std::current_exception();
        ended_ = true;
      }
      if (ended_) break;
      ++held_;
      // The first item is spawned with the second, so that a single one stays on this thread.
      if (held_ == 2 && !entries_[first_]->spawned) spawn(*entries_[first_]);
      if (held_ >= 2) spawn(free);
    }
  }

  void spawn(entry& one)
  {
    one.spawned = true;
    workers_.start(one.job);
  }

  functions of_;
  worker_pool workers_;
  std::vector<std::unique_ptr<entry>> entries_;
  std::size_t first_ = 0;  // the oldest item held
  std::size_t held_ = 0;
  bool given_ = false;  // the caller is using the oldest
  bool ended_ = false;
  std::exception_ptr failure_;  // of `prepare`, to be thrown after the items held
};

}  // namespace tally::io
