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

/// Some threads that work on jobs in the order in which they are started, the thread that waits for one among them.
///
/// Plain std::thread with a lock: a job takes some hundred microseconds, so that the lock costs nothing, and the thread
/// sanitizer sees every hand-over.
class worker_pool {
public:
  /// Something to do. It must stay where it is from `start` until `wait` has returned.
  struct job {
    std::function<void()> work;  ///< may throw

  private:
    friend worker_pool;
    bool done = false;
    std::exception_ptr failure;
  };

  /// `threads`, the waiting one among them; 0 stands for all processors. None is made before the first job is started.
  explicit worker_pool(int threads);
  ~worker_pool();
  worker_pool(worker_pool const&) = delete;
  worker_pool& operator=(worker_pool const&) = delete;

  int threads() const { return threads_; }

  void start(job& one);
  /// Works on jobs until this one, which has been started, is done. Throws what its work has thrown.
  void wait(job& one);
  /// Calls f(i) for i from 0 to n - 1 and returns when all is done. Throws what one of them has thrown.
  void for_each(std::size_t n, std::function<void(std::size_t)> const& f);

private:
  void serve();
  void work_on_first(std::unique_lock<std::mutex>& lock);

  int threads_;
  std::mutex mutex_;  // guards what follows, and `done` and `failure` of every job
  std::condition_variable started_, done_;
  std::deque<job*> waiting_;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tally::io
