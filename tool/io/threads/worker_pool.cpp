#include "io/threads/worker_pool.hpp"

#include <algorithm>
#include <utility>

namespace tally::io {

worker_pool::worker_pool(int threads)
    : threads_(threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())))
{
}

worker_pool::~worker_pool()
{
  {
    std::lock_guard const lock(mutex_);
    ending_ = true;
  }
  started_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void worker_pool::start(job& one)
{
  {
    std::lock_guard const lock(mutex_);
    one.done = false;
    one.failure = nullptr;
    waiting_.push_back(&one);
    if (static_cast<int>(workers_.size()) + 1 < threads_) workers_.emplace_back([this] { serve(); });
  }
  started_.notify_one();
}

void worker_pool::wait(job& one)
{
  std::unique_lock lock(mutex_);
  while (!one.done) {
    if (waiting_.empty())
      done_.wait(lock);
    else
      work_on_first(lock);
  }
  if (one.failure) std::rethrow_exception(std::exchange(one.failure, nullptr));
}

void worker_pool::for_each(std::size_t n, std::function<void(std::size_t)> const& f)
{
  if (n == 1 || threads_ == 1) {
    for (std::size_t i = 0; i < n; ++i) f(i);
    return;
  }
  std::vector<job> jobs(n);
  for (std::size_t i = 0; i < n; ++i) {
    jobs[i].work = [&f, i] { f(i); };
    start(jobs[i]);
  }
  std::exception_ptr failure;
  for (job& one : jobs) {
    try {
      wait(one);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void worker_pool::serve()
{
  std::unique_lock lock(mutex_);
  for (;;) {
    started_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    work_on_first(lock);
  }
}

void worker_pool::work_on_first(std::unique_lock<std::mutex>& lock)
{
  job& one = *waiting_.front();
  waiting_.pop_front();
  lock.unlock();
  std::exception_ptr failure;
  try {
    one.work();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  one.failure = std::move(failure);
  one.done = true;
  done_.notify_all();
}

}  // namespace tally::io
