#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace tally::test {

/// Ends the program as failed if this object still lives after `limit`. A test that waits for ever cannot end by
/// itself.
class watchdog {
public:
  explicit watchdog(std::chrono::seconds limit = std::chrono::seconds(60))
      : thread_([this, limit] {
          std::unique_lock lock(mutex_);
          if (gone_.wait_for(lock, limit, [this] { return done_; })) return;
          std::fprintf(stderr, "the test hangs: it has not ended after %lld s\n",
                       static_cast<long long>(limit.count()));
          std::_Exit(EXIT_FAILURE);
        })
  {
  }
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;
  ~watchdog()
  {
    {
      std::scoped_lock const lock(mutex_);
      done_ = true;
    }
    gone_.notify_one();
    thread_.join();
  }

private:
  std::mutex mutex_;
  std::condition_variable gone_;
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tally::test
