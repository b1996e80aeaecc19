#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tally::io {

/// Threads that work on jobs in the order in which these are started. A thread that waits for a job works too.
///
/// Plain std::thread with a lock: a job takes some hundred microseconds, so the lock costs nothing, and the thread
/// sanitizer sees every hand-over.
class worker_pool {
public:
  /// A job. It must keep its address from `start` until `wait` has returned.
  struct job {
    std::function<void()> work;  ///< may throw

  private:
    friend worker_pool;
    bool done = false;
    std::exception_ptr failure;
  };

  /// `threads` includes the waiting thread; 0 stands for all processors. Threads are made when the first job is
  /// started.
  explicit worker_pool(int threads);
  ~worker_pool();
  worker_pool(worker_pool const&) = delete;
  worker_pool& operator=(worker_pool const&) = delete;

  int threads() const { return threads_; }

  void start(job& one);
  /// Works on jobs until this one is done. Throws what its work has thrown. Requires: it has been started.
  void wait(job& one);
  /// Calls f(i) for i from 0 to n - 1 and returns when all calls are done. Throws what one of them has thrown.
  void for_each(std::size_t n, std::function<void(std::size_t)> const& f);

private:
  void serve();
  void work_on_first(std::unique_lock<std::mutex>& lock);

  int threads_;
  std::mutex mutex_;  // guards the members below, and `done` and `failure` of every job
  std::condition_variable started_, done_;
  std::deque<job*> waiting_;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tally::io
